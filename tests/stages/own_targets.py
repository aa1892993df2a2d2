"""A user's own targets: retrievers with a defect each, for a copy of the project. It is copied there, not imported here."""

from __future__ import annotations

from assay.model.target import Target, TargetContext
from assay.providers.retrieval.corpus import Corpus
from assay.providers.retrieval.hashing import HashEmbedder
from assay.providers.retrieval.keyword import Keyword
from assay.providers.retrieval.ranking import Ranking
from assay.providers.retrieval.retriever import Retriever
from assay.providers.retrieval.semantic import Semantic
from assay.providers.retrieval.targets import RetrievalTarget, corpus_of, queries_of


def dead(context: TargetContext) -> Target:
    """A keyword search whose tokenizer returns nothing."""
    corpus = corpus_of(context)
    return RetrievalTarget(context, corpus, Keyword(corpus, tokenizer=lambda _: []))


def hidden(context: TargetContext) -> Target:
    """A search of vectors without meaning that sees every other document."""
    corpus = corpus_of(context)
    return RetrievalTarget(context, corpus, Hiding(corpus, Semantic(corpus, HashEmbedder(), queries_of(context))))


class Hiding:
    """A retriever that sees every other document, beginning with the newest."""

    def __init__(self, corpus: Corpus, whole: Retriever) -> None:
        self._whole, self._seen = whole, {document.id for document in corpus.documents()[::2]}
        self.ranks_all = whole.ranks_all

    def search(self, query: str | None, content_type: str | None = None) -> Ranking:
        return tuple(found for found in self._whole.search(query, content_type) if found[0] in self._seen)
