"""The cases that stand in the page without any script: what changed, and the first ones that are not right."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from assay.reporting.case_view import CaseView, case_view
from assay.reporting.page.listing import Change, Listed, Roll
from assay.reporting.page.rendering import embedded

SHOWN_CASES = 50
"""How many cases of a subject stand open to readers without scripts, and how many names in a list of changes."""
OPEN_IN_PRINT = 10
_ROOM = 150_000
"""Bytes that all details together may take as JSON; as markup they take about twice as much."""


@dataclass(frozen=True)
class Detail:
    """A case with what there is to show of it."""

    anchor: str
    case: Listed
    view: CaseView
    is_printed: bool


@dataclass(frozen=True)
class Name:
    """One case by name."""

    anchor: str
    case: str
    has_details: bool
    """Whether its details stand in the page; where not, only the script can lead to it."""


@dataclass(frozen=True)
class Names:
    """Cases that changed in one way, by name."""

    change: Change
    shown: tuple[Name, ...]
    count: int

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.count - len(self.shown)


@dataclass(frozen=True)
class SubjectCases:
    """One subject's cases in words."""

    name: str
    is_gated: bool
    cases: int
    right: int
    left_out: int
    compared: int
    changes: tuple[Names, ...]
    details: tuple[Detail, ...]
    not_right: int
    """All cases with something to show."""

    @property
    def more(self) -> int:
        """How many of them are not shown."""
        return self.not_right - len(self.details)


def subject_cases(rolls: Sequence[Roll]) -> list[SubjectCases]:
    """Every subject; details of gated ones only."""
    found, left, waiting = [], _ROOM, sum(roll.is_gated for roll in rolls)
    for roll in rolls:
        details, used = _details(roll, left // waiting) if roll.is_gated else ([], 0)
        left, waiting = left - used, waiting - roll.is_gated
        found.append(_of_subject(roll, details))
    return found


def _of_subject(roll: Roll, details: Sequence[Detail]) -> SubjectCases:
    ways: tuple[Change, ...] = ("worse", "better", "new")
    anchors = {detail.anchor for detail in details}
    return SubjectCases(
        name=roll.name,
        is_gated=roll.is_gated,
        cases=len(roll.cases),
        right=sum(case.state == "right" for case in roll.cases),
        left_out=sum(case.state == "left out" for case in roll.cases),
        compared=roll.compared,
        changes=tuple(_names(roll, way, anchors) for way in ways),
        details=tuple(details),
        not_right=len(roll.not_right),
    )


def _names(roll: Roll, way: Change, anchors: Set[str]) -> Names:
    cases = roll.changed(way)
    shown = [Name(roll.anchor(case), case.id, roll.anchor(case) in anchors) for case in cases[:SHOWN_CASES]]
    return Names(way, tuple(shown), len(cases))


def _details(roll: Roll, room: int) -> tuple[list[Detail], int]:
    """The first cases that are not right, as far as there is room, and how much of it they take."""
    found: list[Detail] = []
    used = 0
    for case in roll.not_right[:SHOWN_CASES]:
        if case.failed is None:
            continue
        view = case_view(case.failed)
        size = len(embedded(view.packed()).encode())
        if used + size > room:
            break
        used += size
        found.append(Detail(roll.anchor(case), case, view, len(found) < OPEN_IN_PRINT))
    return found, used
