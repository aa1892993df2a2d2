"""The live gate: fresh answers are noisy, so a drop must be more than chance, and a pass more than blindness.

Paired by case with the baseline: an exact McNemar test for cases passed, a randomisation test for each gated metric, Holm over
all of them. Rejected: broken. Not rejected, though the drop that must be noticed could not have been: could-not-run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING

from assay.metrics.ratios import effective_cases, measured, summed, values
from assay.metrics.significance import PairedTest, detectable_drop, holm, mcnemar_p, paired_test
from assay.model.baseline import Block
from assay.model.report import Evidence, RunFacts
from assay.model.score import Measure
from assay.model.verdict import CaseOutcome, Check

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CASES_PASSED = "cases_passed"


def live_checks(evidence: Evidence, block: Block, facts: RunFacts) -> Iterable[Check]:
    """One check for the cases passed and one per gated metric, over the cases that both sides have."""
    before = block.cases or {}
    cases = sorted(set(before) & set(evidence.cases))
    if not cases:
        yield Check(name="live", status="could-not-run", message="no case in common with the baseline")
        return
    problems = {name: _incomparable(name, evidence, block, facts) for name in _measured(evidence, facts)}
    testable = [name for name, problem in problems.items() if problem is None]
    tests = _tests(testable, cases, before, evidence.cases, facts)
    lost = sum(before[case].passed and not evidence.cases[case].passed for case in cases)
    won = sum(evidence.cases[case].passed and not before[case].passed for case in cases)
    p_values = {CASES_PASSED: mcnemar_p(lost, won)} | {name: test.p_value for name, (test, _) in tests.items()}
    adjusted = holm(p_values)
    alpha, strictest = facts.rule.false_alarm, facts.rule.false_alarm / len(p_values)
    passed = f"{lost} cases lost, {won} won of {len(cases)}, exact McNemar p = {adjusted[CASES_PASSED]:.4f} (Holm)"
    yield Check(name=f"live.{CASES_PASSED}", status="broken" if adjusted[CASES_PASSED] <= alpha else "kept", message=passed)
    for name, problem in problems.items():
        if name in tests:
            test, effective = tests[name]
            detectable = detectable_drop(test.null_drops, strictest, cases=effective)
            yield _check(name, test, adjusted[name], detectable, evidence, block, facts)
        else:
            told = problem or f"{name} is undefined over the cases that the baseline has too"
            yield Check(name=f"live.{name}", status="could-not-run", message=told)


def restricted(block: Block, cases: Collection[str], measures: Mapping[str, Measure]) -> Block:
    """A baseline's block over these of its cases only, with the metrics that their counts add up to."""
    kept = {case: outcome for case, outcome in (block.cases or {}).items() if case in cases}
    again = measured(summed(outcome.tallied for outcome in kept.values()), measures)
    return block.model_copy(
        update={"cases": kept, "metrics": {name: again[name] for name in block.metrics or {} if name in again}}
    )


def _measured(evidence: Evidence, facts: RunFacts) -> Sequence[str]:
    """The gated metrics that the run has a value for; of the others `defined` tells."""
    return [name for name in facts.rule.metrics if name in evidence.metrics and evidence.metrics[name].value is not None]


def _incomparable(name: str, evidence: Evidence, block: Block, facts: RunFacts) -> str | None:
    """Why the metric cannot be tested, or None."""
    now, then = evidence.metrics[name], (block.metrics or {}).get(name)
    if then is None or then.value is None:
        return f"{name} {now.value:.4f} (n={now.n}); the baseline has no value for it"
    if facts.measures[name].fixed_n and now.n < then.n:
        return f"{name} averages over n={now.n}, the baseline over n={then.n}: not the same measure"
    for side, metric, cases in (("run", now, evidence.cases), ("baseline", then, block.cases or {})):
        again = measured(summed(case.tallied for case in cases.values()), {name: facts.measures[name]})[name]
        if (again.value, again.n) != (metric.value, metric.n):
            return f"the counts of the {side}'s cases do not add up to its {name} {metric.value:.4f}: publish it anew"
    return None


def _check(
    name: str, test: PairedTest, p_value: float, detectable: float | None, evidence: Evidence, block: Block, facts: RunFacts
) -> Check:
    now, then, must = evidence.metrics[name], (block.metrics or {})[name], facts.rule.must_detect_pp
    noticed = "no drop" if detectable is None else f"a drop of {100 * detectable:.1f} pp"
    told = (
        f"{name} {now.value:.4f} (n={now.n}) against {then.value:.4f} (n={then.n}): drop {100 * test.drop:+.2f} pp, "
        f"p = {p_value:.4f} (Holm); {noticed} would be noticed 8 times in 10"
    )
    if p_value <= facts.rule.false_alarm:
        return Check(name=f"live.{name}", status="broken", message=told)
    if must is None or detectable is None or 100 * detectable > must:
        wanted = "the suite declares no must_detect_pp" if must is None else f"the suite must notice {must:g} pp"
        return Check(name=f"live.{name}", status="could-not-run", message=f"{told}, but {wanted}")
    return Check(name=f"live.{name}", status="kept", message=told)


def _tests(
    names: Sequence[str],
    cases: Sequence[str],
    before: Mapping[str, CaseOutcome],
    after: Mapping[str, CaseOutcome],
    facts: RunFacts,
) -> dict[str, tuple[PairedTest, float]]:
    """By metric its test and on how many cases of equal weight it rests, the fewer of both sides; no undefined ones."""
    columns = sorted({name for side in (before, after) for case in cases for name in side[case].tallied})
    old, new = _matrix(cases, before, columns), _matrix(cases, after, columns)
    found = {}
    for name in names:
        measure = facts.measures[name]
        sign = 1.0 if measure.direction == "higher" else -1.0

        def value(totals: NDArray[np.float64], measure: Measure = measure, sign: float = sign) -> NDArray[np.float64]:
            return sign * values(measure, columns, totals)

        test = paired_test(old, new, value)
        if not isnan(test.drop):
            found[name] = test, min(effective_cases(measure, columns, side) for side in (old, new))
    return found


def _matrix(cases: Sequence[str], outcomes: Mapping[str, CaseOutcome], columns: Sequence[str]) -> NDArray[np.float64]:
    import numpy as np

    return np.array([[outcomes[case].tallied.get(name, 0) for name in columns] for case in cases], dtype=np.float64)
