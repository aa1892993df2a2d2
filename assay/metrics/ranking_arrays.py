"""The ranking measures for many queries at once: relevant documents with their ranks in, one number per query out.

Every measure but `separation` needs nothing else of a ranking. Sums run in rank order, as in `assay.metrics.ranking`, so that
the bits are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import TYPE_CHECKING

from assay.metrics.ranking_measures import Name, RankingMeasure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Relevant:
    """The documents with a gain above 0, all of shape (documents,), by query and rank."""

    queries: int
    query: NDArray[np.int64]
    """Which query, in 0..queries - 1."""
    gain: NDArray[np.float64]
    rank: NDArray[np.int64]
    """1-based; 0 where the ranking does not hold the document."""

    @classmethod
    def ordered(cls, queries: int, query: NDArray[np.int64], gain: NDArray[np.float64], rank: NDArray[np.int64]) -> Relevant:
        """The documents brought into order."""
        import numpy as np

        order = np.argsort(query * (rank.max(initial=0) + 1) + rank)
        return cls(queries, query[order], gain[order], rank[order])

    def at_least(self, rel: int) -> Relevant:
        """Those with at least this gain."""
        return self._where(self.gain >= rel)

    def returned(self, k: int | None = None) -> Relevant:
        """Those in the ranking, down to rank k."""
        return self._where(self.rank > 0 if k is None else (self.rank > 0) & (self.rank <= k))

    def first(self) -> Relevant:
        """Of each query the one that stands first."""
        import numpy as np

        return self._where(np.diff(self.query, prepend=-1) > 0)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many there are, per query."""
        import numpy as np

        return np.bincount(self.query, minlength=self.queries).astype(np.int64, copy=False)

    def sums(self, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of what each document is worth, per query, in the order in which they stand."""
        import numpy as np

        return np.bincount(self.query, weights=worth, minlength=self.queries).astype(np.float64, copy=False)

    def positions(self) -> NDArray[np.int64]:
        """1, 2, 3, ... within each query."""
        import numpy as np

        starts = np.cumsum(self.counts) - self.counts
        return np.arange(1, len(self.query) + 1) - starts[self.query]

    def _where(self, kept: NDArray[np.bool_]) -> Relevant:
        if kept.all():
            return self
        places = kept.nonzero()
        return Relevant(self.queries, self.query[places], self.gain[places], self.rank[places])


def values(measure: RankingMeasure, relevant: Relevant) -> NDArray[np.float64]:
    """The measure of each query, float64, shape (queries,); NaN where nothing is relevant. Not for `separation`."""
    import numpy as np

    every = relevant if measure.name == "nDCG" else relevant.at_least(measure.rel)
    earned = _earned(measure.name, every.returned(measure.k))
    most = _most(measure, every)
    found: NDArray[np.float64] = np.divide(earned, most, out=np.full(every.queries, np.nan), where=every.counts > 0)
    return found


def _earned(name: Name, found: Relevant) -> NDArray[np.float64]:
    """What the returned documents are worth, per query, before it is divided by the most there can be."""
    import numpy as np

    if name == "nDCG":
        return _discounted(found)
    if name == "AP":
        return found.sums(found.positions() / found.rank)
    if name == "RR":
        first = found.first()
        return first.sums(1 / first.rank)
    hits = found.counts
    return (hits > 0 if name == "Success" else hits).astype(np.float64)


def _most(measure: RankingMeasure, every: Relevant) -> NDArray[np.float64]:
    """The most that a query can earn."""
    import numpy as np

    if measure.name == "nDCG":
        return _ideal(every, measure.k)
    if measure.name in {"R", "AP"}:
        return every.counts.astype(np.float64)
    return np.full(every.queries, float(measure.k or 1) if measure.name == "P" else 1.0)


def _ideal(every: Relevant, k: int | None) -> NDArray[np.float64]:
    """The discounted gain of each query's best order, down to rank k."""
    import numpy as np

    best = np.lexsort((-every.gain, every.query))
    return _discounted(Relevant(every.queries, every.query, every.gain[best], every.positions()).returned(k))


def _discounted(found: Relevant) -> NDArray[np.float64]:
    """The sum of gain / log2(rank + 1), per query. The logarithms are Python's: numpy's may differ in the last bit."""
    import numpy as np

    logarithms = np.array([log2(rank + 1) for rank in range(1, int(found.rank.max(initial=0)) + 1)])
    return found.sums(found.gain / logarithms[found.rank - 1])
