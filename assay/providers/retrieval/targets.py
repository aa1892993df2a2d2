"""The retrievers as targets of a suite: one corpus, one query per case, the whole ranking as the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from assay.digest import canonical
from assay.errors import InputError, Problem, Unrecorded
from assay.model.embedding import EmbedderIdentity, Vector
from assay.model.gold import GoldCase
from assay.model.target import Target, TargetContext, TargetRecording
from assay.model.verdict import Check
from assay.providers.budget import Budget
from assay.providers.retrieval.bm25 import BM25
from assay.providers.retrieval.corpus import Corpus
from assay.providers.retrieval.embedder import Embedder
from assay.providers.retrieval.hashing import HashEmbedder
from assay.providers.retrieval.keyword import Keyword
from assay.providers.retrieval.memoised import MemoEmbedder
from assay.providers.retrieval.minilm import MiniLM
from assay.providers.retrieval.openai_embeddings import OpenAIEmbedder
from assay.providers.retrieval.recorded import MissingVector, RecordedEmbedder
from assay.providers.retrieval.retriever import Retriever
from assay.providers.retrieval.semantic import Semantic
from assay.providers.retrieval.trivial import Abstain, ConstantAnswer, LongestFirst, WholeCorpus
from assay.providers.retrieval.visibility import visible_corpus
from assay.reading import records
from assay.stores.memo import Memo
from assay.stores.vectors import read_vectors, text_sha256, vector_facts, vectors_bytes
from assay.suites.retrieval.cases import Document
from assay.suites.retrieval.options import options_of


class RetrievalTarget:
    """A retriever over the suite's corpus, asked case by case."""

    def __init__(self, context: TargetContext, corpus: Corpus, retriever: Retriever, *, sees_corpus: bool = True) -> None:
        """`sees_corpus` is false for a strategy that does not look at queries: no probe can find itself there."""
        self._corpus, self._retriever, self._sees_corpus = corpus, retriever, sees_corpus
        self._depth = options_of(context.options).depth

    def answer(self, case: GoldCase) -> str:
        """The ranking as JSON. Raises Unrecorded where replay lacks a vector."""
        with unrecorded():
            ranking = self._retriever.search(str(case.input["query"]))
        kept = ranking[: self._depth]
        body = {"ranking": kept, "is_cut": len(kept) < len(ranking), "documents": self._corpus.count()}
        return canonical(body).decode()

    def checks(self) -> Sequence[Check]:
        """Whether the whole corpus is seen."""
        with unrecorded():
            return [visible_corpus(self._corpus, self._retriever)] if self._sees_corpus else []


class EmbeddedTarget(RetrievalTarget):
    """Search over vectors of a model that was asked in this run."""

    def __init__(self, context: TargetContext, corpus: Corpus, gathering: Gathering) -> None:
        super().__init__(context, corpus, Semantic(corpus, gathering, queries_of(context)))
        self._gathering = gathering

    def recording(self) -> TargetRecording:
        """Every vector that was used."""
        return self._gathering.recording()


class Gathering:
    """An embedder that remembers what it was asked."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.vectors: dict[str, Vector] = {}

    @property
    def identity(self) -> EmbedderIdentity:
        """Of the embedder behind it."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """The embedder's vectors, each kept by the digest of its text."""
        vectors = self._embedder.embed(texts)
        self.vectors |= {text_sha256(text): vector for text, vector in zip(texts, vectors, strict=True)}
        return vectors

    def recording(self) -> TargetRecording:
        """All vectors so far, and what made them."""
        return TargetRecording(
            body=vectors_bytes(self.vectors, self.identity),
            rows=len(self.vectors),
            model_served=self.identity.model,
            identity=self.identity.model_dump(mode="json", exclude_none=True),
        )


class unrecorded(ExitStack):  # noqa: N801  # a context manager reads as a verb
    """Tells the absence of a recorded vector as `Unrecorded`."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool | None:
        """Translate."""
        if isinstance(error, MissingVector):
            more = f" (and {len(error.problems) - 1} more)" if len(error.problems) > 1 else ""
            raise Unrecorded(f"{error.problems[0]}{more}") from None
        return None


def semantic(context: TargetContext) -> Target:
    """Cosine over MiniLM's vectors: recorded ones in replay, the real model's live."""
    return _embedded(context, MiniLM)


def embeddings_api(context: TargetContext) -> Target:
    """Cosine over the vectors of an OpenAI-compatible embeddings endpoint: recorded in replay, asked for live."""
    return _embedded(context, lambda: _endpoint(context))


def keyword(context: TargetContext) -> Target:
    """The old keyword search."""
    corpus = corpus_of(context)
    return RetrievalTarget(context, corpus, Keyword(corpus))


def bm25(context: TargetContext) -> Target:
    """BM25."""
    corpus = corpus_of(context)
    return RetrievalTarget(context, corpus, BM25(corpus))


def deterministic(context: TargetContext) -> Target:
    """Cosine over vectors that carry no meaning."""
    corpus = corpus_of(context)
    return RetrievalTarget(context, corpus, Semantic(corpus, HashEmbedder(), queries_of(context)))


def constant_answer(context: TargetContext) -> Target:
    """The same ranking for every query."""
    corpus = corpus_of(context)
    return RetrievalTarget(context, corpus, ConstantAnswer(corpus), sees_corpus=False)


def abstain(context: TargetContext) -> Target:
    """Nothing for every query."""
    return RetrievalTarget(context, corpus_of(context), Abstain(), sees_corpus=False)


def longest_first(context: TargetContext) -> Target:
    """The longest documents for every query."""
    corpus = corpus_of(context)
    return RetrievalTarget(context, corpus, LongestFirst(corpus), sees_corpus=False)


def whole_corpus(context: TargetContext) -> Target:
    """The whole corpus for every query."""
    corpus = corpus_of(context)
    return RetrievalTarget(context, corpus, WholeCorpus(corpus), sees_corpus=False)


def corpus_of(context: TargetContext) -> Corpus:
    """The suite's documents in their database."""
    shown, data = context.files["documents"]
    return Corpus(records(data, shown, Document))


def queries_of(context: TargetContext) -> list[str]:
    """What will be asked, so that it can be embedded at once."""
    return [str(case.input["query"]) for case in context.cases]


def _embedded(context: TargetContext, model: Callable[[], Embedder]) -> Target:
    corpus = corpus_of(context)
    if context.mode == "replay":
        recorded = _recorded(context)
        return RetrievalTarget(context, corpus, Semantic(corpus, recorded, queries_of(context)))
    embedder = model()
    if context.home is not None:
        embedder = MemoEmbedder(embedder, Memo(context.home))
    return EmbeddedTarget(context, corpus, Gathering(embedder))


def _endpoint(context: TargetContext) -> Embedder:
    model = context.provider.model
    dimension = options_of(context.options).dimensions.get(model)
    if dimension is None:
        where, expected = "suite.yaml: options.dimensions", "the number of components of its vectors"
        raise InputError(Problem(where, f"does not name {model!r}", expected=expected))
    budget = context.budget if isinstance(context.budget, Budget) else None
    return OpenAIEmbedder("embeddings", context.provider, dimension, context.environ, budget=budget)


def _recorded(context: TargetContext) -> RecordedEmbedder:
    shown = f"recording of {context.provider.model}"
    if context.recording is None:
        raise InputError(Problem(shown, "is not there", remedy="Make it with `assay record`."))
    identity = vector_facts(context.recording, shown).embedder
    return RecordedEmbedder(read_vectors(context.recording, shown), identity, shown)
