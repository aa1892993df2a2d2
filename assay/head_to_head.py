"""A subject beside a positive control or another subject, case by case: what the means hide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from assay.metrics.proportions import DECIMALS, mean
from assay.model.report import Evidence, HeadToHead, RunFacts
from assay.model.score import Measure
from assay.model.verdict import CaseOutcome


def head_to_heads(evidence: Mapping[str, Evidence], facts: RunFacts) -> Iterable[HeadToHead]:
    """Every gated subject that claims something, against every positive control and every other such subject.

    By the control's metric, and between subjects by the first gated one.
    """
    subjects = {
        name: item
        for name, item in evidence.items()
        if item.role == "subject" and item.enforcement == "ci" and item.claims is None and item.metrics
    }
    for name, other in evidence.items():
        if other.role == "positive_control" and other.control is not None and other.metrics:
            for subject, item in subjects.items():
                yield _head_to_head((subject, item), (name, other), other.control.metric, facts)
    for (subject, item), pair in combinations(subjects.items(), 2):
        yield _head_to_head((subject, item), pair, facts.rule.metrics[0], facts)


def _head_to_head(ours: tuple[str, Evidence], theirs: tuple[str, Evidence], metric: str, facts: RunFacts) -> HeadToHead:
    (subject, item), (against, other), measure = ours, theirs, facts.measures[metric]
    differences: dict[str, float] = {}
    left_out: dict[str, str] = {}
    for case in sorted(set(item.cases) | set(other.cases)):
        here, there = item.cases.get(case), other.cases.get(case)
        if here is None or there is None:
            left_out[case] = f"no result of {subject if here is None else against}"
            continue
        mine, yours = _value(here, measure), _value(there, measure)
        if mine is None or yours is None:
            left_out[case] = here.left_out or f"{metric} is undefined there"
        else:
            differences[case] = round(mine - yours, DECIMALS)
    better = -1 if measure.direction == "lower" and len(measure.ratios) == 1 else 1
    return HeadToHead(
        subject=subject,
        against=against,
        metric=metric if len(measure.ratios) == 1 else "case score",
        wins=tuple(case for case, difference in differences.items() if difference * better > 0),
        losses=tuple(case for case, difference in differences.items() if difference * better < 0),
        ties=tuple(case for case, difference in differences.items() if difference == 0),
        left_out=left_out,
        difference=mean(
            sum(differences.values()), sum(d * d for d in differences.values()), len(differences), "cases that can be compared"
        ),
    )


def _value(outcome: CaseOutcome, measure: Measure) -> float | None:
    """The measure on one case: its ratio there; the case's own score where the measure averages several ratios."""
    if len(measure.ratios) != 1:
        return outcome.score
    ratio = measure.ratios[0]
    denominator = outcome.counts.get(ratio.denominator, 0)
    return outcome.counts.get(ratio.numerator, 0) / denominator if denominator else None
