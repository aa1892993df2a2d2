"""What became of a defect in one suite: killed by the right check, by another, survived, no evidence, or not applicable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from assay.model.base import Frozen
from assay.sabotage.defect import Defect, Layer

Fate = Literal["killed", "killed by another", "survived", "no evidence", "crashed", "not applicable"]


class Seen(Frozen):
    """What one run with a defect, or without, looks like from outside."""

    verdict: str
    """`ERROR` where the suite was refused with one clear error."""
    unkept: tuple[str, ...]
    """Names of the deciding checks that are not kept."""
    outputs: str
    """Digest over scores, metrics, checks and report files."""
    crash: str | None = None
    """An exception that nobody should see."""


class Mutant(Frozen):
    """One defect in one suite."""

    name: str
    layer: Layer
    fate: Fate
    strength: str | None = None
    """The smallest strength that was killed by the right check; null where there is none or the defect has one only."""
    by: tuple[str, ...] = ()
    """The checks that noticed it, the right ones alone where there are any."""
    why: str = ""
    """Why it does not apply, or how it crashed."""

    @property
    def is_applicable(self) -> bool:
        """Whether the suite offers what the defect hits."""
        return self.fate != "not applicable"


def fate_of(defect: Defect, seen: Seen, clean: Seen) -> tuple[Fate, tuple[str, ...]]:
    """What a run with the defect says of it, and the checks that do. `clean` is the same run without."""
    if seen.crash is not None:
        return "crashed", ()
    if seen.verdict != "PASS":
        right = tuple(name for name in seen.unkept if defect.is_noticed_by(name))
        return ("killed", right) if right else ("killed by another", seen.unkept)
    if seen.outputs == clean.outputs and not defect.must_show:
        return "no evidence", ()
    return "survived", ()


def mutant_of(defect: Defect, found: Sequence[tuple[str, Seen]], clean: Seen) -> Mutant:
    """The fate at the strongest, and the smallest strength killed.

    Args:
        defect: the defect.
        found: (name of the strength, run) for each strength that was tried, weakest first; the last is the strongest.
        clean: the run without the defect.
    """
    strongest = found[-1][1]
    fate, by = fate_of(defect, strongest, clean)
    killed = [name for name, seen in found if fate_of(defect, seen, clean)[0] == "killed"]
    strength = killed[0] if fate == "killed" and len(defect.strengths) > 1 else None
    return Mutant(name=defect.name, layer=defect.layer, fate=fate, strength=strength, by=by, why=strongest.crash or "")


def absent(defect: Defect, why: str) -> Mutant:
    """A defect that the suite offers nothing for."""
    return Mutant(name=defect.name, layer=defect.layer, fate="not applicable", why=why)
