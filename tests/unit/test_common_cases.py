"""The head's outcomes against the merge base's baseline, over the cases that the change left alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.common_cases import common_checks
from assay.model.baseline import Block
from assay.model.report import Evidence, RunFacts
from assay.model.score import Measure, Ratio
from assay.model.suite import GateRule
from assay.model.verdict import Check
from tests.builders import baseline_of, facts, metric, recording
from tests.unit.live_builders import Cases, cases, found, outcome, right, share, wrong

ACCURACY: Mapping[str, Measure] = {"accuracy": share()}
RULE = GateRule(metrics=("accuracy",), max_drop_pp=3.0)
EVERY = frozenset(f"c{i:03}" for i in range(200))


def block(outcomes: Cases, measures: Mapping[str, Measure] = ACCURACY, **changes: Any) -> Block:
    """The merge base's block of these outcomes."""
    published = baseline_of(found(outcomes, measures)).providers["p"]
    assert published is not None
    return published.model_copy(update=changes)


def about(measures: Mapping[str, Measure] = ACCURACY, **changes: Any) -> RunFacts:
    return facts(measures=dict(measures), rule=RULE, **changes)


def checked(
    now: Cases | Evidence,
    then: Cases | Block,
    unchanged: frozenset[str] = EVERY,
    rule: GateRule = RULE,
    measures: Mapping[str, Measure] = ACCURACY,
) -> list[Check]:
    evidence = now if isinstance(now, Evidence) else found(now, measures)
    before = then if isinstance(then, Block) else block(then, measures)
    return common_checks("p", evidence, before, about(measures), unchanged, rule)


def only(*arguments: Any, **named: Any) -> tuple[str, str, str]:
    (check,) = checked(*arguments, **named)
    return check.name, check.status, check.message


def test_the_same_outcomes_are_kept_and_both_values_are_told() -> None:
    assert only(cases(right(9), wrong(1)), cases(right(9), wrong(1))) == (
        "base.accuracy",
        "kept",
        "accuracy 0.9000 (n=10) against 0.9000 (n=10) at the merge base over 10 unchanged cases: unchanged, "
        "at most 3.0 pp worse allowed",
    )


def test_a_drop_beyond_the_merge_bases_tolerance_is_broken() -> None:
    # 90 of 100 right before, 86 now: 4 pp worse
    assert only(cases(right(86), wrong(14)), cases(right(90), wrong(10))) == (
        "base.accuracy",
        "broken",
        "accuracy 0.8600 (n=100) against 0.9000 (n=100) at the merge base over 100 unchanged cases: 4 pp worse, "
        "at most 3.0 pp worse allowed",
    )


@pytest.mark.parametrize(("lost", "status"), [(2, "kept"), (3, "kept"), (4, "broken")])
def test_the_tolerance_itself_is_kept(lost: int, status: str) -> None:
    assert only(cases(right(90 - lost), wrong(10 + lost)), cases(right(90), wrong(10)))[1] == status


@pytest.mark.parametrize(("value", "base", "status"), [(0.97, 1.0, "kept"), (0.7, 0.73, "kept"), (0.69, 0.73, "broken")])
def test_tolerances_are_exact_in_decimals(value: float, base: float, status: str) -> None:
    now, then = (cases(right(round(x * 100)), wrong(100 - round(x * 100))) for x in (value, base))
    assert only(now, then)[1] == status


def test_the_merge_bases_tolerance_counts_and_not_the_heads() -> None:
    now, then = cases(right(86), wrong(14)), cases(right(90), wrong(10))
    assert only(now, then, rule=GateRule(metrics=("accuracy",), max_drop_pp=5))[1] == "kept"
    assert only(now, then, rule=GateRule(metrics=("accuracy",), max_drop_pp=0))[1] == "broken"


def test_the_merge_bases_metrics_count_and_not_the_heads() -> None:
    measures = {**ACCURACY, "errors": share(right="failed", direction="lower")}
    rule = GateRule(metrics=("errors", "accuracy"), max_drop_pp=3.0)
    now = cases((5, outcome(passed=True, right=1, asked=1)), (5, outcome(passed=False, failed=1, asked=1)))
    then = cases((10, outcome(passed=True, right=1, asked=1)))
    assert [(c.name, c.status) for c in checked(now, then, rule=rule, measures=measures)] == [
        ("base.errors", "broken"),
        ("base.accuracy", "broken"),
    ]


def test_a_lower_rate_of_errors_is_better() -> None:
    measures = {"accuracy": share(right="failed", direction="lower")}
    now, then = cases((10, outcome(passed=True, asked=1))), cases((10, outcome(passed=False, failed=1, asked=1)))
    name, status, message = only(now, then, measures=measures)
    assert (name, status) == ("base.accuracy", "kept")
    assert "100 pp better" in message


def test_cases_that_changed_or_are_new_count_on_neither_side() -> None:
    # c000 to c009 are wrong before and right now, but edited; of the other 90, 90 were right and 80 are
    then = cases(wrong(10), right(90))
    now = {**cases(right(90), wrong(10)), "new": outcome(passed=True, right=1, asked=1)}
    name, status, message = only(now, then, EVERY - {f"c{i:03}" for i in range(10)})
    assert (name, status) == ("base.accuracy", "broken")
    assert message.startswith(
        "accuracy 0.8889 (n=90) against 1.0000 (n=90) at the merge base over 90 unchanged cases: 11.11 pp"
    )


def test_a_case_that_the_baseline_lacks_is_no_matter() -> None:
    assert only(cases(right(3)), cases(right(2)))[1:] == (
        "kept",
        "accuracy 1.0000 (n=2) against 1.0000 (n=2) at the merge base over 2 unchanged cases: unchanged, "
        "at most 3.0 pp worse allowed",
    )


@pytest.mark.parametrize("unchanged", [frozenset(), frozenset({"elsewhere"})])
def test_no_case_in_common_is_never_kept(unchanged: frozenset[str]) -> None:
    assert only(cases(right(3)), cases(right(2)), unchanged) == (
        "base",
        "could-not-run",
        "no case of the merge base's baseline is unchanged (2 in it, 3 now)",
    )


def test_an_unchanged_case_without_a_result_is_never_kept() -> None:
    assert only(cases(right(1)), cases(right(8))) == (
        "base",
        "could-not-run",
        "7 of 8 unchanged cases have no result: c001, c002, c003, c004, c005 and 2 more",
    )


def test_a_metric_without_rows_over_the_common_cases_is_never_kept() -> None:
    silent = cases((2, outcome(passed=True)), right(2))
    name, status, message = only(silent, silent, frozenset({"c000", "c001"}))
    assert (name, status) == ("base.accuracy", "could-not-run")
    assert message.startswith("accuracy of the run is undefined over the 2 unchanged cases: ")


def test_a_metric_that_lost_its_rows_on_one_side_only_is_never_kept() -> None:
    now, then = cases((2, outcome(passed=True)), right(2)), cases(right(4))
    assert only(now, then, frozenset({"c000", "c001"}))[1] == "could-not-run"
    assert "of the merge base is undefined" in only(then, now, frozenset({"c000", "c001"}))[2]


def test_a_metric_with_a_fixed_n_may_not_lose_rows() -> None:
    now, then = cases((2, outcome(passed=True)), right(2)), cases(right(4))
    assert only(now, then) == (
        "base.accuracy",
        "could-not-run",
        "accuracy averages over n=2 of the unchanged cases, at the merge base over n=4: not the same measure",
    )
    assert only(now, then, measures={"accuracy": share(fixed_n=False)})[1] == "kept"


def test_counts_that_do_not_add_up_to_the_metric_are_told() -> None:
    outcomes = cases(right(4))
    low = block(outcomes, metrics={"accuracy": metric(0.5, n=4)})
    assert only(outcomes, low) == (
        "base.accuracy",
        "could-not-run",
        "the counts of the merge base's cases do not add up to its accuracy 0.5000 (n=4)",
    )
    high = found(outcomes).model_copy(update={"metrics": {"accuracy": metric(1.0, n=5)}})
    assert only(high, outcomes)[1:] == (
        "could-not-run",
        "the counts of the run's cases do not add up to its accuracy 1.0000 (n=5)",
    )


def test_a_metric_that_a_side_has_no_value_for_is_told() -> None:
    outcomes = cases(right(4))
    assert only(found(outcomes).model_copy(update={"metrics": {"other": metric(1.0)}}), outcomes)[1:] == (
        "could-not-run",
        "the run has no value for accuracy",
    )
    none = block(outcomes, metrics={"accuracy": metric(None)})
    assert only(outcomes, none)[1:] == ("could-not-run", "the merge base has no value for accuracy (no rows)")


def test_a_metric_that_is_not_measured_any_more_is_told() -> None:
    rule = GateRule(metrics=("gone",))
    assert only(cases(right(4)), cases(right(4)), rule=rule) == (
        "base.gone",
        "could-not-run",
        "gone was gated at the merge base and is not measured any more",
    )


@pytest.mark.parametrize("changes", [{"metrics": None}, {"cases": None}, {"source": None}, {"metrics": {}}, {"cases": {}}])
def test_a_baseline_without_numbers_is_never_kept(changes: dict[str, Any]) -> None:
    told = "the merge base's baseline has no numbers for p"
    assert only(cases(right(4)), block(cases(right(4)), **changes)) == ("base", "could-not-run", told)


@pytest.mark.parametrize("changes", [{"recording": None}, {"metrics": {}}])
def test_a_run_without_numbers_is_never_kept(changes: dict[str, Any]) -> None:
    run = found(cases(right(4))).model_copy(update=changes)
    assert only(run, cases(right(4))) == ("base", "could-not-run", "the run has no numbers for p")


def test_another_kind_of_recording_is_not_compared() -> None:
    run = found(cases(right(4))).model_copy(update={"recording": recording()})
    told = "the merge base's numbers come from another kind of recording (live_p_recorded, now oracle_aligned_expected_json)"
    assert only(run, cases(right(4))) == ("base", "could-not-run", told)


def test_a_sample_judges_nothing() -> None:
    outcomes = cases(right(4))
    (check,) = common_checks("p", found(outcomes), block(outcomes), about(sample=4, cases=4), EVERY, RULE)
    assert (check.name, check.status) == ("base", "could-not-run")


def test_a_mean_over_several_ratios_is_taken_apart_too() -> None:
    two = Measure(
        ratios=(
            Ratio(numerator="right", denominator="asked", of="asked"),
            Ratio(numerator="kept", denominator="told", of="told"),
        ),
        mean_of="kind",
    )
    now = cases((2, outcome(passed=True, right=1, asked=1)), (2, outcome(passed=False, told=1)))
    then = cases((2, outcome(passed=True, right=1, asked=1)), (2, outcome(passed=True, kept=1, told=1)))
    assert only(now, then, measures={"accuracy": two})[2].startswith("accuracy 0.5000 (n=2) against 1.0000 (n=2)")


sides = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=30)


def outcomes_of(column: list[bool]) -> Cases:
    return cases(*[(1, outcome(passed=is_right, right=int(is_right), asked=1)) for is_right in column])


@settings(deadline=None, max_examples=60)
@given(sides)
def test_only_the_unchanged_cases_decide(rows: list[tuple[bool, bool, bool]]) -> None:
    now, then = (outcomes_of([row[i] for row in rows]) for i in (0, 1))
    common = frozenset(f"c{i:03}" for i, row in enumerate(rows) if row[2])
    before, after = (sum(row[i] for row in rows if row[2]) for i in (1, 0))
    name, status, _ = only(now, then, common)
    if not common:
        assert (name, status) == ("base", "could-not-run")
    else:  # the drop in whole cases against 3 % of the cases, in integers
        assert status == ("broken" if 100 * (before - after) > 3 * len(common) else "kept")


@settings(deadline=None, max_examples=30)
@given(sides)
def test_a_run_against_itself_is_kept(rows: list[tuple[bool, bool, bool]]) -> None:
    same = outcomes_of([row[0] for row in rows])
    assert only(same, same)[1] == "kept"
