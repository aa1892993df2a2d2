"""A defect: its name, its layer, where it enters the pipeline, and the check that must notice it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Literal, get_args

from pydantic import JsonValue

from assay.digest import digest_of
from assay.model.gold import GoldCase
from assay.model.suite import Suite
from assay.model.target import TargetFactory
from assay.sabotage.parts import Parts

Layer = Literal["gold", "contract", "cassette", "system", "scorer", "gate", "report"]
LAYERS: tuple[Layer, ...] = get_args(Layer)
INPUT = "input"
"""The name under which a refusal to read the suite counts as a check: one clear error that names the place."""


@dataclass(frozen=True)
class Strength:
    """How many of the cases a defect hits."""

    name: str
    part: float | None = None
    """A fraction of all cases; null is one case."""

    def of(self, total: int) -> int:
        """How many of `total` cases; at least one."""
        return max(1, ceil(total * self.part)) if self.part is not None else 1


WHOLE = Strength("whole", 1.0)
"""Of a defect that has no strengths."""
STRENGTHS = (Strength("one case"), Strength("2 %", 0.02), Strength("5 %", 0.05), Strength("10 %", 0.10))
"""Of a defect that hits data, weakest first."""


class NotApplicable(Exception):  # an answer, not a fault
    """This suite offers nothing that the defect could hit; the message says why."""


@dataclass(frozen=True)
class Pick:
    """Which cases a defect hits: the first in an order that only the defect's name decides."""

    defect: str
    strength: Strength

    def in_order(self, ids: Iterable[str]) -> list[str]:
        """All ids in this defect's order."""
        return sorted(set(ids), key=lambda one: digest_of([self.defect, one]))

    def of(self, ids: Iterable[str]) -> list[str]:
        """The ids that are hit."""
        ordered = self.in_order(ids)
        return ordered[: self.strength.of(len(ordered))]


@dataclass(frozen=True)
class Material:
    """A suite as it was read: what a wrong source is made of."""

    suite: Suite
    files: Mapping[str, tuple[str, bytes]]
    """Gold files by the kind's name for them: (file name, content)."""
    prompt: str
    response_schema: str
    baseline: bytes | None
    recordings: Mapping[str, tuple[bytes, bytes]]
    """By provider: manifest and body."""

    def with_file(self, role: str, content: bytes) -> Material:
        """The same with another content of one gold file."""
        return replace(self, files={**self.files, role: (self.files[role][0], content)})

    def with_recording(self, provider: str, manifest: bytes, body: bytes) -> Material:
        """The same with another recording of one provider."""
        return replace(self, recordings={**self.recordings, provider: (manifest, body)})


@dataclass(frozen=True)
class Answered:
    """What a subject answered to one case, and what it answered to the next one."""

    case: GoldCase
    text: str
    other: str
    """The answer to another case."""


@dataclass(frozen=True)
class NoAnswer:
    """In place of an answer: the subject failed."""

    reason: str = "sabotage: no answer"


@dataclass(frozen=True)
class InMaterial:
    """A wrong source: gold files, contract, recordings, baseline or declaration. Raises NotApplicable."""

    change: Callable[[Material, Pick], Material]


@dataclass(frozen=True)
class InReplies:
    """Wrong replies of the subject, between replay and score; None where a case offers nothing to damage."""

    change: Callable[[Answered], str | NoAnswer | None]


@dataclass(frozen=True)
class InTarget:
    """Another factory in place of the subject's own."""

    factory: TargetFactory
    only: str | None = None
    """The target that it stands in for; null is any."""


@dataclass(frozen=True)
class InOptions:
    """Options for the subject's target alone, by which a system misbehaves on purpose."""

    options: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class InParts:
    """Wrong functions in place of the pipeline's own. Raises NotApplicable."""

    change: Callable[[Parts], Parts]


Damage = InMaterial | InReplies | InTarget | InOptions | InParts


@dataclass(frozen=True)
class Defect:
    """One deliberate fault, and who must notice it."""

    name: str
    layer: Layer
    damage: Damage
    must_notice: tuple[str, ...]
    """Names of checks, or how they begin where a name ends in `*`; one of them must not be kept."""
    kinds: frozenset[str] = frozenset()
    """The kinds of suite that it applies to; empty is every kind."""
    strengths: tuple[Strength, ...] = (WHOLE,)
    """Weakest first. Killed means at the last."""
    must_show: bool = False
    """Whether it must be noticed although a clean run looks the same with it: a wrong judge of good numbers."""

    def why_not(self, kind: str) -> str | None:
        """Why it does not apply to a kind; None where it does."""
        if not self.kinds or kind in self.kinds:
            return None
        return f"belongs to {', '.join(sorted(self.kinds))}"

    def is_noticed_by(self, check: str) -> bool:
        """Whether this check is one of those that must notice it."""
        return any(check == name or (name.endswith("*") and check.startswith(name[:-1])) for name in self.must_notice)


def repeated_names(defects: Sequence[Defect]) -> list[str]:
    """Names that more than one defect has, each once."""
    names = [defect.name for defect in defects]
    return sorted({name for name in names if names.count(name) > 1})
