"""The head's outcomes against the merge base's baseline, over the cases that the change left as they were.

A change may bring a baseline of its own, so it is judged by the one that stood before it, with the tolerance that stood
before it. What cannot be compared is could-not-run, never kept.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from assay.drops import drop_pp, worse_text
from assay.metrics.ratios import measured, summed
from assay.model.baseline import Block
from assay.model.report import Evidence, RunFacts
from assay.model.score import Measure
from assay.model.suite import GateRule
from assay.model.verdict import CaseOutcome, Check, Metric, Status

BASE = "base"
_LISTED = 5


def common_checks(  # two sides, what they have in common, and the rule
    name: str, evidence: Evidence, block: Block, facts: RunFacts, unchanged: Collection[str], rule: GateRule
) -> list[Check]:
    """One check `base.<metric>` per metric that the merge base gated, or one check `base` where nothing can be compared.

    Args:
        name: the provider.
        evidence: what the head's run came to.
        block: the provider's block in the merge base's baseline.
        facts: the head's run, for the definitions of its measures.
        unchanged: ids of the cases whose input and expectation are the same on both sides.
        rule: the merge base's rule: its metrics and its `max_drop_pp`.

    Metrics are computed anew on both sides from the counts of the common cases, once these have been found to add up, over all
    cases, to the metric that the side declares.
    """
    problem = _incomparable(name, evidence, block, facts, unchanged)
    if problem:
        return [_check(BASE, "could-not-run", problem)]
    common = sorted(set(unchanged) & (block.cases or {}).keys())
    return [_metric_check(metric, evidence, block, facts, common, rule) for metric in rule.metrics]


def _incomparable(name: str, evidence: Evidence, block: Block, facts: RunFacts, unchanged: Collection[str]) -> str | None:
    """Why nothing of this provider can be compared, or None."""
    if facts.sample is not None:
        return f"a smoke run over {facts.cases} sampled cases judges nothing"
    if block.source is None or not block.metrics or not block.cases:
        return f"the merge base's baseline has no numbers for {name}"
    if evidence.recording is None or not evidence.metrics:
        return f"the run has no numbers for {name}"
    then, now = block.source.cassette_kind, evidence.recording.cassette_kind
    if then != now:
        return f"the merge base's numbers come from another kind of recording ({then}, now {now})"
    common = set(unchanged) & block.cases.keys()
    lost = sorted(common - evidence.cases.keys())
    if lost:
        return f"{len(lost)} of {len(common)} unchanged cases have no result: {_some(lost)}"
    told = f"no case of the merge base's baseline is unchanged ({len(block.cases)} in it, {len(evidence.cases)} now)"
    return None if common else told


def _metric_check(
    name: str, evidence: Evidence, block: Block, facts: RunFacts, common: Collection[str], rule: GateRule
) -> Check:
    measure = facts.measures.get(name)
    if measure is None:
        return _check(f"{BASE}.{name}", "could-not-run", f"{name} was gated at the merge base and is not measured any more")
    sides = {"run": (evidence.metrics, evidence.cases), "merge base": (block.metrics or {}, block.cases or {})}
    problems = [_unfounded(side, name, metrics, cases, measure) for side, (metrics, cases) in sides.items()]
    if any(problems):
        return _check(f"{BASE}.{name}", "could-not-run", "; ".join(filter(None, problems)))
    now, then = (_over(common, cases, name, measure) for _, cases in sides.values())
    for side, metric in (("run", now), ("merge base", then)):
        if metric.value is None:
            told = f"{name} of the {side} is undefined over the {len(common)} unchanged cases: {metric.reason}"
            return _check(f"{BASE}.{name}", "could-not-run", told)
    if measure.fixed_n and now.n < then.n:
        told = f"{name} averages over n={now.n} of the unchanged cases, at the merge base over n={then.n}: not the same measure"
        return _check(f"{BASE}.{name}", "could-not-run", told)
    return _drop_check(name, now, then, measure, len(common), rule)


def _unfounded(
    side: str, name: str, metrics: Mapping[str, Metric], cases: Mapping[str, CaseOutcome], measure: Measure
) -> str | None:
    """Why the side's metric cannot be taken apart into cases, or None."""
    whole = metrics.get(name)
    if whole is None or whole.value is None:
        return f"the {side} has no value for {name}" + (f" ({whole.reason})" if whole else "")
    again = _over(cases, cases, name, measure)
    if (again.value, again.n) != (whole.value, whole.n):
        return f"the counts of the {side}'s cases do not add up to its {name} {whole.value:.4f} (n={whole.n})"
    return None


def _over(names: Collection[str], cases: Mapping[str, CaseOutcome], name: str, measure: Measure) -> Metric:
    """The metric over these cases."""
    return measured(summed(cases[case].tallied for case in names), {name: measure})[name]


def _drop_check(name: str, now: Metric, then: Metric, measure: Measure, common: int, rule: GateRule) -> Check:
    value, base = now.value or 0.0, then.value or 0.0
    drop, allowed = drop_pp(value, base, measure.direction), Decimal(repr(rule.max_drop_pp))
    told = (
        f"{name} {value:.4f} (n={now.n}) against {base:.4f} (n={then.n}) at the merge base over {common} unchanged cases: "
        f"{worse_text(drop, allowed)}, at most {allowed:f} pp worse allowed"
    )
    return _check(f"{BASE}.{name}", "broken" if drop > allowed else "kept", told)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


def _check(name: str, status: Status, message: str) -> Check:
    return Check(name=name, status=status, message=message)
