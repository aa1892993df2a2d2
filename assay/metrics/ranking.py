"""How good one query's ranking is: plain functions over ids, without numpy, each of which can be passed on its own.

A ranking comes in as document ids, best first; a number in [0, 1] goes out, or None where it is undefined. Rules for all:

- A query without relevant documents has no value: None, never 0 or 1.
- An empty ranking of a query that has relevant documents is worth 0: nothing was found.
- An id that stands twice in a ranking, and a cutoff below 1, raise ValueError.
- Equal scores are ordered by id; `ranked_by_score` is the one place that decides.

The numbers are trec_eval's (`recall`, `P`, `success`, `recip_rank`, `map_cut`, `ndcg_cut`) to its four printed decimals.
Sums run in rank order, so that equal inputs give equal bits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from math import fsum, isfinite, log2
from typing import Literal

Ties = Literal["id-ascending", "trec_eval"]
"""How documents of equal score are ordered: by id upwards, or by id downwards as trec_eval does."""


def ranked_by_score(scores: Mapping[str, float], ties: Ties = "id-ascending") -> tuple[str, ...]:
    """The ids by falling score; ids of equal score by code point, upwards or, as trec_eval has it, downwards.

    No scores give (). Raises ValueError for a score that is NaN or infinite.
    """
    require_finite(scores)
    by_id = sorted(scores, reverse=ties == "trec_eval")
    return tuple(sorted(by_id, key=scores.__getitem__, reverse=True))


def recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float | None:
    """The share of the relevant documents that stand among the first k. In [0, 1]; none relevant: None."""
    top, wanted = _first(ranked, k), frozenset(relevant)
    return len(wanted.intersection(top)) / len(wanted) if wanted else None


def precision_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float | None:
    """How many of the first k are relevant, divided by k, also where fewer came back. In [0, 1]; none relevant: None."""
    top, wanted = _first(ranked, k), frozenset(relevant)
    return len(wanted.intersection(top)) / k if wanted else None


def success_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float | None:
    """1 where a relevant document stands among the first k, else 0. None relevant: None."""
    top, wanted = _first(ranked, k), frozenset(relevant)
    return float(not wanted.isdisjoint(top)) if wanted else None


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str], k: int | None = None) -> float | None:
    """1 / rank (1-based) of the first relevant document, 0 where none stands among the first k. None relevant: None."""
    top, wanted = _first(ranked, k), frozenset(relevant)
    if not wanted:
        return None
    return next((1 / rank for rank, document in enumerate(top, start=1) if document in wanted), 0.0)


def average_precision(ranked: Sequence[str], relevant: Collection[str], k: int | None = None) -> float | None:
    """The precision at the rank of each relevant document among the first k, summed, over the number of relevant documents.

    In [0, 1]. What is not found counts 0, also beyond k, as in trec_eval's `map_cut`. None relevant: None.
    """
    top, wanted = _first(ranked, k), frozenset(relevant)
    if not wanted:
        return None
    found, total = 0, 0.0
    for rank, document in enumerate(top, start=1):
        if document in wanted:
            found += 1
            total += found / rank
    return total / len(wanted)


def ndcg_at(ranked: Sequence[str], gains: Mapping[str, int | float], k: int | None = None) -> float | None:
    """The discounted gain of the first k over that of the best possible order. In [0, 1]; no gain above 0: None.

    Args:
        ranked: ids, best first.
        gains: the gain of each judged document, linear; one that is absent, 0 or negative gains nothing.
        k: the cutoff, for the ranking and for the best order; without it all count.

    A gain at rank r (1-based) is divided by log2(r + 1). Source: K. Järvelin, J. Kekäläinen, ACM TOIS 20 (2002) 422-446, with
    trec_eval's linear gains (`ndcg`, `ndcg_cut`). Raises ValueError for a gain that is NaN or infinite.
    """
    top = _first(ranked, k)
    require_finite(gains, "gain")
    ideal = discounted(sorted((gain for gain in gains.values() if gain > 0), reverse=True)[:k])
    return discounted(max(gains.get(document, 0), 0) for document in top) / ideal if ideal else None


def separation(scores: Mapping[str, float], relevant: Collection[str]) -> float | None:
    """The mean score of the relevant documents minus that of all others that were scored, in the unit of the scores.

    Over the full ranking, so that it shows what a cutoff hides. Equal scores give exactly 0.0. None where no relevant or no
    other document has a score. Raises ValueError for a score that is NaN or infinite.
    """
    require_finite(scores)
    wanted = frozenset(relevant)
    inside = [score for document, score in scores.items() if document in wanted]
    outside = [score for document, score in scores.items() if document not in wanted]
    return distance_of_means(inside, outside)


def distance_of_means(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Mean of `left` minus mean of `right`, whatever their order; exactly 0.0 where all are equal, None where a side is empty.

    Both are measured from the lowest number, and summed without rounding.
    """
    if not left or not right:
        return None
    lowest = min(chain(left, right))
    return fsum(x - lowest for x in left) / len(left) - fsum(x - lowest for x in right) / len(right)


def discounted(gains: Iterable[float]) -> float:
    """Gains in rank order, each over log2(rank + 1), summed from the top. No gains give 0.0."""
    total = 0.0
    for rank, gain in enumerate(gains, start=1):
        if gain:
            total += gain / log2(rank + 1)
    return total


def require_finite(numbers: Mapping[str, float], what: str = "score") -> None:
    """Raise ValueError that names the first document whose number is NaN or infinite."""
    for document, number in numbers.items():
        if not isfinite(number):
            raise ValueError(f"document {document!r} has the {what} {number!r}; expected a finite number")


def _first(ranked: Sequence[str], k: int | None) -> Sequence[str]:
    """The ranking down to the cutoff; raises ValueError where an id stands twice or the cutoff is below 1."""
    if k is not None and k < 1:
        raise ValueError(f"a cutoff of {k!r}; expected 1 or more")
    if len(set(ranked)) != len(ranked):
        seen: set[str] = set()
        twice = next(document for document in ranked if document in seen or seen.add(document))  # type: ignore[func-returns-value]  # add returns None
        raise ValueError(f"document {twice!r} stands twice in one ranking; expected each id once")
    return ranked[:k]
