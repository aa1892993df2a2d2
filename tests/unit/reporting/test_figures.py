"""Numbers as text: undefined is a word, and plus is for the better."""

from __future__ import annotations

from decimal import Decimal

import pytest

from assay.model.report import Comparison, HeadToHead, ProviderReport
from assay.model.score import Measure
from assay.model.verdict import Check, Metric
from assay.reporting.figures import (
    change_text,
    compared_text,
    count_text,
    gain_pp,
    head_to_head_text,
    interval_text,
    is_control,
    side_by_side,
    value_text,
)
from tests.builders import control_evidence, evidence, facts, metric
from tests.unit.reporting.reports import controlled, passing, ratio, report_of, undefined

NOTHING = undefined("no rows")


def compared(now: Metric, before: Metric | None) -> ProviderReport:
    baseline = {} if before is None else {"m": before}
    return ProviderReport(
        **dict(evidence({"m": now})),
        checks=(),
        compared=Comparison(cases=0, metrics=0),
        baseline=baseline,
        baseline_refreshed=None,
    )


def test_an_undefined_metric_has_no_number_anywhere() -> None:
    run = facts("m")
    told = (value_text(NOTHING), count_text("m", NOTHING), interval_text(NOTHING))
    assert told == ("undefined", "no rows", "")
    assert change_text("m", compared(NOTHING, ratio(1, 1, 0.0, 1.0)), run) == ""
    assert change_text("m", compared(ratio(1, 1, 0.0, 1.0), NOTHING), run) == ""
    assert change_text("m", compared(ratio(1, 1, 0.0, 1.0), None), run) == ""
    assert gain_pp("m", compared(NOTHING, ratio(1, 1, 0.0, 1.0)), run) is None


def test_a_share_shows_its_rows_and_a_mean_its_classes() -> None:
    assert count_text("recall", ratio(212, 230, 0.8, 0.9)) == "212/230"
    assert count_text("recall_macro", ratio(5, 5, 0.8, 0.9)) == "mean of 5"


def test_values_and_intervals_have_fixed_digits() -> None:
    two_thirds = ratio(2, 3, 0.2, 0.93)
    assert (value_text(two_thirds), interval_text(two_thirds)) == ("0.6667", "0.200-0.930")


@pytest.mark.parametrize(
    ("now", "before", "direction", "text"),
    [
        # 97/100 against 100/100: 3 points worse when higher is better, 3 points better when lower is.
        (97, 100, "higher", "-3.00 pp"),
        (97, 100, "lower", "+3.00 pp"),
        (100, 97, "higher", "+3.00 pp"),
        (97, 97, "higher", "0"),
    ],
)
def test_plus_is_a_change_for_the_better(now: int, before: int, direction: str, text: str) -> None:
    run = facts("m", measures={"m": Measure.model_validate({"direction": direction})})
    found = compared(ratio(now, 100, 0.0, 1.0), ratio(before, 100, 0.0, 1.0))
    assert change_text("m", found, run) == text
    assert gain_pp("m", found, run) == Decimal(text.removesuffix(" pp"))


@pytest.mark.parametrize(
    ("metrics", "cases", "text"),
    [
        (0, 0, "compared with nothing"),
        (1, 1, "compared with the baseline of 2026-11-30: 1 metric, 1 case"),
        (2, 0, "compared with the baseline of 2026-11-30: 2 metrics, 0 cases"),
    ],
)
def test_what_was_compared_is_counted(metrics: int, cases: int, text: str) -> None:
    counts = {"compared": Comparison(cases=cases, metrics=metrics), "baseline_refreshed": "2026-11-30"}
    assert compared_text(compared(NOTHING, None).model_copy(update=counts)) == text


def test_a_sum_of_shares_shows_its_fraction() -> None:
    assert count_text("recall@5", ratio(9, 14, 0.4, 0.8).model_copy(update={"numerator": 9.25})) == "9.25/14"


def test_an_interval_that_goes_below_zero_is_not_read_as_a_minus_sign() -> None:
    assert interval_text(ratio(1, 2, -0.25, 0.5)) == "-0.250 to 0.500"


def test_a_row_per_provider_with_numbers_by_the_metrics_of_the_controls() -> None:
    assert side_by_side(controlled()) == [
        ["provider", "role", "recall", "mrr"],
        ["constant", "trivial", "undefined", ""],
        ["hashes", "negative", "0.1000", ""],
        ["keyword", "positive", "0.4000", "0.3000"],
        ["p", "subject", "0.9000", "0.8000"],
    ]


def test_every_metric_that_a_control_is_judged_by_has_a_column() -> None:
    metrics = {name: metric(0.5) for name in ("a", "b", "c", "d")}
    found = {
        "p": evidence(metrics),
        "k": control_evidence("positive_control", metrics, "b"),
        "t": control_evidence("trivial_strategy", metrics, "c"),
        "n": control_evidence("negative_control", metrics, "d"),
    }
    assert side_by_side(report_of(found, None, facts("a", "b", "c", "d")))[0] == ["provider", "role", "b", "d", "c"]


def test_without_controls_the_first_gated_metrics_stand_side_by_side() -> None:
    assert side_by_side(passing()) == [["provider", "role", "recall", "precision_macro"], ["p", "subject", "1.0000", "1.0000"]]


@pytest.mark.parametrize(
    ("name", "of_controls"),
    [("control.keyword", True), ("saturated.recall", True), ("controls", False), ("calibration", False)],
)
def test_checks_of_controls_are_told_apart_by_their_names(name: str, of_controls: bool) -> None:
    assert is_control(Check(name=name, status="kept", message="m")) == of_controls


def duel(wins: int = 0, losses: int = 0, ties: int = 0, difference: Metric = NOTHING, **left_out: str) -> HeadToHead:
    names = [f"q{i}" for i in range(wins + losses + ties)]
    return HeadToHead(
        subject="p",
        against="k",
        metric="recall@5",
        wins=tuple(names[:wins]),
        losses=tuple(names[wins : wins + losses]),
        ties=tuple(names[wins + losses :]),
        left_out=left_out,
        difference=difference,
    )


def test_a_head_to_head_reads() -> None:
    assert head_to_head_text(duel(2, 1, 1, ratio(1, 4, -0.1, 0.6), a="a guard", b="a guard", c="no result of k")) == (
        "p against k by recall@5 over 4 of 7 cases: 2 won, 1 lost (q2), 1 tied; mean difference +0.2500 [-0.100 to 0.600]. "
        "Left out: a, b (a guard); c (no result of k)"
    )


def test_a_head_to_head_over_no_case_claims_no_mean() -> None:
    assert head_to_head_text(duel()) == "p against k by recall@5 over 0 of 0 cases: 0 won, 0 lost, 0 tied"


def test_a_mean_difference_for_the_worse_has_its_sign_and_one_case_has_no_interval() -> None:
    alone = ratio(-1, 2, 0.0, 0.0).model_copy(update={"low": None, "high": None})
    assert head_to_head_text(duel(losses=1, difference=alone)).endswith("1 lost (q0), 0 tied; mean difference -0.5000")


def test_of_many_losses_and_left_out_cases_only_the_first_are_named() -> None:
    text = head_to_head_text(duel(losses=6, **{f"c{i}": "a guard" for i in range(6)}))
    assert "6 lost (q0, q1, q2, q3, q4 …)" in text
    assert text.endswith("Left out: c0, c1, c2, c3, c4 … (a guard)")
    assert "5 lost (q0, q1, q2, q3, q4), " in head_to_head_text(duel(losses=5))
