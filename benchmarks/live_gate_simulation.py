"""Pairs of live runs from the same per-case pass probabilities, and the live gate's tests over thousands of pairs at once.

The tests are the product's: its patterns, its measures, its McNemar test. Only the loop over pairs is written anew, so that it
is fast: pairs with as many differing cases share patterns, and a pair leaves once its p-values can only be above the level.
`tests/unit/test_live_gate_false_alarms.py` holds the outcome against the gate itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.metrics.ratios import values
from assay.metrics.significance import EXACT_CASES, ROUNDING, _patterns, holm, mcnemar_p
from assay.model.score import Measure, Ratio

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
CASES_PASSED = "cases_passed"
COLUMNS = ("expected", "hit", "predicted", "expected_a", "hit_a", "expected_b", "hit_b")
PATTERNS_AT_ONCE = 1_000
PAIRS_AT_ONCE = 100


def _share(numerator: str, denominator: str) -> Ratio:
    return Ratio(numerator=numerator, denominator=denominator, of=denominator)


MEASURES: Mapping[str, Measure] = {
    "recall": Measure(ratios=(_share("hit", "expected"),)),
    "precision": Measure(ratios=(_share("hit", "predicted"),), fixed_n=False),
    "recall_macro": Measure(ratios=(_share("hit_a", "expected_a"), _share("hit_b", "expected_b")), mean_of="kind"),
}
"""A mean over cases of unlike weight, a ratio whose denominator depends on the answers, and a mean of ratios."""


@dataclass(frozen=True)
class World:
    """Cases that a model passes with given probabilities, and what each adds to the counts when it does and does not."""

    chances: Floats
    """Shape (cases,)."""
    right: Floats
    """Shape (cases, counts)."""
    wrong: Floats

    @property
    def recall(self) -> float:
        """The expected recall."""
        expected = self.right[:, 0]
        return float(self.chances @ expected / expected.sum())


def flaky(cases: int, share: float) -> Floats:
    """Deterministic cases, four of five passing, but for a share of them that pass every other time."""
    chances = np.where(np.arange(cases) % 5 == 4, 0.0, 1.0)
    chances[: round(share * cases)] = 0.5
    return chances


def world_of(chances: Floats, seed: int = 0) -> World:
    """A world with these probabilities in random order: each case expects 1 to 4 things, all of kind a or, one in four, b.

    A passed case finds all and nothing else; a failed one finds nothing and predicts 1 to 3.
    """
    mixed = np.random.default_rng(seed).permutation(chances)
    expected = 1.0 + np.arange(len(mixed)) % 4
    is_b, nothing = np.arange(len(mixed)) // 4 % 4 == 3, np.zeros(len(mixed))
    of_a, of_b = np.where(is_b, 0.0, expected), np.where(is_b, expected, 0.0)
    right = np.column_stack([expected, expected, expected, of_a, of_a, of_b, of_b])
    wrong = np.column_stack([expected, nothing, 1 + expected // 2, of_a, nothing, of_b, nothing])
    return World(mixed, right, wrong)


def passes(world: World, times: int, rng: np.random.Generator, drop: float = 0.0) -> Flags:
    """Runs of a model whose recall is lower by `drop`, in (0, 1): which cases each passes, shape (times, cases).

    What used to pass is lost with the same probability everywhere. Raises ValueError for more than there is.
    """
    if drop > world.recall:
        raise ValueError("there is no such recall to lose")
    kept = 1.0 - drop / world.recall if drop else 1.0
    drawn: Flags = rng.random((times, len(world.chances)), dtype=np.float32) < (world.chances * kept).astype(np.float32)
    return drawn


def p_values(world: World, before: Flags, after: Flags, level: float) -> dict[str, Floats]:
    """The p-values of every pair, shape (pairs,), by test; those above the level may read 1, which changes no decision."""
    lost, won = (before & ~after).sum(axis=1), (after & ~before).sum(axis=1)
    found = {name: np.ones(len(before)) for name in MEASURES}
    found[CASES_PASSED] = np.array([_mcnemar_p(int(a), int(b)) for a, b in zip(lost, won, strict=True)])
    delta = (world.right - world.wrong).astype(np.float32)
    sums = [side.astype(np.float32) @ delta + world.wrong.sum(axis=0) for side in (before, after)]
    change = after.astype(np.int8) - before.astype(np.int8)
    for differing in set((lost + won).tolist()) - {0}:
        same = np.flatnonzero(lost + won == differing)
        patterns = _patterns(differing, 0).astype(np.float32)
        for pairs in np.array_split(same, -(-len(same) // PAIRS_AT_ONCE)):
            places = np.nonzero(change[pairs])[1].reshape(len(pairs), differing)
            signed = change[pairs[:, None], places][..., None] * delta[places]
            for name, p in _randomised(signed, (sums[0][pairs], sums[1][pairs]), patterns, level).items():
                found[name][pairs] = p
    return found


def gate_fails(found: Mapping[str, Floats], level: float) -> Flags:
    """Whether any of a pair's tests rejects after Holm, shape (pairs,)."""
    rows = zip(*found.values(), strict=True)
    return np.array([min(holm(dict(zip(found, map(float, row), strict=True))).values()) <= level for row in rows])


@cache
def _mcnemar_p(lost: int, won: int) -> float:
    return mcnemar_p(lost, won)


def _randomised(
    signed: NDArray[np.float32], sums: tuple[Floats, Floats], patterns: NDArray[np.float32], level: float
) -> dict[str, Floats]:
    """P-values by measure of pairs with as many differing cases; `signed` has shape (pairs, cases, counts)."""
    pairs, cases, counts = signed.shape
    added = 0 if cases <= EXACT_CASES else 1
    observed = {name: _drops(measure, *sums) for name, measure in MEASURES.items()}
    hits = {name: np.zeros(pairs) for name in MEASURES}
    open_pairs = np.arange(pairs)
    for some in _portions(patterns):
        if not len(open_pairs):
            break
        columns = signed[open_pairs].transpose(1, 0, 2).reshape(cases, -1)
        half = (some @ columns).astype(np.float64).reshape(len(some), len(open_pairs), counts) / 2
        middle = ((sums[0] + sums[1]) / 2)[open_pairs]
        undecided = np.zeros(len(open_pairs), dtype=bool)
        for name, measure in MEASURES.items():
            drops = _drops(measure, middle - half, middle + half)
            counted = np.isnan(drops) | (drops >= observed[name][open_pairs] - ROUNDING)
            hits[name][open_pairs] += counted.sum(axis=0)
            undecided |= (hits[name][open_pairs] + added) / (len(patterns) + added) <= level
        open_pairs = open_pairs[undecided]
    closed = np.setdiff1d(np.arange(pairs), open_pairs)
    found = {name: (hit + added) / (len(patterns) + added) for name, hit in hits.items()}
    for p in found.values():
        p[closed] = 1.0
    return found


def _portions(patterns: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    for start in range(0, len(patterns), PATTERNS_AT_ONCE):
        yield patterns[start : start + PATTERNS_AT_ONCE]


def _drops(measure: Measure, before: Floats, after: Floats) -> Floats:
    """Drops of the measure for totals of shape (..., counts)."""
    one, other = (values(measure, COLUMNS, side.reshape(-1, len(COLUMNS))) for side in (before, after))
    drops: Floats = (one - other).reshape(before.shape[:-1])
    return drops
