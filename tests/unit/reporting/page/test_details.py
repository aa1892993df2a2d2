"""What stands in the page without a script: fifty cases of a gated subject, as far as there is room, and the rest counted."""

from __future__ import annotations

from assay.reporting.page.details import Name, Names, subject_cases
from assay.reporting.page.listing import rolls_of
from tests.builders import baseline_of, evidence, facts
from tests.unit.reporting.page.pages import large
from tests.unit.reporting.page.test_listing import WRONG_HERE, mixed
from tests.unit.reporting.reports import RIGHT, WRONG, ratio, report_of

LONG = "日" * 700
"""As much of a text as a page shows, in three bytes a sign."""


def test_a_subject_is_told_in_numbers_names_and_details() -> None:
    (gated, other) = subject_cases(rolls_of(mixed()))

    assert (gated.cases, gated.right, gated.left_out, gated.compared) == (5, 2, 1, 4)
    assert gated.changes == (
        Names("worse", (Name("case-0-1", "c2", has_details=True),), 1),
        Names("better", (Name("case-0-2", "c3", has_details=False),), 1),
        Names("new", (Name("case-0-4", "c5", has_details=False),), 1),
    )
    assert [(detail.anchor, detail.case.id) for detail in gated.details] == [("case-0-1", "c2"), ("case-0-0", "c1")]
    assert (gated.not_right, gated.more) == (2, 0)
    assert (other.name, other.details) == ("a", ())


def test_at_most_fifty_cases_stand_there_and_ten_are_printed() -> None:
    (told,) = subject_cases(rolls_of(large(200, wrong_each=2)))

    assert (len(told.details), told.not_right, told.more) == (50, 100, 50)
    assert [detail.is_printed for detail in told.details] == [True] * 10 + [False] * 40


def test_fewer_stand_there_where_each_is_long() -> None:
    (told,) = subject_cases(rolls_of(large(200, wrong_each=2, content=LONG)))

    assert 0 < len(told.details) < 50
    assert len(told.details) + told.more == 100


def test_at_most_fifty_names_are_listed_and_the_rest_is_counted() -> None:
    names = [f"c{number}" for number in range(60)]
    metrics = {"recall": ratio(3, 5, 0.2, 0.9)}
    before = evidence(metrics, cases=dict.fromkeys(names, RIGHT))
    after = evidence(metrics, cases=dict.fromkeys(names, WRONG), failed=dict.fromkeys(names, WRONG_HERE))
    (told,) = subject_cases(rolls_of(report_of({"p": after}, baseline_of(before), facts("recall", cases=60))))

    assert (told.changes[0].count, len(told.changes[0].shown), told.changes[0].more) == (60, 50, 10)


def test_a_gated_subject_that_needs_little_room_leaves_it_to_the_next() -> None:
    wordy = large(200, wrong_each=2, content=LONG).providers["p"]
    alone = subject_cases(rolls_of(large(200, wrong_each=2, content=LONG)))[0]
    flawless = wordy.model_copy(update={"failed": {}})
    report = large(200, wrong_each=2).model_copy(update={"providers": {"a": flawless, "p": wordy}})

    assert [len(told.details) for told in subject_cases(rolls_of(report))] == [0, len(alone.details)]
