"""What the gate can see of a run, and what a suite may ask of it; by hand, and against the gate itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.gate import judge
from assay.metrics.ratios import measured, summed
from assay.model.power import Power
from assay.model.report import Evidence, Judgement, RunFacts
from assay.model.score import Measure, Ratio
from assay.model.suite import GateRule
from assay.model.verdict import CaseOutcome, Check
from assay.power import NO_LINE, power_of
from tests.builders import baseline_of, evidence, facts
from tests.unit.live_builders import LIVE, cases, found, outcome, right, share, wrong
from tests.unit.live_builders import judged as judged_live

ACCURACY: Mapping[str, Measure] = {"accuracy": share()}
ERRORS: Mapping[str, Measure] = {"errors": share(right="errors", direction="lower")}
CLASSES = Measure(
    ratios=tuple(Ratio(numerator=f"hit_{c}", denominator=f"of_{c}", of=c) for c in ("small", "large", "none")), mean_of="class"
)
MACRO: Mapping[str, Measure] = {"recall_macro": CLASSES}


def of(outcomes: dict[str, CaseOutcome], measures: Mapping[str, Measure]) -> Evidence:
    """Evidence whose metrics are what its cases add up to."""
    return evidence(measured(summed(one.counts for one in outcomes.values()), measures), cases=outcomes)


def about(measures: Mapping[str, Measure], n: int, **rule: Any) -> RunFacts:
    return facts(rule=GateRule(metrics=tuple(measures), **rule), measures=dict(measures), cases=n)


def judged(now: Evidence, before: Evidence, measures: Mapping[str, Measure], **rule: Any) -> Judgement:
    return judge({"p": now}, baseline_of(before), about(measures, len(now.cases), **rule), declared={"p": "ci"})


def power(now: Evidence, before: Evidence, measures: Mapping[str, Measure], **rule: Any) -> Power:
    """The power of the only metric, as the gate reports it."""
    (found,) = judged(now, before, measures, **rule).providers["p"].power.values()
    return found


def checks(judgement: Judgement) -> list[Check]:
    return [check for check in judgement.providers["p"].checks if check.name.startswith("power.")]


def classes(small: int, large: int) -> dict[str, CaseOutcome]:
    """So many right cases of two classes; the third has none."""
    one, two = outcome(passed=True, hit_small=1, of_small=1), outcome(passed=True, hit_large=1, of_large=1)
    return cases((small, one), (large, two))


def test_a_proportion_at_one_absorbs_what_the_tolerance_holds() -> None:
    # 3 pp of 230 rows are 6.9 rows
    now = of(cases(right(230)), ACCURACY)
    told = power(now, now, ACCURACY)
    assert (told.absorbs_fewest, told.absorbs_most, told.right, told.of) == (6, 6, 230, 230)
    assert (told.line, told.headroom_pp, told.headroom_cases, told.undefined) == (0.97, 3.0, 6, None)


def test_a_macro_mean_absorbs_fewest_in_its_smallest_class() -> None:
    # two classes with rows: a row costs 100 / (2 * 20) = 2.5 pp or 100 / (2 * 100) = 0.5 pp
    now = of(classes(20, 100), MACRO)
    told = power(now, now, MACRO)
    assert (told.absorbs_fewest, told.absorbs_most, told.of) == (1, 6, 120)


def test_one_row_is_never_absorbed_and_nothing_could_be_noticed_live() -> None:
    now = of(cases(right(1)), ACCURACY)
    told = power(now, now, ACCURACY)
    assert (told.absorbs_fewest, told.absorbs_most, told.of) == (0, 0, 1)
    assert told.live is not None
    assert (told.live.at80_pp, told.live.at95_pp, told.live.false_alarm) == (None, None, 0.0)


def test_a_metric_that_nothing_can_lower_is_blind() -> None:
    nothing = of(cases(wrong(40)), ACCURACY)
    assert power(nothing, nothing, ACCURACY).is_blind
    everything = of(cases(right(40)), ACCURACY)
    assert power(everything, everything, ACCURACY, max_drop_pp=100.0).is_blind
    assert not power(everything, everything, ACCURACY).is_blind


def test_where_lower_is_better_rows_turn_wrong_upwards() -> None:
    now = of(cases((38, outcome(passed=True, asked=1)), (2, outcome(passed=False, errors=1, asked=1))), ERRORS)
    told = power(now, now, ERRORS, max_drop_pp=5.0)  # 2 of 40; 5 pp more are 4 of 40
    assert (told.absorbs_fewest, told.absorbs_most, told.right, told.line) == (2, 2, 38, 0.1)


def test_a_floor_over_the_tolerance_is_the_line() -> None:
    now = of(cases(right(100)), ACCURACY)
    told = power(now, now, ACCURACY, floors={"accuracy": 0.99})
    assert (told.line, told.headroom_pp, told.absorbs_fewest) == (0.99, 1.0, 1)


def test_a_run_above_its_baseline_has_more_headroom_and_a_fired_one_tells_the_way_back() -> None:
    better, before, worse = (of(cases(right(n), wrong(100 - n)), ACCURACY) for n in (95, 90, 85))
    assert (power(better, before, ACCURACY).headroom_pp, power(better, before, ACCURACY).absorbs_fewest) == (8.0, 8)
    fired = power(worse, before, ACCURACY)
    assert (fired.headroom_pp, fired.headroom_cases, fired.absorbs_fewest, fired.absorbs_most) == (-2.0, -2, 0, 0)


def test_without_a_baseline_and_bound_there_is_no_line() -> None:
    now = of(cases(right(10)), ACCURACY)
    (told,) = power_of(now, None, about(ACCURACY, 10)).values()
    assert (told.undefined, told.line, told.absorbs_fewest, told.right) == (NO_LINE, None, None, 10)


def test_values_have_a_worst_case_count_and_no_power() -> None:
    measure = {"recall": Measure(ratios=(Ratio(numerator="hits", denominator="asked", of="queries", values="shares"),))}
    hits = [1.0, 0.5, 0.25, 0.25]  # a mean of 0.5; without the best 0.25, without the two best 0.125
    outcomes = {f"c{i}": CaseOutcome(passed=True, score=1.0, counts={"hits": hit, "asked": 1}) for i, hit in enumerate(hits)}
    now = of(outcomes, measure)
    told = power(now, now, measure, max_drop_pp=30.0)
    assert (told.absorbs_fewest, told.absorbs_most, told.live) == (1, None, None)
    assert told.undefined is not None
    assert told.undefined.startswith("power undefined: its rows are values in [0, 1]")


def test_any_number_may_fire_the_gate_alone() -> None:
    measure = {"gap": Measure(ratios=(Ratio(numerator="gap", denominator="asked", of="queries", values="reals"),))}
    outcomes = {
        f"c{i}": CaseOutcome(passed=True, score=1.0, counts={"gap": 0.5, "gap_squared": 0.25, "asked": 1}) for i in range(3)
    }
    now = of(outcomes, measure)
    told = power(now, now, measure)
    assert (told.absorbs_fewest, told.absorbs_most) == (0, None)
    assert told.undefined is not None
    assert told.undefined.startswith("power undefined: its rows are any numbers")


def test_counts_that_do_not_add_up_have_no_power() -> None:
    now = of(cases(right(10)), ACCURACY)
    other = now.model_copy(update={"cases": cases(right(9), wrong(1))})
    told = power(other, other, ACCURACY)
    assert (told.absorbs_fewest, told.undefined) == (None, "power undefined: the counts of its cases do not add up to it")


def test_what_must_be_noticed_and_is_keeps_the_check() -> None:
    now = of(cases(right(60)), ACCURACY)  # 1 of 60 is 1.7 pp, 2 are 3.3 pp
    judgement = judged(now, now, ACCURACY, must_notice_cases=2)
    assert judgement.verdict == "PASS"
    assert [(c.name, c.status, c.message) for c in checks(judgement)] == [
        ("power.accuracy", "kept", "any 2 of the 60 rows of accuracy that turn wrong fire the gate; the suite must notice 2")
    ]


def test_what_n_makes_impossible_is_no_verdict_and_names_the_n_that_would_do() -> None:
    now = of(cases(right(230)), ACCURACY)
    judgement = judged(now, now, ACCURACY, must_notice_cases=2)
    assert judgement.verdict == "NO VERDICT"
    assert [(c.status, c.message) for c in checks(judgement)] == [
        (
            "could-not-run",
            "6 of the 230 rows of accuracy can turn wrong and the gate keeps silent; the suite must notice 2. "
            "At most 66 rows would do, or a tolerance under 0.8695 pp",
        )
    ]
    for n, verdict in ((66, "PASS"), (67, "NO VERDICT")):
        fits = of(cases(right(n)), ACCURACY)
        assert judged(fits, fits, ACCURACY, must_notice_cases=2).verdict == verdict
    assert judged(now, now, ACCURACY, must_notice_cases=2, max_drop_pp=0.8695).verdict == "PASS"


def test_a_macro_mean_must_notice_wherever_rows_fall() -> None:
    now = of(classes(20, 100), MACRO)
    judgement = judged(now, now, MACRO, must_notice_cases=4)
    assert checks(judgement)[0].message.endswith("At most 66 rows in each of the 2 classes would do, or a tolerance under 2 pp")
    for n, verdict in ((66, "PASS"), (67, "NO VERDICT")):
        equal = of(classes(n, n), MACRO)
        assert judged(equal, equal, MACRO, must_notice_cases=4).verdict == verdict


def test_what_nothing_can_lower_must_not_be_declared_noticed() -> None:
    now = of(cases(wrong(20)), ACCURACY)
    (told,) = checks(judged(now, now, ACCURACY, must_notice_cases=1))
    assert told.status == "could-not-run"
    assert told.message.startswith("all 0 right rows of the 20 of accuracy can turn wrong and the gate keeps silent")


def test_of_a_subject_of_which_nothing_is_claimed_nothing_must_be_noticed() -> None:
    now = of(cases(right(230)), ACCURACY).model_copy(update={"claims": "none"})
    assert checks(judged(now, now, ACCURACY, must_notice_cases=2)) == []


def test_without_a_declaration_there_is_no_check() -> None:
    now = of(cases(right(230)), ACCURACY)
    assert checks(judged(now, now, ACCURACY, must_detect_pp=1.0)) == []  # of live runs only


def test_a_live_suite_that_asks_for_the_impossible_is_no_verdict_and_names_the_n_that_would_do() -> None:
    # Two tests at 0.025: six lost cases of none won reject. Of 20 cases 1 pp loses far fewer.
    now = found(cases(right(20)))
    judgement = judged_live(now, now, must=1.0)
    assert judgement.verdict == "NO VERDICT"
    (told,) = checks(judgement)
    assert told.status == "could-not-run"
    assert told.message.startswith(
        "accuracy rests on 20 cases, too few to notice 1 pp 8 times in 10; 790 such cases would do (right rows turn wrong "
    )
    for n, status in ((790, "kept"), (789, "could-not-run")):
        fits = found(cases(right(n)))
        again = judged_live(fits, fits, must=1.0)
        assert checks(again)[0].status == status
        assert again.verdict == ("PASS" if status == "kept" else "NO VERDICT")


def test_where_nothing_is_right_a_live_run_can_notice_no_drop() -> None:
    now = found(cases(wrong(200)))
    (told,) = checks(judged_live(now, now))
    assert told.message == "no row of accuracy is right, so none can turn wrong; the suite must notice 30 pp"


def test_the_drop_that_is_seen_is_a_binomial_tail() -> None:
    # 20 of 25 are right; six of these have to turn wrong: P(Bin(20, q) >= 6) = 0.8 at q = 0.3665, so a drop of 0.8 q
    from scipy.stats import binom

    now = found(cases(right(20), wrong(5)))
    live = judged_live(now, now).providers["p"].power["accuracy"].live
    assert live is not None
    assert live.at80_pp is not None
    assert live.at95_pp is not None
    for seen, wanted in ((live.at80_pp, 0.8), (live.at95_pp, 0.95)):
        assert float(binom.sf(5, 20, seen / 80)) == pytest.approx(wanted, abs=1e-6)
    assert live.level == 0.025
    assert now.cassette_kind == LIVE


@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 4))
def test_more_right_cases_never_make_the_gate_see_less_live(n: int, bad: int, more: int) -> None:
    seen = []
    for size in (n + 1, n + 1 + more):
        now = of(cases(right(size), wrong(bad)), ACCURACY)
        live = power(now, now, ACCURACY, false_alarm=0.4).live
        assert live is not None
        seen.append(live.at80_pp if live.at80_pp is None else live.at80_pp / (size / (size + bad)))
    assert seen[0] is None or (seen[1] is not None and seen[1] <= seen[0] + 1e-4)


@given(st.integers(1, 15), st.integers(0, 15), st.sampled_from([0.0, 3.0, 7.5, 20.0]))
def test_a_run_turned_wrong_by_what_is_absorbed_is_kept_and_by_one_more_is_not(n: int, bad: int, tolerance: float) -> None:
    before = of(cases(right(n), wrong(bad)), ACCURACY)
    told = power(before, before, ACCURACY, max_drop_pp=tolerance)
    assert told.absorbs_fewest is not None
    for lost in range(n + 1):
        after = of(cases(right(n - lost), wrong(bad + lost)), ACCURACY)
        is_fired = judged(after, before, ACCURACY, max_drop_pp=tolerance).verdict == "FAIL"
        assert is_fired == (lost > told.absorbs_fewest)
