"""Strategies without any search: what a suite must tell from its subject."""

from __future__ import annotations

from collections.abc import Sequence

from assay.providers.retrieval.corpus import Corpus
from assay.providers.retrieval.ranking import Ranking, in_order
from assay.suites.retrieval.cases import Document


class ConstantAnswer:
    """The same ranking for every query: the given ids first, in their order, then the rest, newest first."""

    ranks_all = True

    def __init__(self, corpus: Corpus, first: Sequence[str] = ()) -> None:
        self._corpus, self._first = corpus, {name: place for place, name in enumerate(first)}

    def search(self, query: str | None, content_type: str | None = None) -> Ranking:
        """The constant ranking, whatever the query."""
        ids = [document.id for document in self._corpus.documents(content_type)]
        return in_order(sorted(ids, key=lambda name: self._first.get(name, len(self._first))))


class Abstain:
    """Returns nothing."""

    ranks_all = False

    def search(self, query: str | None, content_type: str | None = None) -> Ranking:
        """Nothing."""
        return ()


class LongestFirst:
    """The documents by their number of characters, the longest first, equal ones by id."""

    ranks_all = True

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def search(self, query: str | None, content_type: str | None = None) -> Ranking:
        """The same ranking, whatever the query."""
        found = sorted(self._corpus.documents(content_type), key=_longest)
        return in_order([document.id for document in found])


class WholeCorpus:
    """The whole corpus in the order of its ids."""

    ranks_all = True

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def search(self, query: str | None, content_type: str | None = None) -> Ranking:
        """Everything, whatever the query."""
        return in_order(sorted(document.id for document in self._corpus.documents(content_type)))


def _longest(document: Document) -> tuple[int, str]:
    return -len(document.text), document.id
