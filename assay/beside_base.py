"""A subject's outcomes beside those of the merge base's baseline, over the cases that the change left as they were."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from assay.metrics.ratios import measured, summed
from assay.model.baseline import Block
from assay.model.report import Comparison, Evidence, RunFacts
from assay.model.score import Measure
from assay.model.verdict import CaseOutcome, Metric


@dataclass(frozen=True)
class BesideBase:
    """What moved; decides nothing."""

    metrics: Mapping[str, tuple[Metric, Metric]]
    """(now, at the merge base) of each gated metric, over the unchanged cases."""
    compared: Comparison
    """Case by case, over the same; `new` names the others."""


def beside_base(evidence: Evidence, block: Block, facts: RunFacts, unchanged: Collection[str]) -> BesideBase:
    """Metrics and cases of both sides. Where no case is unchanged, every metric is undefined."""
    now, then = evidence.cases, block.cases or {}
    common = sorted(set(unchanged) & now.keys() & then.keys())
    gated = {name: facts.measures[name] for name in facts.rule.metrics if name in facts.measures}
    sides = [_over((cases[name] for name in common), gated) for cases in (now, then)]
    return BesideBase(
        metrics={name: (sides[0][name], sides[1][name]) for name in gated},
        compared=Comparison(
            cases=len(common),
            metrics=len(gated),
            worse=tuple(name for name in common if _rank(now[name]) < _rank(then[name])),
            better=tuple(name for name in common if _rank(now[name]) > _rank(then[name])),
            new=tuple(sorted(now.keys() - set(common))),
        ),
    )


def _over(cases: Iterable[CaseOutcome], measures: Mapping[str, Measure]) -> Mapping[str, Metric]:
    return measured(summed(case.tallied for case in cases), measures)


def _rank(outcome: CaseOutcome) -> tuple[bool, float]:
    return outcome.passed, outcome.score
