"""The kill matrix as the page shows it: survivors first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.reporting.page.scale import LEFT, Scale, Span
from assay.sabotage.matrix import Inverted, Matrix, Tally, tallies, tally_of
from assay.sabotage.outcome import Mutant
from assay.sabotage.text import COLUMNS, headline


@dataclass(frozen=True)
class Survivor:
    """A defect that calls for a look."""

    how: str
    """`undeclared`, `declared in vain` or `declared`."""
    fate: str
    layer: str
    name: str
    why: str
    """The written reason where it is declared, else what noticed it or how it crashed."""


@dataclass(frozen=True)
class LayerRow:
    """One layer's tally."""

    layer: str
    counts: tuple[int, ...]
    share: str
    interval: str
    bar: Span | None
    """From the axis' beginning to the share; None where nothing applies."""
    spread: Span | None


@dataclass(frozen=True)
class MatrixTold:
    """The whole matrix, ready to be shown."""

    headline: str
    is_as_declared: bool
    survivors: tuple[Survivor, ...]
    titles: tuple[str, ...]
    layers: tuple[LayerRow, ...]
    held: int
    moved: tuple[Inverted, ...]
    not_applicable: tuple[Inverted, ...]
    mutants: tuple[tuple[Mutant, str], ...]
    """Every mutant with what is to be said of it."""


def matrix_told(matrix: Matrix) -> MatrixTold:
    """What is shown of a matrix."""
    layers = [_layer(layer, tally) for layer, tally in tallies(matrix.mutants).items()]
    return MatrixTold(
        headline=headline(matrix),
        is_as_declared=matrix.is_as_declared,
        survivors=tuple(_survivors(matrix)),
        titles=tuple(title for _, title in COLUMNS),
        layers=(*layers, _layer("all", tally_of(matrix.mutants))),
        held=sum(control.holds is True for control in matrix.inverted),
        moved=matrix.fired,
        not_applicable=tuple(control for control in matrix.inverted if control.holds is None),
        mutants=tuple((mutant, _remark(mutant)) for mutant in matrix.mutants),
    )


def _survivors(matrix: Matrix) -> Iterator[Survivor]:
    for mutant in matrix.undeclared:
        yield Survivor("undeclared", mutant.fate, mutant.layer, mutant.name, _remark(mutant))
    for mutant in matrix.outdated:
        yield Survivor("declared in vain", mutant.fate, mutant.layer, mutant.name, _remark(mutant))
    for mutant in matrix.mutants:
        if mutant.name in matrix.survivors and mutant not in matrix.outdated:
            yield Survivor("declared", mutant.fate, mutant.layer, mutant.name, matrix.survivors[mutant.name])


def _layer(name: str, tally: Tally) -> LayerRow:
    counts = tuple(tally.counts.get(fate, 0) for fate, _ in COLUMNS)
    interval = tally.interval
    if interval is None:
        return LayerRow(name, counts, "nothing applies", "", None, None)
    scale, (low, high) = Scale(0.0, 1.0), interval
    share = tally.killed / tally.applicable
    return LayerRow(
        layer=name,
        counts=counts,
        share=f"{tally.killed} of {tally.applicable} ({share:.1%})",
        interval=f"{low:.1%} to {high:.1%}",
        bar=Span(LEFT, round(scale.x(share) - LEFT, 1)),
        spread=Span(scale.x(low), round(scale.x(high) - scale.x(low), 1)),
    )


def _remark(mutant: Mutant) -> str:
    if mutant.why:
        return mutant.why
    by = f"noticed by {', '.join(mutant.by)}" if mutant.by else ""
    return "; ".join(filter(None, [by, f"from {mutant.strength} on" if mutant.strength else ""]))
