"""An embedder with a disposable memory, so that a text is embedded, and paid for, once."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Protocol

from assay.digest import digest_of
from assay.model.embedding import EmbedderIdentity, Vector, is_unit
from assay.providers.retrieval.embedder import Embedder, vectors_of
from assay.stores.vectors import text_sha256

BATCH = 64
"""How many texts are embedded before their vectors are kept."""


class Kept(Protocol):
    """Bytes by digest, such as `assay.stores.memo.Memo`."""

    def find(self, digest: str) -> bytes | None:
        """What was kept."""

    def keep(self, digest: str, data: bytes) -> None:
        """Keep it."""


class MemoEmbedder:
    """Asks the memory first. The key names embedder and text; a damaged entry counts as absent."""

    def __init__(self, embedder: Embedder, memo: Kept) -> None:
        self._embedder, self._memo = embedder, memo

    @property
    def identity(self) -> EmbedderIdentity:
        """Of the embedder that is asked where the memory has nothing."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text; each text that is not known is embedded once, and kept batch by batch."""
        known = {text: vector for text in dict.fromkeys(texts) if (vector := self._found(text)) is not None}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        for start in range(0, len(new), BATCH):
            batch = new[start : start + BATCH]
            for text, vector in zip(batch, vectors_of(self._embedder, batch), strict=True):
                self._memo.keep(self._key(text), struct.pack(self._layout, *vector))
                known[text] = vector
        return [known[text] for text in texts]

    def _found(self, text: str) -> Vector | None:
        data = self._memo.find(self._key(text))
        if data is None or len(data) != struct.calcsize(self._layout):
            return None
        vector = struct.unpack(self._layout, data)
        return vector if is_unit(vector) else None

    def _key(self, text: str) -> str:
        return digest_of({"embedder": self.identity.model_dump(mode="json"), "text_sha256": text_sha256(text)})

    @property
    def _layout(self) -> str:
        return f"<{self.identity.dimension}f"
