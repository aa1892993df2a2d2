"""Vectors from a recording: no model, no network, the same bytes on any machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.errors import InputError, Problem
from assay.model.embedding import EmbedderIdentity, Vector
from assay.stores.vectors import text_sha256

_SHOWN = 60


class MissingVector(InputError):
    """A text that the recording has no vector for: the gold set has changed since, or another one was recorded."""


class RecordedEmbedder:
    """Looks vectors up by the digest of their text, and never makes one."""

    def __init__(self, vectors: Mapping[str, Vector], identity: EmbedderIdentity, shown: str) -> None:
        """`shown` is the recording's path, for messages."""
        self._vectors, self._identity, self._shown = vectors, identity, shown

    @property
    def identity(self) -> EmbedderIdentity:
        """Of the embedder that was recorded."""
        return self._identity

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """The recorded vectors. Raises MissingVector with every text that has none."""
        names = {text: text_sha256(text) for text in texts}
        missing = [text for text, name in names.items() if name not in self._vectors]
        if missing:
            remedy = "Record it with `assay record`."
            raise MissingVector([Problem(self._shown, "no vector for a text", _start(text), remedy=remedy) for text in missing])
        return [self._vectors[names[text]] for text in texts]


def _start(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
