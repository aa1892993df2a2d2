"""The kill matrix as people read it: survivors first."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.run import plural
from assay.sabotage.matrix import Matrix, Tally, tallies, tally_of
from assay.sabotage.outcome import Fate, Mutant

COLUMNS: tuple[tuple[Fate, str], ...] = (
    ("killed", "killed"),
    ("killed by another", "by another"),
    ("survived", "survived"),
    ("no evidence", "no evidence"),
    ("crashed", "crashed"),
    ("not applicable", "n/a"),
)
SHOWN_CHECKS = 3


def matrix_text(matrix: Matrix, *, every: bool = False) -> str:
    """The whole text of one suite, ending in a newline. `every` also lists what was killed."""
    return "\n".join([*_lines(matrix, every=every), ""])


def headline(matrix: Matrix) -> str:
    """One line: how many were killed, and what is not as declared."""
    tally = tally_of(matrix.mutants)
    wrong = [
        f"clean run is {matrix.clean}" if matrix.clean != "PASS" else "",
        f"{len(matrix.undeclared)} undeclared" if matrix.undeclared else "",
        f"{len(matrix.outdated)} declared in vain" if matrix.outdated else "",
        f"{plural(len(matrix.fired), 'inverted control')} moved" if matrix.fired else "",
    ]
    told = "; ".join(filter(None, wrong)) or "nothing undeclared"
    word = "as declared" if matrix.is_as_declared else "NOT AS DECLARED"
    return f"{matrix.suite} {matrix.version}: {word}: {_share(tally)} killed by the right check; {told}"


def known_line(matrix: Matrix | None, suite: str, goldset: str | None = None, gold_version: str | None = None) -> str:
    """One line for a run's report: the headline of the matrix that is known for its inputs, or how to make one."""
    asked = "".join(f" {name} {value}" for name, value in (("--gold-version", gold_version), ("--goldset", goldset)) if value)
    told = headline(matrix) if matrix else f"not made for these inputs; `assay sabotage {suite}{asked}` makes it"
    return f"sabotage: {told}"


def _lines(matrix: Matrix, *, every: bool) -> Iterator[str]:
    yield headline(matrix)
    for mutant in matrix.undeclared:
        yield f"  UNDECLARED {mutant.fate}: {mutant.layer}/{mutant.name}{_by(mutant)}"
    for mutant in matrix.outdated:
        yield f"  DECLARED IN VAIN, {mutant.fate}: {mutant.layer}/{mutant.name}{_by(mutant)}"
    for mutant in matrix.mutants:
        if mutant.name in matrix.survivors and mutant not in matrix.outdated:
            yield f"  declared, {mutant.fate}: {mutant.layer}/{mutant.name}: {matrix.survivors[mutant.name]}"
    for control in matrix.fired:
        yield f"  MOVED by what must not matter: {control.name}: {control.why}"
    yield from _table(matrix)
    held = sum(control.holds is True for control in matrix.inverted)
    left = [control.name for control in matrix.inverted if control.holds is None]
    yield f"  inverted controls: {held} hold, {len(matrix.fired)} moved{_left_out(left)}"
    if every:
        for mutant in matrix.mutants:
            strength = f" from {mutant.strength}" if mutant.strength else ""
            yield f"  {mutant.fate}{strength}: {mutant.layer}/{mutant.name}{_by(mutant)}"


def _table(matrix: Matrix) -> Iterator[str]:
    yield "  layer     " + "".join(f"{title:>12}" for _, title in COLUMNS) + "  share killed, exact 95 % interval"
    for layer, tally in tallies(matrix.mutants).items():
        yield f"  {layer:<10}{_counts(tally)}  {_share(tally)}"
    whole = tally_of(matrix.mutants)
    yield f"  {'all':<10}{_counts(whole)}  {_share(whole)}"


def _counts(tally: Tally) -> str:
    return "".join(f"{tally.counts.get(fate, 0):>12}" for fate, _ in COLUMNS)


def _share(tally: Tally) -> str:
    interval = tally.interval
    if interval is None:
        return "nothing applies"
    low, high = interval
    return f"{tally.killed} of {tally.applicable} ({tally.killed / tally.applicable:.1%}, {low:.1%} to {high:.1%})"


def _left_out(names: list[str]) -> str:
    return f"; not applicable: {', '.join(names)}" if names else ""


def _by(mutant: Mutant) -> str:
    if mutant.why:
        return f" ({mutant.why})"
    if not mutant.by:
        return ""
    more = f" and {len(mutant.by) - SHOWN_CHECKS} more" if len(mutant.by) > SHOWN_CHECKS else ""
    return f" ({', '.join(mutant.by[:SHOWN_CHECKS])}{more})"
