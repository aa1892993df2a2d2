"""A ranking: document ids with their scores, best first. The rules for rounding and ties are here alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.providers.retrieval.corpus import Corpus

Ranking = tuple[tuple[str, float], ...]
"""(document id, finite score), best first. The order is the ranking; equal scores do not undo it."""
STEPS = 10**6
"""Scores are multiples of 1 / STEPS."""


def rounded(score: float) -> float:
    """The score to six decimals, half to even. Product, rounding and quotient are each exact IEEE steps."""
    return round(score * STEPS) / STEPS


def by_score(scores: Iterable[tuple[str, float]]) -> Ranking:
    """The scores rounded, best first, ties by id ascending."""
    return tuple(sorted(((name, rounded(score)) for name, score in scores), key=lambda found: (-found[1], found[0])))


def in_order(ids: Sequence[str]) -> Ranking:
    """The ids in the given order, with scores that fall evenly from 1 to 1 / n."""
    return tuple((name, (len(ids) - place) / len(ids)) for place, name in enumerate(ids))


def newest_first(corpus: Corpus, content_type: str | None) -> Ranking:
    """What the product shows without a query: a filter on content type, newest first. Nothing is embedded."""
    return in_order([document.id for document in corpus.documents(content_type)])
