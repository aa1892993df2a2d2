"""The port of everything that turns texts into vectors, and the rules that its vectors keep."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import isfinite
from typing import Protocol

from assay.errors import InputError, Problem
from assay.model.embedding import EmbedderIdentity, Vector, is_unit, length_of


class Embedder(Protocol):
    """Texts to vectors. The vector of a text depends on the text alone."""

    @property
    def identity(self) -> EmbedderIdentity:
        """What decides the vectors."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, in the order of the texts; [] for none."""


def normalised(values: Sequence[float]) -> Vector:
    """The values as a vector of length 1, in float32. Raises ValueError for a length that is 0 or not finite."""
    length = length_of(values)
    if not isfinite(length) or length <= 0:
        raise ValueError(f"a vector of length {length:g} has no direction")
    return tuple(array("f", [value / length for value in values]))


def vectors_of(embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
    """What the embedder gives for the texts. Raises InputError where it breaks the rules of the port."""
    vectors = embedder.embed(texts)
    identity = embedder.identity
    if len(vectors) != len(texts):
        raise InputError(Problem(f"embedder {identity.model}", "wrong number of vectors", len(vectors), str(len(texts))))
    for text, vector in zip(texts, vectors, strict=True):
        where = f"embedder {identity.model}: vector of {_start(text)}"
        if len(vector) != identity.dimension:
            raise InputError(Problem(where, "wrong dimension", len(vector), str(identity.dimension)))
        if not is_unit(vector):
            raise InputError(Problem(where, "is not of length 1", length_of(vector), "finite numbers whose squares sum to 1"))
    return vectors


def _start(text: str) -> str:
    shown = 40
    return repr(text if len(text) <= shown else f"{text[:shown]}…")
