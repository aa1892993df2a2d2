"""BM25 over words as they stand, for information: what a search without any model reaches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from math import log

from assay.providers.retrieval.corpus import Corpus
from assay.providers.retrieval.ranking import Ranking, by_score, newest_first

K1, B = 1.5, 0.75


def tokens(text: str) -> list[str]:
    """The words of two and more characters in lower case; no stemming, no stop words."""
    return re.findall(r"\b\w\w+\b", text.lower())


class BM25:
    """Sum over the query's words, repeats counted, of idf * tf / (tf + k1 * (1 - b + b * words / mean words)).

    idf = ln(1 + (N - n + 0.5) / (n + 0.5)), which is never negative. Source: Robertson and Zaragoza, "The Probabilistic
    Relevance Framework" (2009), in Lucene's form, which leaves out the constant factor k1 + 1. Scores are rounded to six
    decimals, ties by id.
    """

    ranks_all = True

    def __init__(self, corpus: Corpus, tokenizer: Callable[[str], list[str]] = tokens) -> None:
        self._corpus, self._tokenizer = corpus, tokenizer
        self._types = {document.id: document.content_type for document in corpus.documents()}

    def search(self, query: str | None, content_type: str | None = None) -> Ranking:
        """Every document of the content type, also those that no word of the query is in, with 0."""
        if query is None:
            return newest_first(self._corpus, content_type)
        scores = dict.fromkeys(self._types, 0.0)
        for word, times in Counter(self._tokenizer(query)).items():
            for name, weight in self._weights.get(word, ()):
                scores[name] += times * weight
        return by_score((name, score) for name, score in scores.items() if content_type in {None, self._types[name]})

    @cached_property
    def _weights(self) -> dict[str, list[tuple[str, float]]]:
        """For every word the documents that it is in, each with what the word adds to its score."""
        counts = {document.id: Counter(self._tokenizer(document.text)) for document in self._corpus.documents()}
        mean = sum(map(Counter.total, counts.values())) / max(1, len(counts))
        postings: dict[str, list[tuple[str, float]]] = {}
        for name, words in counts.items():
            damping = K1 * (1 - B + B * words.total() / mean) if mean else K1
            for word, times in words.items():
                postings.setdefault(word, []).append((name, times / (times + damping)))
        return {word: _weighted(len(counts), found) for word, found in postings.items()}


def _weighted(documents: int, found: list[tuple[str, float]]) -> list[tuple[str, float]]:
    idf = log(1 + (documents - len(found) + 0.5) / (len(found) + 0.5))
    return [(name, idf * part) for name, part in found]
