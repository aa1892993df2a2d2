"""What a ranking drawn at random comes to: worked out, by convolution of hypergeometric distributions.

In: how many documents there are, how many of them answer each query, the cutoff. Out: mean and an upper quantile of the mean
over queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, lcm

QUANTILE = 0.999
FINEST = 2_520
"""Where queries have many different numbers of relevant documents, a query's value is kept to 1 / FINEST, the least common
multiple of 1 to 10."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class Luck:
    """The mean over queries of a random ranking's measure."""

    mean: float
    quantile: float
    """The smallest value that at least 99.9 % of random rankings do not exceed."""


def recall_luck(documents: int, relevant: Sequence[int], k: int) -> Luck:
    """recall@k; `relevant` is the number of relevant documents of each query, all at least 1.

    Raises ValueError for no query, k < 1, or more relevant documents than there are.
    """
    _refuse(documents, relevant, k)
    return _luck(documents, relevant, k, [Fraction(1, n) for n in relevant])


def precision_luck(documents: int, relevant: Sequence[int], k: int) -> Luck:
    """precision@k, divided by k whatever comes back; otherwise as `recall_luck`."""
    _refuse(documents, relevant, k)
    return _luck(documents, relevant, k, [Fraction(1, k)] * len(relevant))


def success_luck(documents: int, relevant: Sequence[int], k: int) -> Luck:
    """success@k: whether anything relevant stands among the first k; otherwise as `recall_luck`."""
    _refuse(documents, relevant, k)
    found = [_hits(documents, n, k) for n in relevant]
    return _summed([{Fraction(0): hits.get(0, 0.0), Fraction(1): 1 - hits.get(0, 0.0)} for hits in found])


def _luck(documents: int, relevant: Sequence[int], k: int, worth: Sequence[Fraction]) -> Luck:
    found = [
        {hits * each: chance for hits, chance in _hits(documents, n, k).items()}
        for n, each in zip(relevant, worth, strict=True)
    ]
    return _summed(found)


def _refuse(documents: int, relevant: Sequence[int], k: int) -> None:
    if not relevant or k < 1 or min(relevant) < 1 or max(relevant) > documents:
        raise ValueError(f"no chance of {list(relevant)[:5]} relevant among {documents} documents at k = {k}")


def _hits(documents: int, relevant: int, k: int) -> dict[int, float]:
    """How many of the relevant documents stand among the first k: hypergeometric."""
    drawn = min(k, documents)
    ways = comb(documents, drawn)
    low, high = max(0, drawn - (documents - relevant)), min(relevant, drawn)
    return {n: comb(relevant, n) * comb(documents - relevant, drawn - n) / ways for n in range(low, high + 1)}


def _summed(queries: Sequence[Mapping[Fraction, float]]) -> Luck:
    """The distribution of the sum over queries, on the grid of their common denominator where that is not too fine.

    On the coarse grid values are rounded up, so the quantile is never too low, and at most 1 / FINEST too high.
    """
    import numpy as np

    grid = min(lcm(*(value.denominator for query in queries for value in query)), FINEST)
    total = np.ones(1)
    for query in queries:
        places = {ceil(value * grid): share for value, share in query.items()}
        following = np.zeros(len(total) + max(places))
        for place, share in places.items():
            following[place : place + len(total)] += total * share
        total = following
    n = len(queries)
    mean = sum(float(value) * share for query in queries for value, share in query.items()) / n
    above = np.cumsum(total[::-1])[::-1]
    quantile = int(np.flatnonzero(above > 1 - QUANTILE + ROUNDING)[-1])
    return Luck(mean=round(mean, 12), quantile=round(quantile / grid / n, 12))
