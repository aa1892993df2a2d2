"""calibrate: what facet recall comes to when every task is given the answer of another task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from assay.errors import InputError, Problem
from assay.metrics.ratios import measured, summed
from assay.model.baseline import Chance
from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.suites.facets.scoring import measures, score_case
from assay.suites.facets.shuffling import Within, givers

METRICS = ("facet_recall", "bundled_facet_recall", "degraded_facet_recall")
SHUFFLES = 2000
"""Enough that two of them lie above the quantile."""
QUANTILE = 0.999
DECIMALS = 12


def chance_of(
    cases: Sequence[GoldCase],
    answers: Mapping[str, Sequence[Outcome]],
    seeds: Sequence[int] = range(SHUFFLES),
    within: Within = "group",
) -> dict[str, Chance]:
    """Mean and 99.9 % quantile of facet recall over one shuffle per seed; a metric without rows is left out.

    The quantile is the smallest value that at least 99.9 % of the shuffles do not exceed. Raises InputError where no task has
    another that is answered, and for no seed.
    """
    answered = frozenset(case.id for case in cases if answers.get(case.id))
    if not seeds or not givers(cases, answered, 0, within):
        raise InputError(
            Problem("chance", "nothing to shuffle", (len(answered), len(seeds)), f"two answered tasks of one {within}")
        )
    counts = _Counts(cases, answers)
    recalls = {name: measure for name, measure in measures({}).items() if name in METRICS}
    drawn: dict[str, list[float]] = {name: [] for name in METRICS}
    for seed in seeds:
        pairs = givers(cases, answered, seed, within).items()
        found = measured(summed(counts.of(receiver, giver) for receiver, giver in pairs), recalls)
        for name in METRICS:
            value = found[name].value
            if value is not None:
                drawn[name].append(value)
    return {name: _estimate(values, within) for name, values in drawn.items() if values}


class _Counts:
    """What each task's score adds to the sums with each other task's answer, worked out once."""

    def __init__(self, cases: Sequence[GoldCase], answers: Mapping[str, Sequence[Outcome]]) -> None:
        self._cases = {case.id: case for case in cases}
        self._answers = answers
        self._known: dict[tuple[str, str], dict[str, float]] = {}

    def of(self, receiver: str, giver: str) -> Mapping[str, float]:
        """The counts that recall is made of."""
        if (receiver, giver) not in self._known:
            counts = score_case(self._cases[receiver], self._answers[giver]).counts
            self._known[receiver, giver] = {name: n for name, n in counts.items() if name.removesuffix(" of") in METRICS}
        return self._known[receiver, giver]


def _estimate(values: Sequence[float], within: Within) -> Chance:
    ordered = sorted(values)
    rank = max(ceil(round(QUANTILE * len(ordered), 9)), 1)
    return Chance(
        mean=round(sum(ordered) / len(ordered), DECIMALS),
        quantile=round(ordered[rank - 1], DECIMALS),
        how=f"{len(ordered)} seeded shuffles of the answers among the tasks of each {within}",
    )
