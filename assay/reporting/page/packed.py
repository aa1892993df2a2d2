"""The cases as the page's script reads them, within a number of bytes; what does not fit is counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from assay.reporting.case_view import case_view
from assay.reporting.page.listing import Listed, Roll
from assay.reporting.page.rendering import embedded

STATES = {"right": "r", "wrong": "w", "left out": "l"}
CHANGES = {"worse": "w", "better": "b", "new": "n", "": "."}
ABSENT = " "
"""In place of both where a subject has no such case."""
LIST_SHARE = 0.7
"""How much of the room the list itself may take; the rest is for details."""
_PER_CELL = 16
"""Bytes that one case takes at most per subject beside its note: state, change, score."""
Views = Mapping[str, list[object]]
"""What there is to show of one subject's cases, as `CaseView.packed`, by place."""


@dataclass(frozen=True)
class Packed:
    """All that the script is given, and what it is not."""

    data: Markup
    listed: int
    """Rows in the list, one per case and subject."""
    unlisted: int
    """Rows that are only in report.json."""
    details: int
    no_details: int
    """Cases that are not right, whose details the script is not given."""


def packed_cases(rolls: Sequence[Roll], room: int) -> Packed:
    """The cases of all subjects in at most so many bytes, as far as an empty list does not take more.

    Where not all cases fit, those that are not right come first; where not all details fit, those of cases that got worse.
    """
    kept = _kept(rolls, int(room * LIST_SHARE))
    ids = {case.number: case.id for roll in rolls for case in roll.cases if case.number in kept}
    places = {number: place for place, number in enumerate(ids)}
    subjects = [_subject(roll, places) for roll in rolls]
    bare = _value(ids, subjects, [{} for _ in rolls])
    views = _views(rolls, places, room - _size(bare))
    rows = sum(len(roll.cases) for roll in rolls)
    listed = sum(case.number in places for roll in rolls for case in roll.cases)
    details = sum(len(found) for found in views)
    wanted = sum(len(roll.not_right) for roll in rolls)
    return Packed(embedded(_value(ids, subjects, views)), listed, rows - listed, details, wanted - details)


def _size(value: object) -> int:
    """Bytes that a value takes in the page."""
    return len(embedded(value).encode())


def _kept(rolls: Sequence[Roll], room: int) -> set[int]:
    """The numbers of the cases that fit: all, or those that matter most."""
    cost: dict[int, int] = {}
    for roll in rolls:
        for case in roll.cases:
            beside = cost.setdefault(case.number, _size(case.id) + 1 + _PER_CELL * len(rolls))
            cost[case.number] = beside + (_size(case.note) + _PER_CELL if case.note else 0)
    if sum(cost.values()) <= room:
        return set(cost)
    matters = {case.number for roll in rolls for case in roll.cases if case.state != "right" or case.change}
    kept: set[int] = set()
    for number in sorted(cost, key=lambda number: (number not in matters, number)):
        room -= cost[number]
        if room < 0:
            break
        kept.add(number)
    return kept


def _value(ids: Mapping[int, str], subjects: Sequence[Mapping[str, object]], views: Sequence[Views]) -> dict[str, object]:
    """All that the script reads: the cases, and each subject with its views."""
    with_views = [{**subject, "views": found} for subject, found in zip(subjects, views, strict=True)]
    return {"ids": list(ids.values()), "numbers": list(ids), "subjects": with_views}


def _views(rolls: Sequence[Roll], places: Mapping[int, int], room: int) -> list[Views]:
    """What there is to show of each subject's cases, as far as there is room, by place."""
    views: list[dict[str, list[object]]] = [{} for _ in rolls]
    for roll, case in _in_turn(rolls):
        if case.failed is None or case.number not in places:
            continue
        view = case_view(case.failed).packed()
        room -= _size(view) + _PER_CELL
        if room < 0:
            break
        views[roll.number][str(places[case.number])] = view
    return list(views)


def _subject(roll: Roll, places: Mapping[int, int]) -> dict[str, object]:
    """One subject as the script reads it, but for its views."""
    states, changes = [ABSENT] * len(places), [ABSENT] * len(places)
    scores: list[float] = [0] * len(places)
    notes: dict[str, str] = {}
    for case in roll.cases:
        place = places.get(case.number)
        if place is None:
            continue
        states[place], changes[place] = STATES[case.state], CHANGES[case.change]
        scores[place] = int(case.score) if case.score.is_integer() else round(case.score, 4)
        if case.note:
            notes[str(place)] = case.note
    told = {"name": roll.name, "states": "".join(states), "changes": "".join(changes)}
    return {**told, "scores": scores, "notes": notes}


def _in_turn(rolls: Sequence[Roll]) -> Iterator[tuple[Roll, Listed]]:
    """Cases that are not right, got worse first, the subjects taking turns."""
    every = [(roll, case) for roll in rolls for case in roll.not_right]
    yield from sorted(every, key=lambda item: (item[1].change != "worse", item[1].number, item[0].number))
