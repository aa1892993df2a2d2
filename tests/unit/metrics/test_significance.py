"""The paired tests of live numbers: against brute force and scipy, valid, one-sided, and never helped by the undefined."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom, binomtest, permutation_test

from assay.metrics.significance import DRAWS, EXACT_CASES, mcnemar_p, paired_test

Rows = NDArray[np.float64]
PAIR = st.tuples(st.integers(0, 3), st.integers(0, 3))


def ratio(totals: Rows) -> Rows:
    """First count over second, NaN of nothing."""
    shares: Rows = np.divide(totals[:, 0], totals[:, 1], out=np.full(len(totals), np.nan), where=totals[:, 1] > 0)
    return shares


def first(totals: Rows) -> Rows:
    return totals[:, 0]


def rows(*values: tuple[float, ...]) -> Rows:
    return np.array(values, dtype=np.float64)


def column(values: list[int]) -> Rows:
    return np.array(values, dtype=np.float64)[:, None]


def brute_force_p(before: list[tuple[int, int]], after: list[tuple[int, int]]) -> float:
    """Every way to swap every case, differing or not, one by one; undefined counts as a drop as large."""

    def drop(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> float | None:
        sums = [(sum(a for a, _ in side), sum(b for _, b in side)) for side in (one, other)]
        return None if 0 in (sums[0][1], sums[1][1]) else sums[0][0] / sums[0][1] - sums[1][0] / sums[1][1]

    observed, hits = drop(before, after), 0
    if observed is None:
        return 1.0
    for swaps in product((False, True), repeat=len(before)):
        mixed = [(b, a) if swap else (a, b) for swap, a, b in zip(swaps, before, after, strict=True)]
        found = drop([a for a, _ in mixed], [b for _, b in mixed])
        hits += found is None or found >= observed - 1e-9
    return float(hits / 2 ** len(before))


def test_mcnemar_is_the_exact_one_sided_binomial_test_for_all_counts_up_to_thirty() -> None:
    for lost, won in product(range(31), repeat=2):
        wanted = binomtest(lost, lost + won, alternative="greater").pvalue if lost + won else 1.0
        assert mcnemar_p(lost, won) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("lost", "won", "p"),
    [
        (0, 0, 1.0),
        (5, 0, 1 / 32),  # one of 2^5 ways
        (4, 1, 6 / 32),  # C(5, 4) + C(5, 5) = 5 + 1
        (1, 4, 31 / 32),  # all but the one way without a lost case
        (0, 7, 1.0),
    ],
)
def test_mcnemar_by_hand(lost: int, won: int, p: float) -> None:
    assert mcnemar_p(lost, won) == p


@pytest.mark.parametrize(("lost", "won"), [(-1, 3), (3, -1), (-2, 2)])
def test_mcnemar_refuses_negative_counts(lost: int, won: int) -> None:
    with pytest.raises(ValueError, match="not negative"):
        mcnemar_p(lost, won)


@pytest.mark.parametrize("n", [1, 4, 5, 12, 31, 200])
def test_mcnemar_rejects_by_chance_at_most_as_often_as_its_level_says(n: int) -> None:
    p_values = np.array([mcnemar_p(lost, n - lost) for lost in range(n + 1)])
    chances = binom.pmf(np.arange(n + 1), n, 0.5)
    for level in (0.0025, 0.01, 0.05, 0.2, 0.5):
        assert chances[p_values <= level].sum() <= level + 1e-12


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(PAIR, PAIR), min_size=1, max_size=7))
def test_a_ratio_is_tested_as_by_swapping_every_case_in_every_way(pairs: list[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    before, after = [a for a, _ in pairs], [b for _, b in pairs]
    found = paired_test(rows(*before), rows(*after), ratio)
    assert found.p_value == pytest.approx(brute_force_p(before, after), abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=EXACT_CASES))
def test_a_mean_over_cases_is_tested_as_scipy_does(pairs: list[tuple[int, int]]) -> None:
    before, after = (column([pair[side] for pair in pairs]) for side in (0, 1))
    wanted = permutation_test(
        (before[:, 0], after[:, 0]),
        lambda a, b, axis: np.sum(a - b, axis=axis),
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=np.inf,
    )
    found = paired_test(before, after, lambda totals: totals[:, 0] / len(pairs))
    assert found.p_value == pytest.approx(float(wanted.pvalue), abs=1e-12)


@settings(deadline=None, max_examples=80)
@given(st.integers(0, EXACT_CASES), st.integers(0, EXACT_CASES), st.integers(0, 50))
def test_the_mean_of_a_binary_outcome_is_tested_like_mcnemar(lost: int, won: int, same: int) -> None:
    won = min(won, EXACT_CASES - lost)
    before, after = [1] * lost + [0] * won + [1] * same, [0] * lost + [1] * won + [1] * same
    assert paired_test(column(before), column(after), first).p_value == mcnemar_p(lost, won)


@pytest.mark.parametrize(("lost", "won"), [(8, 5), (12, 4), (20, 20), (33, 17), (10, 60)])
def test_drawn_patterns_come_close_to_the_exact_p_value(lost: int, won: int) -> None:
    found = paired_test(column([1] * lost + [0] * won), column([0] * lost + [1] * won), first)
    exact = mcnemar_p(lost, won)
    assert abs(found.p_value - exact) <= 4 * np.sqrt(exact * (1 - exact) / DRAWS) + 1 / DRAWS


@pytest.mark.parametrize("differing", [0, 1, 5, EXACT_CASES])
def test_up_to_twelve_differing_cases_every_pattern_is_tried_and_no_seed_matters(differing: int) -> None:
    before, after = column([3] * differing + [1] * 400), column([1] * differing + [1] * 400)
    found = [paired_test(before, after, first, seed=seed) for seed in (0, 1)]
    assert [len(test.null_drops) for test in found] == [2**differing] * 2
    assert [test.p_value for test in found] == [0.5**differing] * 2


def test_above_twelve_patterns_are_drawn_by_the_seed_and_the_p_value_is_never_zero() -> None:
    before, after = column([1] * 60), column([0] * 60)
    found = paired_test(before, after, first)
    assert (len(found.null_drops), found.p_value) == (DRAWS, 1 / (1 + DRAWS))  # no draw is as large: (1 + 0) / (1 + 9,999)
    assert np.array_equal(found.null_drops, paired_test(before, after, first, seed=0).null_drops)
    assert not np.array_equal(found.null_drops, paired_test(before, after, first, seed=1).null_drops)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(PAIR, PAIR), min_size=1, max_size=6), st.sampled_from([0.05, 0.1, 0.25, 0.5]))
def test_over_all_ways_chance_could_have_gone_the_p_value_is_valid(
    pairs: list[tuple[tuple[int, int], tuple[int, int]]], level: float
) -> None:
    p_values = []
    for swaps in product((False, True), repeat=len(pairs)):
        mixed = [(b, a) if swap else (a, b) for swap, (a, b) in zip(swaps, pairs, strict=True)]
        found = paired_test(rows(*[a for a, _ in mixed]), rows(*[b for _, b in mixed]), ratio)
        p_values.append(found.p_value)
    assert np.mean(np.array(p_values) <= level) <= level


def test_drawn_p_values_are_valid() -> None:
    rng, level, times = np.random.default_rng(11), 0.1, 300
    one, other = rng.integers(0, 5, (14, 2)) + np.array([0, 5]), rng.integers(0, 5, (14, 2)) + np.array([0, 5])
    rejected = 0
    for _ in range(times):
        swap = rng.integers(0, 2, (14, 1)) == 1
        before, after = np.where(swap, other, one).astype(float), np.where(swap, one, other).astype(float)
        rejected += paired_test(before, after, ratio).p_value <= level
    assert rejected / times <= level + 3 * np.sqrt(level * (1 - level) / times)


def test_worse_is_a_positive_drop_with_a_small_p_value_and_better_the_reverse() -> None:
    # Baseline 8/10, candidate 2/10: 6 cases lost. Only the pattern as it is drops by 0.6: p = 1 / 2^6.
    right, wrong = rows(*[(1, 1)] * 8, *[(0, 1)] * 2), rows(*[(1, 1)] * 2, *[(0, 1)] * 8)
    worse, better, same = paired_test(right, wrong, ratio), paired_test(wrong, right, ratio), paired_test(right, right, ratio)
    assert (worse.drop, worse.p_value) == (pytest.approx(0.6), 1 / 64)
    assert (better.drop, better.p_value) == (pytest.approx(-0.6), 1.0)
    assert (same.drop, same.p_value, same.null_drops.tolist()) == (0.0, 1.0, [0.0])


def test_where_lower_is_better_the_caller_turns_the_sign() -> None:
    few, many = rows(*[(0, 1)] * 6), rows(*[(1, 1)] * 6)
    found = paired_test(few, many, lambda totals: -ratio(totals))
    assert (found.drop, found.p_value) == (1.0, 1 / 64)


def test_a_pattern_whose_drop_is_undefined_counts_against_the_baseline() -> None:
    # Baseline 2/2 + 0/0, candidate 0/0 + 0/2. As it is: 1 - 0 = 1, as large. Both swapped: -1. Swapping one case leaves one
    # side 0/0: undefined, twice. 3 of 4 patterns count, where leaving the undefined ones out would give 1 of 2.
    found = paired_test(rows((2, 2), (0, 0)), rows((0, 0), (0, 2)), ratio)
    assert (found.drop, found.p_value, int(np.isnan(found.null_drops).sum())) == (1.0, 0.75, 2)


@pytest.mark.parametrize("cases", [2, EXACT_CASES, EXACT_CASES + 3])
def test_a_drop_that_is_itself_undefined_never_rejects(cases: int) -> None:
    nothing, something = rows(*[(0, 0)] * cases), rows(*[(1, 2)] * cases)
    assert paired_test(nothing, something, ratio).p_value == 1.0
    assert paired_test(something, nothing, ratio).p_value == 1.0


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(PAIR, PAIR), min_size=1, max_size=EXACT_CASES), st.randoms(use_true_random=False))
def test_the_order_of_cases_changes_no_exact_test(pairs: list[tuple[tuple[int, int], tuple[int, int]]], random: Random) -> None:
    order = random.sample(range(len(pairs)), len(pairs))
    before, after = rows(*[a for a, _ in pairs]), rows(*[b for _, b in pairs])
    found, mixed = paired_test(before, after, ratio), paired_test(before[order], after[order], ratio)
    assert mixed.p_value == found.p_value
    assert np.allclose(np.sort(mixed.null_drops), np.sort(found.null_drops), equal_nan=True)


def test_the_order_of_counts_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    before, after = (rng.integers(0, 9, (40, 2)).astype(float) for _ in range(2))
    found = paired_test(before, after, ratio)
    turned = paired_test(before[:, ::-1], after[:, ::-1], lambda totals: ratio(totals[:, ::-1]))
    assert (turned.drop, turned.p_value) == (found.drop, found.p_value)
    assert np.array_equal(turned.null_drops, found.null_drops, equal_nan=True)
