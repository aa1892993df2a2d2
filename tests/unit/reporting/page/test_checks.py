"""Checks with what they belong to, the pressing ones first."""

from __future__ import annotations

from assay.model.verdict import Check
from assay.reporting.page.checks import check_groups, counts_text, not_kept
from tests.unit.reporting.reports import failing


def test_checks_are_grouped_and_counted() -> None:
    groups = check_groups(failing())

    assert [(group.of, group.counts) for group in groups] == [("suite extraction", "1 kept"), ("p", "1 broken, 2 kept")]
    assert [(of, check.name) for of, check in not_kept(groups)] == [("p", "max_drop.recall")]


def test_what_decides_comes_before_what_does_not_and_broken_before_could_not_run() -> None:
    could_not = Check(name="could", status="could-not-run", message="m")
    broken = Check(name="not", status="broken", message="m")
    report = failing()
    beside = report.providers["p"].model_copy(update={"enforcement": "manual", "checks": (broken,)})
    report = report.model_copy(update={"checks": (could_not,), "providers": {"a": beside, **report.providers}})

    assert [(of, check.name, check.decides) for of, check in not_kept(check_groups(report))] == [
        ("p", "max_drop.recall", True),
        ("suite extraction", "could", True),
        ("a", "not", False),
    ]


def test_no_check_is_not_no_fault() -> None:
    assert counts_text([]) == "no checks"
