"""The kill matrix of a suite: every mutant, every inverted control, and whether that is what the suite says of itself."""

from __future__ import annotations

from collections.abc import Mapping

from assay.model.base import Frozen
from assay.sabotage.defect import LAYERS, Layer
from assay.sabotage.exact import exact_interval
from assay.sabotage.outcome import Fate, Mutant


class Inverted(Frozen):
    """A change that must not matter."""

    name: str
    holds: bool | None
    """Null where the pipeline has nothing of the kind to change."""
    why: str = ""
    """What moved, or why it does not apply."""


class Matrix(Frozen):
    """One suite under sabotage."""

    suite: str
    version: str
    clean: str
    """The verdict without any defect."""
    mutants: tuple[Mutant, ...]
    inverted: tuple[Inverted, ...]
    survivors: dict[str, str]
    """Declared in suite.yaml: defect to reason."""

    @property
    def undeclared(self) -> tuple[Mutant, ...]:
        """Applicable defects that the right check did not notice and that suite.yaml does not name."""
        return tuple(m for m in self.mutants if m.is_applicable and m.fate != "killed" and m.name not in self.survivors)

    @property
    def outdated(self) -> tuple[Mutant, ...]:
        """Declared survivors that are killed, or that do not apply."""
        return tuple(m for m in self.mutants if m.fate in {"killed", "not applicable"} and m.name in self.survivors)

    @property
    def fired(self) -> tuple[Inverted, ...]:
        """Inverted controls that moved something."""
        return tuple(control for control in self.inverted if control.holds is False)

    @property
    def is_as_declared(self) -> bool:
        """Whether the suite passes clean, nothing survives undeclared, no declared survivor is killed, no control fired."""
        return self.clean == "PASS" and not (self.undeclared or self.outdated or self.fired)


class Tally(Frozen):
    """Mutants by fate."""

    counts: dict[Fate, int]

    @property
    def applicable(self) -> int:
        """All but those that do not apply."""
        return sum(count for fate, count in self.counts.items() if fate != "not applicable")

    @property
    def killed(self) -> int:
        """Those that the right check noticed."""
        return self.counts.get("killed", 0)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The exact 95 % interval (Clopper-Pearson) of the share killed; None where nothing applies."""
        return exact_interval(self.killed, self.applicable) if self.applicable else None


def tallies(mutants: tuple[Mutant, ...]) -> Mapping[Layer, Tally]:
    """By layer, in the order of the pipeline."""
    return {layer: tally_of(tuple(m for m in mutants if m.layer == layer)) for layer in LAYERS}


def tally_of(mutants: tuple[Mutant, ...]) -> Tally:
    """How many came to what."""
    counts: dict[Fate, int] = {}
    for mutant in mutants:
        counts[mutant.fate] = counts.get(mutant.fate, 0) + 1
    return Tally(counts=counts)
