"""Trends as drawings: the axis begins at 10 and is 300 long, the vertical one begins at 8 and is 48 high."""

from __future__ import annotations

import pytest

from assay.model.history import History
from assay.reporting.page.trends import Trend, trends_told
from tests.unit.history_lines import digest, line, real, undefined
from tests.unit.reporting.test_history_text import ten_runs


def trend(*values: float | None) -> Trend:
    """The trend of a metric between 0 and 1 with so many runs; None is undefined."""
    metrics = [undefined() if value is None else real(value, 0.0, 1.0) for value in values]
    lines = tuple(line(number, {"m": metric}) for number, metric in enumerate(metrics, start=1))
    (found,) = trends_told(History(lines=lines)).shown
    return found


def test_runs_stand_at_equal_distances_and_as_high_as_their_values() -> None:
    found = trend(0.25, 0.5, 1.0)

    assert [(dot.x, dot.y, dot.low, dot.high) for dot in found.dots] == [
        (10.0, 44.0, 56.0, 8.0),  # 8 + 48 * 0.75
        (160.0, 32.0, 56.0, 8.0),
        (310.0, 8.0, 56.0, 8.0),
    ]
    assert found.lines == ("10.0,44.0 160.0,32.0 310.0,8.0",)
    assert (found.ends, found.days) == (("0", "1"), ("2026-09-01", "2026-09-03"))
    assert (found.latest, found.change) == ("1.0000 [0.000-1.000]", "+50.00 pp against the run before")


def test_what_is_undefined_is_told_and_breaks_the_line() -> None:
    found = trend(0.25, 0.5, None, 0.5, 0.75)

    assert found.dots[2].y is None
    assert found.dots[2].label == "2026-09-03: undefined: no memories predicted"
    assert found.lines == ("10.0,44.0 85.0,32.0", "235.0,32.0 310.0,20.0")
    assert found.notes == ("2026-09-03: undefined: no memories predicted",)


def test_one_run_stands_in_the_middle_and_has_no_line() -> None:
    found = trend(0.5)

    assert [(dot.x, dot.y) for dot in found.dots] == [(160.0, 32.0)]
    assert (found.lines, found.change) == ((), "")


def test_no_line_crosses_a_change_of_contract_and_a_mark_stands_between() -> None:
    gold = {1: "one", 2: "one", 3: "another", 4: "another"}
    lines = tuple(line(number, {"m": real(0.5, 0.0, 1.0)}, gold_sha256=digest(name)) for number, name in gold.items())
    (found,) = trends_told(History(lines=lines)).shown

    assert found.lines == ("10.0,32.0 110.0,32.0", "210.0,32.0 310.0,32.0")
    assert found.marks == (160.0,)
    assert found.notes[0].startswith("2026-09-03: gold set v1 ")
    assert found.notes[0].endswith(": the trend starts again")


def test_a_sample_is_drawn_apart_and_the_line_passes_it() -> None:
    (found, other) = trends_told(History(lines=ten_runs())).shown

    assert [dot.in_trend for dot in found.dots] == [True] * 5 + [False] + [True] * 4
    assert [drawn.count(",") for drawn in found.lines] == [5, 4]
    assert "2026-09-06: not in the trend: sample of 10" in found.notes
    assert (other.provider, other.lines) == ("smollm2", ())


def test_equal_values_without_an_interval_stand_in_the_middle() -> None:
    bare = real(0.5, 0.0, 1.0).model_copy(update={"low": None, "high": None})
    (found,) = trends_told(History(lines=(line(1, {"m": bare}), line(2, {"m": bare})))).shown

    assert [(dot.y, dot.low) for dot in found.dots] == [(32.0, None), (32.0, None)]
    assert (found.ends, found.change) == (("0.495", "0.505"), "0 against the run before")


def test_a_run_in_which_the_metric_was_not_gated_is_told() -> None:
    (found, _) = trends_told(History(lines=(line(1, {"m": real(0.5, 0.0, 1.0)}), line(2, {"n": real(0.5, 0.0, 1.0)})))).shown

    assert (found.metric, found.latest) == ("m", "not gated in this run")
    assert found.notes == ("2026-09-02: not gated in that run",)


def test_only_the_newest_runs_are_drawn_and_the_rest_is_counted() -> None:
    days = [f"2026-{month:02d}-{day:02d}T10:00:00+00:00" for month in (1, 2) for day in range(1, 21)]
    lines = [line(1, {"m": real(0.5, 0.0, 1.0)}, at=day) for day in days]
    (found,) = trends_told(History(lines=tuple(lines))).shown

    assert (len(found.dots), found.older) == (30, 10)


def test_fewer_runs_are_drawn_where_there_are_many_trends() -> None:
    many = {f"m{number}": real(0.5, 0.0, 1.0) for number in range(60)}
    found = trends_told(History(lines=tuple(line(number, many) for number in range(1, 26))))

    assert {(len(one.dots), one.older) for one in found.shown} == {(20, 5)}  # 60 times 20 are the 1,200 dots that are drawn


def test_the_newest_notes_are_shown_and_the_rest_is_counted() -> None:
    (found,) = trends_told(History(lines=tuple(line(n, {"m": undefined(f"reason {n}")}) for n in range(1, 9)))).shown

    assert [note.rpartition(" ")[2] for note in found.notes] == ["4", "5", "6", "7", "8"]
    assert found.more_notes == 3


def test_trends_beyond_the_limit_are_counted() -> None:
    many = {f"m{number}": real(0.5, 0.0, 1.0) for number in range(65)}
    found = trends_told(History(lines=(line(1, many),), unreadable=2, repeated=3))

    assert (len(found.shown), found.more, found.unreadable, found.repeated) == (60, 5, 2, 3)


def test_other_numbers_than_shares_change_without_points() -> None:
    lines = (line(1, {"m": real(2.0, 1.0, 3.0)}), line(2, {"m": real(2.5, 1.0, 3.0)}))
    assert trends_told(History(lines=lines)).shown[0].change == "+0.5000 against the run before"


@pytest.mark.parametrize("history", [History(), History(unreadable=1)])
def test_no_line_gives_no_trend(history: History) -> None:
    assert trends_told(history).shown == ()
