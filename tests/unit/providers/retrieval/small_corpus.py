"""A few documents, and embedders whose vectors can be worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.model.embedding import EmbedderIdentity, Vector
from assay.providers.retrieval.corpus import Corpus
from assay.suites.retrieval.cases import Document


def document(name: str, text: str = "Some text.", day: int = 1, content_type: str = "fact", **changes: str) -> Document:
    """A document of a day in March."""
    given = {"id": name, "content_type": content_type, "text": text, "created_at": f"2026-03-{day:02}T12:00:00+00:00"}
    return Document(**{**given, **changes})


def corpus(*documents: Document) -> Corpus:
    return Corpus(documents)


def of_texts(*texts: str) -> Corpus:
    """d1, d2, ... each a day younger than the one before."""
    return Corpus([document(f"d{number}", text, day=number) for number, text in enumerate(texts, start=1)])


def ids(ranking: Sequence[tuple[str, float]]) -> list[str]:
    return [name for name, _ in ranking]


class Table:
    """An embedder that looks its vectors up, and counts the texts it is asked for."""

    def __init__(self, vectors: Mapping[str, Vector], dimension: int = 2, model: str = "table") -> None:
        self._vectors, self._dimension, self._model = vectors, dimension, model
        self.asked: list[list[str]] = []

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity(model=self._model, dimension=self._dimension)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.asked.append(list(texts))
        return [self._vectors[text] for text in texts]


class Failing(Table):
    """An embedder that must not be asked."""

    def __init__(self) -> None:
        super().__init__({}, model="table")

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        raise AssertionError(f"an embedding call for {list(texts)}")
