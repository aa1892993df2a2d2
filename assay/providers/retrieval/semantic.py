"""Search by meaning: cosine between the query's vector and the stored vector of every document."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from assay.model.embedding import Vector
from assay.providers.retrieval.corpus import Corpus
from assay.providers.retrieval.embedder import Embedder, vectors_of
from assay.providers.retrieval.ranking import STEPS, Ranking, newest_first

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GRID = 2.0**26
"""Components are rounded to multiples of 1 / GRID, which moves a cosine by less than 2e-7."""


class Semantic:
    """Cosine over vectors of length 1, in [-1, 1], rounded to 6 decimals; ties by id ascending.

    The scores are the same bytes on any processor. Components are rounded to multiples of 2**-26, so products are multiples of
    2**-52, and no partial sum of them exceeds the product of two lengths, which is below 2: every partial sum is a float64
    without rounding, in whatever order a processor adds and whether or not it fuses. Rounding to 6 decimals then starts from
    one and the same number. (A plain float64 sum differs in its last bits with the order, seldom also in the sixth decimal.)
    """

    ranks_all = True

    def __init__(self, corpus: Corpus, embedder: Embedder, queries: Sequence[str] = ()) -> None:
        """`queries` that are known beforehand are embedded together with the documents, at the first search."""
        self._corpus, self._embedder, self._queries = corpus, embedder, tuple(queries)
        self._documents = sorted(corpus.documents(), key=lambda document: document.id)
        self._names = [document.id for document in self._documents]
        self._known: dict[str, Vector] = {}

    def search(self, query: str | None, content_type: str | None = None) -> Ranking:
        """Every document of the content type with its cosine, best first."""
        if query is None:
            return newest_first(self._corpus, content_type)
        import numpy as np

        rows = self._rows(content_type)
        if not rows:
            return ()
        matrix = self._matrix if len(rows) == len(self._names) else self._matrix[rows]
        cosines = matrix @ self._on_grid([query])[0] / GRID**2
        scores = np.rint(cosines * STEPS) / STEPS + 0.0
        best = np.argsort(-scores, kind="stable")
        found = [self._names[rows[n]] for n in best.tolist()]
        return tuple(zip(found, scores[best].tolist(), strict=True))

    def _rows(self, content_type: str | None) -> Sequence[int]:
        """Where the documents of the content type are, in the order of their ids."""
        if content_type is None:
            return range(len(self._names))
        return [n for n, document in enumerate(self._documents) if document.content_type == content_type]

    @cached_property
    def _matrix(self) -> NDArray[np.float64]:
        """float64, shape (documents, dimension): whole numbers, in units of 1 / GRID."""
        texts = [document.text for document in self._documents]
        self._learn([*texts, *self._queries])
        return self._on_grid(texts)

    def _on_grid(self, texts: Sequence[str]) -> NDArray[np.float64]:
        import numpy as np

        self._learn(texts)
        return np.rint(np.array([self._known[text] for text in texts], dtype=np.float64) * GRID)

    def _learn(self, texts: Sequence[str]) -> None:
        """Embed what has no vector yet, each text once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, vectors_of(self._embedder, new), strict=True))
