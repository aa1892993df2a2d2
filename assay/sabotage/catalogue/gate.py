"""Gates that are wrong: the true one with one rule changed. The gate's own paper must notice every one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from assay.model.baseline import Baseline, Block
from assay.model.report import Evidence, Judgement, ProviderReport, RunFacts
from assay.model.suite import Enforcement
from assay.model.verdict import Check, Metric, Status, outcome_of
from assay.sabotage.defect import Defect, InParts
from assay.sabotage.gate_paper import GATE_SELF_TEST
from assay.sabotage.parts import Judge, Parts

Found = Mapping[str, Evidence]
Wrong = Callable[[Judge], Judge]


def _given(
    change: Callable[[Found, Baseline | None, RunFacts], tuple[Found, Baseline | None, RunFacts]],
) -> Wrong:
    """The true gate, given something else than the run."""

    def wrong(judge: Judge) -> Judge:
        def judged(
            evidence: Found,
            baseline: Baseline | None,
            facts: RunFacts,
            suite_checks: Sequence[Check] = (),
            *,
            declared: Mapping[str, str],
        ) -> Judgement:
            return judge(*change(evidence, baseline, facts), suite_checks, declared=declared)

        return judged

    return wrong


def _said(change: Callable[[Check], Check | None]) -> Wrong:
    """The true gate, with its checks changed or left out, and the verdict that follows from what is left."""

    def wrong(judge: Judge) -> Judge:
        def judged(
            evidence: Found,
            baseline: Baseline | None,
            facts: RunFacts,
            suite_checks: Sequence[Check] = (),
            *,
            declared: Mapping[str, str],
        ) -> Judgement:
            found = judge(evidence, baseline, facts, suite_checks, declared=declared)
            checks = _changed(found.checks, change)
            providers = {
                name: report.model_copy(update={"checks": _changed(report.checks, change)})
                for name, report in found.providers.items()
            }
            return found.model_copy(
                update={"checks": checks, "providers": providers, "verdict": outcome_of([*checks, *_deciding(providers)])}
            )

        return judged

    return wrong


def _changed(checks: Sequence[Check], change: Callable[[Check], Check | None]) -> tuple[Check, ...]:
    return tuple(found for check in checks if (found := change(check)) is not None)


def _deciding(providers: Mapping[str, ProviderReport]) -> list[Check]:
    return [check for report in providers.values() if report.decides for check in report.checks]


def _skips(prefix: str) -> Wrong:
    return _said(lambda check: None if check.name == prefix or check.name.startswith(f"{prefix}.") else check)


def _reads(before: Status, after: Status, prefix: str = "") -> Wrong:
    """One status taken for another."""
    return _said(
        lambda check: (
            check.model_copy(update={"status": after}) if check.status == before and check.name.startswith(prefix) else check
        )
    )


def _sign(evidence: Found, baseline: Baseline | None, facts: RunFacts) -> tuple[Found, Baseline | None, RunFacts]:
    turned = {"higher": "lower", "lower": "higher"}
    measures = {name: m.model_copy(update={"direction": turned[m.direction]}) for name, m in facts.measures.items()}
    return evidence, baseline, facts.model_copy(update={"measures": measures})


def _one_direction(evidence: Found, baseline: Baseline | None, facts: RunFacts) -> tuple[Found, Baseline | None, RunFacts]:
    measures = {name: m.model_copy(update={"direction": "higher"}) for name, m in facts.measures.items()}
    return evidence, baseline, facts.model_copy(update={"measures": measures})


def _tolerance(change: Callable[[float], float]) -> Wrong:
    def given(evidence: Found, baseline: Baseline | None, facts: RunFacts) -> tuple[Found, Baseline | None, RunFacts]:
        rule = facts.rule.model_copy(update={"max_drop_pp": change(facts.rule.max_drop_pp)})
        return evidence, baseline, facts.model_copy(update={"rule": rule})

    return _given(given)


def _relative(evidence: Found, baseline: Baseline | None, facts: RunFacts) -> tuple[Found, Baseline | None, RunFacts]:
    """Every value divided by the baseline's, so that a drop is a share of it."""
    if baseline is None:
        return evidence, baseline, facts
    now: dict[str, Evidence] = {}
    providers = dict(baseline.providers)
    for name, item in evidence.items():
        block = baseline.providers.get(name)
        known = (block.metrics if block else None) or {}
        base = {metric: found.value for metric, found in known.items() if found.value}
        now[name] = item.model_copy(update={"metrics": _divided(item.metrics, base)})
        if block is not None and block.metrics:
            providers[name] = block.model_copy(update={"metrics": _divided(block.metrics, base)})
    return now, baseline.model_copy(update={"providers": providers}), facts


def _divided(metrics: Mapping[str, Metric], base: Mapping[str, float]) -> dict[str, Metric]:
    return {
        name: metric.model_copy(update={"value": metric.value / base[name]})
        if metric.value is not None and name in base
        else metric
        for name, metric in metrics.items()
    }


def _own_baseline(evidence: Found, baseline: Baseline | None, facts: RunFacts) -> tuple[Found, Baseline | None, RunFacts]:
    """The candidate's numbers in the baseline's place."""
    if baseline is None:
        return evidence, baseline, facts
    providers: dict[str, Block | None] = {
        name: block.model_copy(update={"metrics": evidence[name].metrics, "cases": evidence[name].cases})
        if block is not None and name in evidence
        else block
        for name, block in baseline.providers.items()
    }
    return evidence, baseline.model_copy(update={"providers": providers}), facts


def _enforced(enforcement: Enforcement) -> Wrong:
    def given(evidence: Found, baseline: Baseline | None, facts: RunFacts) -> tuple[Found, Baseline | None, RunFacts]:
        return {n: item.model_copy(update={"enforcement": enforcement}) for n, item in evidence.items()}, baseline, facts

    return _given(given)


def _forgets_cases(evidence: Found, baseline: Baseline | None, facts: RunFacts) -> tuple[Found, Baseline | None, RunFacts]:
    fewest = min((len(item.cases) for item in evidence.values()), default=facts.cases)
    return evidence, baseline, facts.model_copy(update={"cases": fewest})


def _undefined_as(value: float) -> Wrong:
    def given(evidence: Found, baseline: Baseline | None, facts: RunFacts) -> tuple[Found, Baseline | None, RunFacts]:
        number = Metric(value=value, n=1, numerator=value, denominator=1, low=0.0, high=1.0)
        found = {
            name: item.model_copy(update={"metrics": {m: number if v.value is None else v for m, v in item.metrics.items()}})
            for name, item in evidence.items()
        }
        return found, baseline, facts

    return _given(given)


WRONG: Mapping[str, Wrong] = {
    "threshold sign turned round": _given(_sign),
    "every measure better when higher": _given(_one_direction),
    "relative for absolute drop": _given(_relative),
    "tolerance doubled": _tolerance(lambda pp: min(pp * 2, 100)),
    "tolerance of nothing": _tolerance(lambda _: 0.0),
    "tolerance without end": _tolerance(lambda _: 100.0),
    "candidate as its own baseline": _given(_own_baseline),
    "ci turned manual": _enforced("manual"),
    "manual turned ci": _enforced("ci"),
    "undefined passed over": _reads("could-not-run", "kept", "defined."),
    "undefined read as 1": _undefined_as(1.0),
    "empty provider set passes": _reads("broken", "kept", "providers"),
    "unmatched provider set passes": _reads("broken", "kept", "baseline.providers"),
    "broken read as could-not-run": _reads("broken", "could-not-run"),
    "could-not-run read as kept": _reads("could-not-run", "kept"),
    "could-not-run read as broken": _reads("could-not-run", "broken"),
    "cases counted as they come": _given(_forgets_cases),
    **{
        f"check {name} skipped": _skips(name)
        for name in (
            "results",
            "baseline",
            "baseline.enforcement",
            "cases",
            "max_drop",
            "floor",
            "ceiling",
            "control",
            "providers",
            "defined",
            "sample",
            "override",
            "calibration",
            "recording",
        )
    },
}


def _defect(name: str, wrong: Wrong) -> Defect:
    def changed(parts: Parts) -> Parts:
        return replace(parts, judge=wrong(parts.judge))

    return Defect(name, "gate", InParts(changed), (GATE_SELF_TEST,), must_show=True)


DEFECTS: tuple[Defect, ...] = tuple(_defect(name, wrong) for name, wrong in WRONG.items())
