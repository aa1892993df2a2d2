"""Where the relevant documents stand: from dictionaries, or from arrays of scores and judgements, to `Relevant`.

From dictionaries no ranking is made: the rank of a document is one more than the number of higher scores, and only a query in
which a relevant document shares its score is ranked by id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from math import nan
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from assay.metrics.ranking import Ties, ranked_by_score, require_finite
from assay.metrics.ranking_arrays import Relevant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]
Judgements: TypeAlias = "NDArray[np.int64] | NDArray[np.float64] | NDArray[np.bool_]"
BLOCK = 1 << 16
"""How many scores are ordered at a time, so that what is computed on the way stays in the processor's cache."""


def in_dictionaries(queries: Sequence[str], qrels: Qrels, run: Run, ties: Ties) -> Relevant:
    """The relevant documents of each of `queries`. Raises ValueError for a score that is NaN or infinite."""
    import numpy as np

    answers = [run.get(query, {}) for query in queries]
    relevant = [
        (number, document, gain, answer.get(document, nan))
        for number, (query, answer) in enumerate(zip(queries, answers, strict=True))
        for document, gain in qrels.get(query, {}).items()
        if gain > 0
    ]
    query = np.array([number for number, _, _, _ in relevant], np.int64)
    score = np.array([score for _, _, _, score in relevant], np.float64)
    rank = np.zeros(len(relevant), np.int64)
    for group, falling in _groups(answers):
        row = np.full(len(answers), -1)
        row[group] = np.arange(len(group))
        chosen = np.flatnonzero((row[query] >= 0) & ~np.isnan(score))
        rank[chosen] = _ranks(falling, row[query[chosen]], score[chosen])
    tied = np.flatnonzero(rank < 0).tolist()
    rank[tied] = _ranks_by_id([relevant[place][:2] for place in tied], answers, ties)
    gain = np.array([gain for _, _, gain, _ in relevant], np.float64)
    return Relevant.ordered(len(queries), query, gain, rank)


def in_arrays(scores: NDArray[np.float64], relevance: Judgements, ties: Ties) -> Relevant:
    """The relevant documents of each row; columns of equal score are ordered by their number."""
    import numpy as np

    if ties == "trec_eval":
        scores, relevance = scores[:, ::-1], relevance[:, ::-1]
    queries, documents = scores.shape
    rows = max(1, BLOCK // max(1, documents))
    places, gains = [np.zeros(0, np.int64)], [np.zeros(0, np.float64)]
    for first in range(0, queries, rows):
        order = _order(scores[first : first + rows])
        order += np.arange(len(order))[:, None] * documents
        judged = relevance[first : first + rows].take(order)
        hits = np.flatnonzero(judged > 0)
        places.append(hits + first * documents)
        gains.append(judged.take(hits).astype(np.float64))
    place = np.concatenate(places)
    query = place // max(1, documents)
    return Relevant(queries, query, np.concatenate(gains), place - query * documents + 1)


def _order(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The columns of each row, best first; of equal scores the first column first.

    Sorting whole numbers is several times quicker than finding the order of floats. So each negated score becomes a whole
    number of the same order whose lowest bits make room for its column. Where scores differ in these bits only, they can come
    out in the wrong order; such rows are ordered again, the slow way.
    """
    import numpy as np

    documents = scores.shape[1]
    room = documents.bit_length()
    keys = (0.0 - scores).view(np.int64)
    keys ^= (keys >> 63) & np.iinfo(np.int64).max
    keys &= -1 << room
    keys |= np.arange(documents)
    keys.sort(axis=1)
    close = np.flatnonzero(((keys[:, 1:] ^ keys[:, :-1]) >> room == 0).any(axis=1))
    keys &= (1 << room) - 1
    ranked = np.take_along_axis(scores[close], keys[close], axis=1)
    wrong = close[(ranked[:, 1:] > ranked[:, :-1]).any(axis=1)]
    keys[wrong] = np.argsort(-scores[wrong], axis=1, kind="stable")
    return keys


def _groups(answers: Sequence[Mapping[str, float]]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """The answers of about the same length: which they are, and their negated scores as `_ranks` wants them."""
    import numpy as np

    lengths = np.array([len(answer) for answer in answers], np.int64)
    magnitudes = np.array([len(answer).bit_length() for answer in answers], np.int64)
    for magnitude in np.unique(magnitudes[lengths > 0]).tolist():
        group = np.flatnonzero(magnitudes == magnitude)
        chosen = [answers[number] for number in group.tolist()]
        scores = np.fromiter(chain.from_iterable(answer.values() for answer in chosen), np.float64, int(lengths[group].sum()))
        if not np.isfinite(scores).all():
            for answer in chosen:
                require_finite(answer)
        falling = np.full((len(group), 1 << magnitude), np.inf)
        falling[np.arange(1 << magnitude) < lengths[group, None]] = -scores
        falling.sort(axis=1)
        yield group, falling


def _ranks(falling: NDArray[np.float64], row: NDArray[np.int64], score: NDArray[np.float64]) -> NDArray[np.int64]:
    """The 1-based rank of each score in its row; -1 where the row holds it more than once.

    A binary search for all at once.

    Args:
        falling: negated scores, each row sorted upwards and filled with inf; shape (rows, a power of 2 above the most scores).
        row: in which row each score stands.
        score: the scores.
    """
    flat, negated = falling.ravel(), -score
    start = row * falling.shape[1]
    place = start.copy()
    step = falling.shape[1] >> 1
    while step:
        place += step * (flat.take(place + (step - 1)) < negated)
        step >>= 1
    ranks: NDArray[np.int64] = place - start + 1
    ranks[flat.take(place + 1) == negated] = -1
    return ranks


def _ranks_by_id(documents: Sequence[tuple[int, str]], answers: Sequence[Mapping[str, float]], ties: Ties) -> list[int]:
    """The 1-based rank of each document, given with the number of its answer, in that answer; by answer."""
    found: list[int] = []
    for number, group in groupby(documents, key=itemgetter(0)):
        ranks = {document: rank for rank, document in enumerate(ranked_by_score(answers[number], ties), start=1)}
        found += [ranks[document] for _, document in group]
    return found
