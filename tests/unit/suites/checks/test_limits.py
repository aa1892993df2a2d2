"""What a score over checks does not say."""

from __future__ import annotations

import pytest

from assay.model.report import Comparison, ProviderReport, Report
from assay.suites.checks.limits import limits
from tests.builders import evidence, facts, metric

PLANTED = "How often real outputs are wrong: planted faults show that a check notices them, not how many there are."
ALWAYS = [
    "Faults that no check looks for: a case passes when its checks come out as expected, and says nothing of the rest.",
]
JUDGED = "Judgement: tone has not been calibrated against people, so it is advisory: it gates nothing."


def report(planted_noticed: float | None, *advisory: str) -> Report:
    found = evidence({"cases_passed": metric(1.0), "planted_noticed": metric(planted_noticed)})
    compared = Comparison(metrics=0, cases=0)
    provider = ProviderReport(**dict(found), checks=(), compared=compared, baseline={}, baseline_refreshed=None)
    run = facts("cases_passed", "planted_noticed", advisory=advisory)
    return Report(
        format=1, verdict="PASS", headline="", facts=run, checks=(), providers={"p": provider}, head_to_head=(), limits=()
    )


def test_faults_that_nobody_looks_for_are_always_told() -> None:
    assert limits(report(None)) == ALWAYS


def test_a_judge_that_nobody_calibrated_is_named() -> None:
    assert limits(report(None, "tone", "tone_score")) == [*ALWAYS, JUDGED]


@pytest.mark.parametrize("noticed", [0.0, 0.5, 1.0])
def test_where_faults_were_planted_it_is_told_that_they_count_no_real_ones(noticed: float) -> None:
    assert limits(report(noticed)) == [*ALWAYS, PLANTED]
