"""Every case of every subject by number, and what there is to show of it: what lists, links and details are made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.model.report import FailedCase, ProviderReport, Report
from assay.model.suite import SUBJECT

State = Literal["right", "wrong", "left out"]
Change = Literal["worse", "better", "new", ""]


@dataclass(frozen=True)
class Listed:
    """One case of one subject."""

    number: int
    """Of the case, the same for every subject."""
    id: str
    state: State
    change: Change
    score: float
    note: str
    """Status where it is not plainly scored, why it is left out, how steady it was; empty where there is nothing to say."""
    failed: FailedCase | None


@dataclass(frozen=True)
class Roll:
    """One subject's cases."""

    number: int
    name: str
    is_gated: bool
    cases: tuple[Listed, ...]
    compared: int
    """How many were compared with the baseline."""

    @property
    def not_right(self) -> tuple[Listed, ...]:
        """The cases with something to show: got worse first, then in the order of the gold set."""
        return tuple(sorted((case for case in self.cases if case.failed), key=lambda case: case.change != "worse"))

    def changed(self, change: Change) -> tuple[Listed, ...]:
        """The cases that changed in this way."""
        return tuple(case for case in self.cases if case.change == change)

    def anchor(self, case: Listed) -> str:
        """The name of a case's place on the page."""
        return f"case-{self.number}-{case.number}"


def rolls_of(report: Report) -> list[Roll]:
    """All subjects with cases, gated ones first."""
    subjects = [(name, found) for name, found in report.providers.items() if found.role == SUBJECT and found.cases]
    subjects.sort(key=lambda item: item[1].enforcement != "ci")
    numbers: dict[str, int] = {}
    for _, found in subjects:
        for case in found.cases:
            numbers.setdefault(case, len(numbers))
    return [
        Roll(number, name, found.enforcement == "ci", tuple(_listed(found, numbers)), found.compared.cases)
        for number, (name, found) in enumerate(subjects)
    ]


def _listed(found: ProviderReport, numbers: dict[str, int]) -> Iterator[Listed]:
    changes: dict[str, Change] = dict.fromkeys(found.compared.new, "new")
    changes |= dict.fromkeys(found.compared.better, "better")
    changes |= dict.fromkeys(found.compared.worse, "worse")
    for name, outcome in found.cases.items():
        failed, steady = found.failed.get(name), found.stability.get(name)
        told = [
            failed.status if failed and failed.status != "scored" else "",
            f"left out: {outcome.left_out}" if outcome.left_out else "",
            steady or "",
        ]
        yield Listed(
            number=numbers[name],
            id=name,
            state="left out" if outcome.left_out else "right" if outcome.passed else "wrong",
            change=changes.get(name, ""),
            score=outcome.score,
            note="; ".join(filter(None, told)),
            failed=failed,
        )
