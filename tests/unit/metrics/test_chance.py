"""What a random ranking comes to, against every ranking there is, and against scipy's hypergeometric distribution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from assay.metrics.chance import QUANTILE, Luck, precision_luck, recall_luck, success_luck

LuckOf = Callable[[int, Sequence[int], int], Luck]
ALL: dict[str, tuple[LuckOf, Callable[[int, int, int], Fraction]]] = {
    "recall": (recall_luck, lambda hits, relevant, _: Fraction(hits, relevant)),
    "precision": (precision_luck, lambda hits, _, k: Fraction(hits, k)),
    "success": (success_luck, lambda hits, _, __: Fraction(hits > 0)),
}
NAMES = pytest.mark.parametrize("name", ALL)


def by_all_rankings(name: str, documents: int, relevant: Sequence[int], k: int) -> Luck:
    """Mean and quantile over all rankings of every query; documents 0 to n - 1 are the relevant ones."""
    worth = ALL[name][1]
    one = [[worth(sum(place < n for place in order[:k]), n, k) for order in permutations(range(documents))] for n in relevant]
    means = sorted(Fraction(sum(values), len(relevant)) for values in product(*one))
    ways = prod(map(len, one))
    assert len(means) == ways
    at = next(i for i in range(ways) if Fraction(i + 1, ways) >= Fraction(999, 1000))
    return Luck(mean=float(Fraction(sum(means), ways)), quantile=float(means[at]))


@NAMES
@pytest.mark.parametrize(
    ("documents", "relevant", "k"),
    [
        (1, [1], 1),
        (3, [1], 1),
        (4, [2], 3),
        (5, [1], 2),
        (6, [3], 2),
        (4, [1, 2], 2),
        (4, [3, 1], 1),
        (4, [2, 2], 9),
        (3, [1, 2, 3], 2),
    ],
)
def test_luck_is_that_of_all_rankings(name: str, documents: int, relevant: list[int], k: int) -> None:
    found, oracle = ALL[name][0](documents, relevant, k), by_all_rankings(name, documents, relevant, k)
    assert (found.mean, found.quantile) == pytest.approx((oracle.mean, oracle.quantile), abs=1e-12)


def test_one_relevant_document_of_34_is_among_five_in_5_of_34_rankings() -> None:
    # 14 queries with one each: the mean is 5/34. The number of hits is binomial with 14 trials of 5/34:
    # P(hits <= 6) = 0.99804 and P(hits <= 7) = 0.99972, so the 99.9 % quantile is 7/14.
    found = recall_luck(34, [1] * 14, 5)
    assert found.mean == pytest.approx(5 / 34, abs=1e-12)
    assert found.quantile == 0.5


SIZES = st.integers(1, 40).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(st.integers(1, n), min_size=1, max_size=4), st.integers(1, n))
)


@settings(deadline=None, max_examples=60)
@given(SIZES)
def test_mean_recall_is_k_of_n_and_mean_precision_the_share_of_relevant_documents(sizes: tuple[int, list[int], int]) -> None:
    documents, relevant, k = sizes
    assert recall_luck(documents, relevant, k).mean == pytest.approx(k / documents, abs=1e-9)
    shares = [n / documents for n in relevant]
    assert precision_luck(documents, relevant, k).mean == pytest.approx(sum(shares) / len(shares), abs=1e-9)
    none = [hypergeom.pmf(0, documents, n, k) for n in relevant]
    assert success_luck(documents, relevant, k).mean == pytest.approx(1 - sum(none) / len(none), abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n), st.integers(1, n))))
def test_quantile_of_one_query_is_scipys(sizes: tuple[int, int, int]) -> None:
    documents, n, k = sizes
    hits = np.arange(n + 1)
    reached = hypergeom.cdf(hits, documents, n, k)
    at = int(np.argmax(reached >= QUANTILE - 1e-9))
    if abs(reached[at] - QUANTILE) < 1e-9:
        return
    assert recall_luck(documents, [n], k).quantile == pytest.approx(at / n, abs=1e-12)
    assert precision_luck(documents, [n], k).quantile == pytest.approx(at / k, abs=1e-12)


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(1, n), min_size=1, max_size=3))))
def test_order_of_queries_never_changes_luck(sizes: tuple[int, list[int]]) -> None:
    documents, relevant = sizes
    for luck, _ in ALL.values():
        one, other = luck(documents, relevant, 3), luck(documents, relevant[::-1], 3)
        assert (one.mean, one.quantile) == pytest.approx((other.mean, other.quantile), abs=1e-12)


def test_precision_divides_by_the_cutoff_also_where_there_are_fewer_documents() -> None:
    assert precision_luck(3, [3], 5) == Luck(mean=0.6, quantile=0.6)
    assert recall_luck(3, [2], 5) == success_luck(3, [2], 5) == Luck(mean=1.0, quantile=1.0)


def test_more_queries_bring_the_quantile_nearer_to_the_mean() -> None:
    quantiles = [recall_luck(34, [1] * n, 5).quantile for n in (1, 5, 20, 100)]
    assert quantiles == sorted(quantiles, reverse=True)
    assert quantiles[0] == 1.0
    assert quantiles[-1] < 0.3


@NAMES
@pytest.mark.parametrize(("documents", "relevant", "k"), [(5, [], 1), (5, [1], 0), (5, [0], 1), (5, [6], 1), (0, [1], 1)])
def test_what_no_ranking_can_hold_is_refused(name: str, documents: int, relevant: list[int], k: int) -> None:
    with pytest.raises(ValueError, match="no chance of"):
        ALL[name][0](documents, relevant, k)


@pytest.mark.parametrize("most", [12, 24])
def test_luck_of_many_unlike_queries_is_that_of_many_drawn_rankings(most: int) -> None:
    # Counts up to 12 have the common denominator 27,720, counts up to 24 one of ten digits.
    relevant = list(range(1, most + 1)) * 4
    hits = np.random.default_rng(20261130).hypergeometric(relevant, [700 - n for n in relevant], 10, (100_000, len(relevant)))
    means = (hits / np.array(relevant)).mean(axis=1)
    found = recall_luck(700, relevant, 10)
    assert found.mean == pytest.approx(10 / 700, abs=1e-9)
    low, high = np.quantile(means, [0.9987, 0.9993])
    assert low - 1e-9 <= found.quantile <= high + 1e-4
