"""The history as people read it: what is drawn, and how many runs, trends and lines are not."""

from __future__ import annotations

import pytest

from assay.model.history import History
from assay.reporting.page.notes import RunNotes
from tests.unit.history_lines import line, share
from tests.unit.reporting.page.pages import notes, page, section
from tests.unit.reporting.reports import TIMING, failing

HISTORY = """\
openai
recall
0.9590.826
2026-09-012026-09-02
0.9200 [0.850-0.959]; +2.00 pp against the run before"""
DAYS = [f"2026-{month:02d}-{day:02d}T10:00:00+00:00" for month in (1, 2) for day in range(1, 21)]
LONG = tuple(line(1, at=day) for day in DAYS)


def test_a_history_is_drawn_and_told() -> None:
    found = page(failing(), notes(line(1), line(2, {"recall": share(92)})))

    assert section(found, "history").endswith("\n" + HISTORY)
    (drawn,) = found.one(id="history").every("polyline")
    # Wilson's intervals reach from 0.8256 (90 of 100) to 0.9589 (92 of 100): 8 + 48 * (1 - (0.9 - 0.8256) / 0.1333) = 29.2
    assert drawn.attributes == {"points": "10.0,29.2 310.0,22.0"}


def test_three_trends_of_a_subject_are_open_and_the_others_folded() -> None:
    names = ["a_macro", "b", "c", "d", "e"]
    history = page(failing(), notes(line(1, dict.fromkeys(names, share(90))))).one(id="history")

    assert [one.text for one in history.every("figcaption")] == names
    assert [one.text for one in history.one("details").every("figcaption")] == ["d", "e"]
    assert history.one("summary").text == "2 more trends of openai"


def history_of(history: History) -> str:
    return section(page(failing(), RunNotes(TIMING, history, None)), "history")


def test_lines_that_were_not_looked_at_are_counted_and_no_other_count_is_said_to_be_whole() -> None:
    told = history_of(History(LONG, before=7))

    assert told.endswith("\n7 older lines of the history are not looked at; assay history extraction shows them.")
    assert "\nat least 10 older runs not drawn\n" in told
    assert "; one run looked at, no trend" in history_of(History(LONG[:1], before=7))


def test_where_all_lines_were_looked_at_counts_are_whole() -> None:
    told = history_of(History(LONG))

    assert told.endswith("\n10 older runs not drawn")
    assert "; one run, no trend" in history_of(History(LONG[:1]))


def test_a_single_line_that_was_not_looked_at_is_told_in_the_singular() -> None:
    told = history_of(History(LONG[:2], before=1))
    assert told.endswith("\n1 older line of the history is not looked at; assay history extraction shows it.")


def test_trends_that_are_not_drawn_are_counted_as_far_as_lines_were_looked_at() -> None:
    many = line(1, {f"m{number}": share(90) for number in range(61)})

    assert "\n1 more trend is not drawn; assay history extraction shows it." in history_of(History((many,)))
    assert "\nAt least 1 more trend is not drawn; assay history extraction shows it." in history_of(History((many,), before=2))


@pytest.mark.parametrize("history", [History(before=3), History(unreadable=3)])
def test_a_history_without_a_readable_line_is_not_said_to_be_empty(history: History) -> None:
    told = history_of(history)

    assert "No line of the history that was looked at can be read." in told
    assert "has left a line" not in told
