"""What the page's script is given: all cases, details as far as there is room, and a count of what is not there."""

from __future__ import annotations

import json

import pytest

from assay.reporting.case_view import case_view
from assay.reporting.page.listing import rolls_of
from assay.reporting.page.packed import packed_cases
from tests.unit.reporting.page.pages import large
from tests.unit.reporting.page.test_listing import mixed

ROOM = 100_000


def test_everything_is_packed_where_there_is_room() -> None:
    rolls = rolls_of(mixed())
    packed = packed_cases(rolls, ROOM)
    lost, wrong = (case.failed for case in rolls[0].not_right)
    assert lost is not None
    assert wrong is not None

    assert json.loads(packed.data) == {
        "ids": ["c1", "c2", "c3", "c4", "c5", "c9"],
        "numbers": [0, 1, 2, 3, 4, 5],
        "subjects": [
            {
                "name": "p",
                "states": "wwrlr ",
                "changes": ".wb.n ",
                "scores": [0.5, 0.5, 1, 1, 1, 0],
                "notes": {"1": "malformed; flaky", "3": "left out: kept as a guard"},
                "views": {"0": _plain(case_view(wrong).packed()), "1": _plain(case_view(lost).packed())},
            },
            {"name": "a", "states": "r    r", "changes": ".    .", "scores": [1, 0, 0, 0, 0, 1], "notes": {}, "views": {}},
        ],
    }
    assert (packed.listed, packed.unlisted, packed.details, packed.no_details) == (7, 0, 2, 0)


def _plain(value: object) -> object:
    return json.loads(json.dumps(value))


def test_details_that_do_not_fit_are_counted_and_those_that_got_worse_come_first() -> None:
    rolls = rolls_of(mixed())
    bare = len(packed_cases(rolls, 0).data.encode())
    whole = packed_cases(rolls, ROOM)
    packed = packed_cases(rolls, len(whole.data.encode()) - 1)

    assert bare < len(packed.data.encode()) < len(whole.data.encode())
    assert list(json.loads(packed.data)["subjects"][0]["views"]) == ["1"]
    assert (packed.details, packed.no_details, packed.unlisted) == (1, 1, 0)


def test_where_not_all_cases_fit_those_that_matter_come_first() -> None:
    packed = packed_cases(rolls_of(large(1_000, wrong_each=10)), 8_000)
    data = json.loads(packed.data)

    assert set(data["ids"]) > {f"case-{number:05d}" for number in range(0, 1_000, 10)}
    assert data["ids"] == sorted(data["ids"]) == [f"case-{number:05d}" for number in data["numbers"]]
    assert packed.listed == len(data["ids"]) < 300
    assert packed.listed + packed.unlisted == 1_000
    assert packed.no_details == 100 - packed.details > 0


def test_without_room_nothing_is_packed_and_all_is_counted() -> None:
    packed = packed_cases(rolls_of(large(20, wrong_each=2)), 0)

    assert json.loads(packed.data)["ids"] == []
    assert (packed.listed, packed.unlisted, packed.details, packed.no_details) == (0, 20, 0, 10)


@pytest.mark.parametrize("room", [500, 2_000, 10_000, 30_000, 60_000, 200_000])
def test_what_is_packed_keeps_within_its_room(room: int) -> None:
    assert len(packed_cases(rolls_of(large(500, wrong_each=3)), room).data.encode()) <= room


def test_no_subject_gives_an_empty_list() -> None:
    packed = packed_cases([], ROOM)

    assert json.loads(packed.data) == {"ids": [], "numbers": [], "subjects": []}
    assert (packed.listed, packed.unlisted, packed.details, packed.no_details) == (0, 0, 0, 0)
