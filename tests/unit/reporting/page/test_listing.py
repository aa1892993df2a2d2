"""Every case of every subject: what it came to, how it changed, and which one comes first."""

from __future__ import annotations

from assay.model.report import FailedCase, Report
from assay.model.verdict import CaseOutcome
from assay.reporting.page.listing import rolls_of
from tests.builders import baseline_of, evidence, facts
from tests.unit.reporting.reports import RIGHT, WRONG, controlled, failing, manual, passing, ratio, report_of

LOST = FailedCase(status="malformed", reason="no JSON", detail={})
WRONG_HERE = FailedCase(status="scored", reason=None, detail={})
SPARE = CaseOutcome(passed=True, score=1.0, left_out="kept as a guard")


def mixed() -> Report:
    """c1 stayed wrong, c2 got worse and was flaky, c3 got better, c4 is left out, c5 is new."""
    metrics = {"recall": ratio(3, 5, 0.2, 0.9)}
    before = evidence(metrics, cases={"c1": WRONG, "c2": RIGHT, "c3": WRONG, "c4": SPARE})
    after = evidence(
        metrics,
        cases={"c1": WRONG, "c2": WRONG, "c3": RIGHT, "c4": SPARE, "c5": RIGHT},
        failed={"c1": WRONG_HERE, "c2": LOST},
        stability={"c2": "flaky"},
    )
    other = evidence(metrics, enforcement="manual", cases={"c9": RIGHT, "c1": RIGHT})
    return report_of({"a": other, "p": after, "q": manual()}, baseline_of(before), facts("recall", cases=5))


def test_each_case_says_what_it_came_to_and_how_it_changed() -> None:
    roll, _ = rolls_of(mixed())

    assert [(case.number, case.id, case.state, case.change, case.note) for case in roll.cases] == [
        (0, "c1", "wrong", "", ""),
        (1, "c2", "wrong", "worse", "malformed; flaky"),
        (2, "c3", "right", "better", ""),
        (3, "c4", "left out", "", "left out: kept as a guard"),
        (4, "c5", "right", "new", ""),
    ]


def test_gated_subjects_come_first_and_cases_have_one_number_for_all() -> None:
    gated, other = rolls_of(mixed())

    assert [(roll.number, roll.name, roll.is_gated) for roll in (gated, other)] == [(0, "p", True), (1, "a", False)]
    assert [(case.id, case.number) for case in other.cases] == [("c9", 5), ("c1", 0)]
    assert [other.anchor(case) for case in other.cases] == ["case-1-5", "case-1-0"]


def test_what_got_worse_comes_first_among_what_is_not_right() -> None:
    assert [case.id for case in rolls_of(mixed())[0].not_right] == ["c2", "c1"]


def test_controls_and_subjects_without_cases_have_no_roll() -> None:
    assert [roll.name for roll in rolls_of(controlled())] == ["p"]
    assert [roll.name for roll in rolls_of(passing())] == ["p"]


def test_changes_are_found_by_their_way() -> None:
    (roll,) = rolls_of(failing())

    assert [case.id for case in roll.changed("worse")] == ["c2"]
    assert roll.changed("better") == ()
