"""The verdict on one subject as text: headline, provenance, the deciding checks that are not kept, cases that got worse."""

from __future__ import annotations

from pathlib import Path

from assay.model.report import Report
from assay.pytest_plugin.runs import Ran
from assay.pytest_plugin.verdict import verdict_on
from tests.builders import baseline_of, evidence, facts
from tests.unit.reporting.reports import CONTROL, controlled, failing, hostile, passing, ratio, report_of, undecided

FOLDER = Path("/runs/r1")


def ran(report: Report) -> Ran:
    return Ran(report, FOLDER)


def test_a_failure_reads_from_the_headline_to_the_cases_that_got_worse() -> None:
    told = verdict_on(ran(failing()), "p")
    assert told.outcome == "FAIL"
    assert told.reason.startswith("FAIL: p: max_drop.recall: ")
    headline, provenance, empty, counted, broken, worse, *rest = told.text.splitlines()
    assert headline == failing().headline
    assert provenance.startswith("  p (gated): ")
    assert (empty, counted.split(":")[0], counted.split("of")[0]) == ("", "FAIL for p", "FAIL for p: 1 ")
    assert broken.startswith("  broken        p: max_drop.recall: ")
    assert worse == "  worse         c2: missing: The user lives in Lyon."
    assert rest == ["", f"Report: {FOLDER / 'report.md'}"]


def test_a_pass_is_told_without_a_check() -> None:
    told = verdict_on(ran(passing()), "p")
    assert told.outcome == "PASS"
    assert "PASS for p: 0 of " in told.text


def test_undefined_and_without_baseline_is_no_verdict() -> None:
    told = verdict_on(ran(undecided()), "p")
    assert told.outcome == "NO VERDICT"
    assert told.reason.startswith("NO VERDICT: p: ")
    assert told.reason.endswith(" (and 1 more)")


def test_a_subject_is_judged_without_the_checks_of_other_subjects() -> None:
    good, poor = evidence({"recall": ratio(3, 3, 0.44, 1.0)}), evidence({"recall": ratio(1, 3, 0.1, 0.8)})
    block = baseline_of(good).providers["p"]
    before = baseline_of(good, providers={"good": block, "poor": block})
    both = report_of({"good": good, "poor": poor}, before, facts("recall"))
    assert both.verdict == "FAIL"
    assert verdict_on(ran(both), "good").outcome == "PASS"
    assert verdict_on(ran(both), "poor").outcome == "FAIL"
    assert verdict_on(ran(both), None).outcome == "FAIL"


def test_a_broken_control_fails_every_subject() -> None:
    told = verdict_on(ran(controlled()), "p")
    assert told.outcome == "FAIL"
    assert "control.keyword" in told.text


def test_a_subject_that_the_report_does_not_hold_is_a_fail() -> None:
    told = verdict_on(ran(passing()), "gone")
    assert (told.outcome, told.text.splitlines()[-1]) == ("FAIL", "gone has no result in the report")


def test_no_text_steers_the_terminal() -> None:
    told = verdict_on(ran(hostile(CONTROL)), "p")
    assert told.outcome == "FAIL"
    assert all(c.isprintable() or c in "\n\t" for c in told.text + told.reason)
