"""The drop that a gated metric may take: percentage points, decimal-safe, both directions."""

from __future__ import annotations

from decimal import Decimal

import pytest

from assay.drops import drop_pp
from assay.gate import judge
from assay.model.report import Judgement
from assay.model.score import Measure
from assay.model.suite import GateRule
from assay.model.verdict import Check
from tests.builders import baseline_of, evidence, facts, metric

# In binary 1.0 - 0.97 is 0.030000000000000027 and 0.29 - 0.26 is 0.02999999999999997; 200/300 - 191/300 is 9/300.
EXACTLY_THREE = [(0.97, 1.0), (0.26, 0.29), (0.54, 0.57), (0.07, 0.1), (0.0, 0.03), (191 / 300, 2 / 3)]
OVER_THREE = [(0.9699, 1.0), (0.2599, 0.29), (0.5399, 0.57), (0.0, 0.0301), (190 / 300, 2 / 3)]


def worse(now: float, before: float, *, lower: bool = False, allowed: float = 3.0) -> Judgement:
    direction = Measure(direction="lower" if lower else "higher")
    rule = GateRule(metrics=("recall",), max_drop_pp=allowed)
    about = facts(rule=rule, measures={"recall": direction})
    base = baseline_of(evidence({"recall": metric(before)}))
    return judge({"p": evidence({"recall": metric(now)})}, base, about, declared={"p": "ci"})


def drop_check(judgement: Judgement) -> Check:
    return next(check for check in judgement.providers["p"].checks if check.name == "max_drop.recall")


@pytest.mark.parametrize(("now", "before"), EXACTLY_THREE)
def test_a_drop_of_exactly_the_tolerance_is_kept(now: float, before: float) -> None:
    assert worse(now, before).verdict == "PASS"


@pytest.mark.parametrize(("now", "before"), OVER_THREE)
def test_a_drop_over_the_tolerance_is_broken(now: float, before: float) -> None:
    judgement = worse(now, before)
    assert judgement.verdict == "FAIL"
    assert drop_check(judgement).status == "broken"


@pytest.mark.parametrize("n", [100, 300, 700, 1100])
def test_three_rows_in_a_hundred_are_kept_and_one_more_is_broken_at_every_count(n: int) -> None:
    allowed = 3 * n // 100
    for before in range(allowed + 1, n + 1):
        assert drop_pp((before - allowed) / n, before / n, "higher") == 3
        assert drop_pp((before - allowed - 1) / n, before / n, "higher") > 3


@pytest.mark.parametrize(
    ("now", "before", "verdict"), [(0.03, 0.0, "PASS"), (0.0301, 0.0, "FAIL"), (0.2, 0.9, "PASS"), (0.9, 0.2, "FAIL")]
)
def test_where_lower_is_better_a_rise_breaks_and_a_fall_does_not(now: float, before: float, verdict: str) -> None:
    assert worse(now, before, lower=True).verdict == verdict


def test_the_suite_sets_the_tolerance() -> None:
    assert worse(0.5, 0.5, allowed=0.0).verdict == "PASS"
    assert worse(0.4999999, 0.5, allowed=0.0).verdict == "FAIL"
    assert worse(0.45, 0.5, allowed=5.0).verdict == "PASS"


def test_drop_is_negative_for_better_and_follows_the_direction() -> None:
    assert drop_pp(0.9, 0.8, "higher") == Decimal(-10)
    assert drop_pp(0.9, 0.8, "lower") == Decimal(10)


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (1.0, "recall 1.0000 (n=100) against 0.9000 (n=100): 10 pp better, at most 3.0 pp worse allowed"),
        (0.88, "recall 0.8800 (n=100) against 0.9000 (n=100): 2 pp worse, at most 3.0 pp worse allowed"),
        (0.8625, "recall 0.8625 (n=100) against 0.9000 (n=100): 3.75 pp worse, at most 3.0 pp worse allowed"),
    ],
)
def test_a_metric_check_shows_both_values_with_n_and_the_change(now: float, told: str) -> None:
    assert drop_check(worse(now, 0.9)).message == told


def test_a_drop_just_over_the_tolerance_does_not_read_as_the_tolerance() -> None:
    check = drop_check(worse(0.96999, 1.0))  # 3.001 pp
    assert check.status == "broken"
    assert ": 3 pp worse, at most 3.0 pp" not in check.message
