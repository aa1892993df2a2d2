"""Explanations: what is said of a case or a metric is what the gate and the counts say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.drops import drop_pp
from assay.gate import judge
from assay.metrics.ratios import measured, summed
from assay.model.report import Evidence, FailedCase, Report
from assay.model.score import Measure, Ratio
from assay.model.suite import GateRule
from assay.model.verdict import CaseOutcome
from assay.reporting.explanation import Known, case_text
from assay.reporting.explanation_counts import Swap, at_best, fed_checks
from assay.reporting.explanation_metric import metric_text
from tests.builders import baseline_of, evidence, facts
from tests.unit.reporting.reports import CONTROL, HOSTILE, controlled, hostile, report_of

SHARE = Measure(ratios=(Ratio(numerator="hit", denominator="of", of="things"),))
FAULTS = Measure(ratios=(Ratio(numerator="bad", denominator="asked", of="replies"),), direction="lower")
MACRO = Measure(
    ratios=tuple(Ratio(numerator=f"hit_{c}", denominator=f"of_{c}", of=f"{c} things") for c in "ab"), mean_of="class"
)
REAL = Measure(ratios=(Ratio(numerator="gap", denominator="gaps", of="gaps", values="reals"),))
MEASURES = {"share": SHARE, "faults": FAULTS, "macro": MACRO}
RULE = GateRule(metrics=("share", "faults", "macro"), max_drop_pp=3.0, floors={"share": 0.5}, ceilings={"faults": 0.4})


def case_of(**counts: float) -> CaseOutcome:
    return CaseOutcome(passed=False, score=0.5, counts=counts)


def found_of(cases: dict[str, CaseOutcome], measures: dict[str, Measure], **changes: Any) -> Evidence:
    return evidence(measured(summed(case.tallied for case in cases.values()), measures), cases=cases, **changes)


def report_on(
    cases: dict[str, CaseOutcome], before: dict[str, CaseOutcome] | None = None, **changes: Any
) -> tuple[Report, Evidence, Evidence]:
    """The report on these cases, compared with others or with themselves."""
    measures, rule = changes.pop("measures", MEASURES), changes.pop("rule", RULE)
    mode = changes.pop("mode", "replay")
    now, then = found_of(cases, measures, **changes), found_of(before or cases, measures)
    run = facts(measures=measures, rule=rule, cases=len(cases), mode=mode)
    return report_of({"p": now}, baseline_of(then), run), now, then


def rows(n: int, right: int, bad: int = 0) -> CaseOutcome:
    """A case of n things of class a, so many right, and one reply."""
    return case_of(of=n, hit=right, of_a=n, hit_a=right, of_b=1, hit_b=min(right, 1), asked=1, bad=bad)


COUNTS = st.integers(1, 4).flatmap(lambda n: st.builds(rows, st.just(n), st.integers(0, n), st.integers(0, 1)))
CASES = st.lists(COUNTS, min_size=2, max_size=6).map(lambda found: {f"c{i}": case for i, case in enumerate(found)})


@given(cases=CASES, other=COUNTS, before=COUNTS)
@settings(max_examples=25, deadline=None)
def test_a_check_at_other_counts_has_the_status_that_the_gate_gives(
    cases: dict[str, CaseOutcome], other: CaseOutcome, before: CaseOutcome
) -> None:
    report, now, then = report_on(cases, {**cases, "c1": before})
    swap = Swap.of(report, "p", "c0")
    checks = fed_checks(report.providers["p"], report.facts.measures, cases["c0"].tallied)
    assert {check.name.partition(".")[0] for check in checks} == {"max_drop", "floor", "ceiling"}
    changed = {**cases, "c0": other}
    again = now.model_copy(update={"cases": changed, "metrics": found_of(changed, MEASURES).metrics})
    judged = judge({"p": again}, baseline_of(then), report.facts, declared={"p": "ci"})
    said = {c.name: swap.status(c, swap.metric(c.name.partition(".")[2], other.tallied)) for c in checks}
    gate = {check.name: check.status for check in judged.providers["p"].checks}
    assert said == {name: gate[name] for name in said}
    assert swap.verdict(said) == judged.verdict


@given(cases=CASES)
@settings(max_examples=30, deadline=None)
def test_what_a_case_costs_is_the_metric_without_it(cases: dict[str, CaseOutcome]) -> None:
    report, now, _ = report_on(cases)
    costs = {}
    for name in cases:
        left = measured(summed(case.tallied for key, case in cases.items() if key != name), MEASURES)["faults"].value
        cost = drop_pp(now.metrics["faults"].value or 0.0, left or 0.0, "lower")
        costs[name] = float(cost) if left is not None else 0.0
    worst = sorted((name for name in costs if costs[name] > 0), key=lambda name: (-costs[name], name))[:5]
    told = [
        line.split()[0]
        for line in metric_text(report, "r", "p", "faults").splitlines()
        if " costs " in line and "It adds" in line
    ]
    assert told == worst


def test_the_best_and_the_worst_keep_the_rows_and_follow_the_direction() -> None:
    counts = {"of": 4, "hit": 1, "asked": 2, "bad": 1}
    assert at_best(SHARE, counts) == {**counts, "hit": 4}
    assert at_best(SHARE, counts, worst=True) == {**counts, "hit": 0}
    assert at_best(FAULTS, counts) == {**counts, "bad": 0}
    assert at_best(FAULTS, counts, worst=True) == {**counts, "bad": 2}
    assert at_best(REAL, {"gap": 1.5, "gaps": 1}) is None


def test_one_case_alone_flips_the_verdict_where_the_gate_says_so() -> None:
    """9 of 10 right, before 10 of 10: 10 pp worse, 3 allowed. The one that is wrong decides; one that is right does not."""
    right, wrong = case_of(of=1, hit=1), case_of(of=1)
    before = {f"c{i}": right for i in range(10)}
    rule = GateRule(metrics=("share",), max_drop_pp=3.0)
    report, *_ = report_on({**before, "c0": wrong}, before, measures={"share": SHARE}, rule=rule)
    assert report.verdict == "FAIL"
    told = case_text(report, "r", "p", "c0", Known(before=right))
    assert "Were it wholly right in each metric, with the rows that it has: max_drop.share would be kept; verdict PASS." in told
    assert "With the counts that the baseline has for it: max_drop.share would be kept; verdict PASS." in told
    assert "it alone could flip the verdict FAIL" in told
    assert "it alone cannot flip the verdict FAIL" in case_text(report, "r", "p", "c1", Known(before=right))


def test_rows_that_only_the_baseline_has_count_in_what_the_baseline_would_do() -> None:
    """Of 2 predicted, 1 was right; now the right one is not predicted, and 0 of 1 is 50 pp worse."""
    gone, other = case_of(asked=1), case_of(of=1, asked=1)
    before = case_of(of=1, hit=1, asked=1)
    measures = {"share": SHARE.model_copy(update={"fixed_n": False})}
    rule = GateRule(metrics=("share",), max_drop_pp=3.0)
    report, *_ = report_on({"c0": gone, "c1": other}, {"c0": before, "c1": other}, measures=measures, rule=rule)
    told = case_text(report, "r", "p", "c0", Known(before=before))
    assert report.verdict == "FAIL"
    assert "With the counts that the baseline has for it: max_drop.share would be kept; verdict PASS." in told
    assert "it alone could flip the verdict FAIL: as in the baseline it would be PASS." in told


def test_of_any_numbers_no_best_is_claimed() -> None:
    cases = {"c0": case_of(gap=0.5, gap_squared=0.25, gaps=1), "c1": case_of(gap=0.1, gap_squared=0.01, gaps=1)}
    report, *_ = report_on(cases, measures={"gap": REAL}, rule=GateRule(metrics=("gap",), max_drop_pp=3.0))
    assert "What gap would do is not known: any number can stand there." in case_text(report, "r", "p", "c0", Known())


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"mode": "live"}, "A live run is judged by tests over all cases; what one case alone would do is not worked out."),
        ({"enforcement": "manual"}, "p decides nothing (manual), so no case of it can flip the verdict"),
    ],
)
def test_where_a_case_decides_nothing_by_itself_that_is_said(changes: dict[str, Any], told: str) -> None:
    report, *_ = report_on({"c0": rows(2, 1), "c1": rows(2, 2)}, **changes)
    assert told in case_text(report, "r", "p", "c0", Known())


def test_counts_that_do_not_add_up_to_the_metric_are_not_reckoned_with() -> None:
    cases = {"c0": rows(2, 1), "c1": rows(2, 2)}
    report, *_ = report_on(cases)
    changed = report.providers["p"].model_copy(update={"cases": {**cases, "c1": rows(2, 0)}})
    report = report.model_copy(update={"providers": {"p": changed}})
    told = case_text(report, "r", "p", "c0", Known())
    assert "The cases' counts do not add up to it, so no more is said." in told
    assert "what each costs is not worked out" in metric_text(report, "r", "p", "share")


def test_what_is_left_out_is_told_with_the_reason_and_what_failed_with_its_rows() -> None:
    cases = {"c0": rows(2, 1), "c1": rows(2, 2), "c2": CaseOutcome(passed=True, score=1, left_out="kept as a guard")}
    failed = {"c0": FailedCase(status="unanswered", reason="no answer: 503", detail={})}
    report, *_ = report_on(cases, failed=failed)
    told = metric_text(report, "r", "p", "share")
    assert "2 of 3 cases have rows in it; the others have none." in told
    assert "Kept as a guard: 1 (c2)." in told
    assert "Unanswered: 1; 1 have rows in it and count with what they add, 0 have none." in told
    assert "It is in no mean: kept as a guard." in case_text(report, "r", "p", "c2", Known())


def test_a_control_is_explained_by_its_counts_alone() -> None:
    told = case_text(controlled(), "r", "keyword", "c2", Known())
    assert "Status: not in the report" in told
    assert "recall: 0.25 over 1 queries" in told


def test_no_text_from_outside_makes_a_line_or_steers_the_terminal() -> None:
    text = f"{HOSTILE}\n\nWhat it adds\n{CONTROL}"
    told = case_text(hostile(text), "r", "p", text, Known())
    titles = [line for line in told.splitlines() if line and not line.startswith("  ")][1:]
    assert len(titles) == len(set(titles)) == 5
    assert not {"\x07", "\x1b", "\x00"} & set(told)
