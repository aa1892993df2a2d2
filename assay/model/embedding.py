"""What an embedding is, and what made it."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt

from pydantic import Field

from assay.model.base import Frozen
from assay.model.exchange import Sha256

Vector = tuple[float, ...]
"""float32 values, shape (dimension,), of length 1."""
UNIT_TOLERANCE = 1e-3
"""How far the length of a vector may be from 1."""


class EmbedderIdentity(Frozen):
    """All that decides which vector a text gets; part of a recording's manifest and of every memo key."""

    model: str = Field(min_length=1)
    model_sha256: Sha256 | None = None
    """The digest of the model file; null for an endpoint, which shows no file."""
    tokenizer_sha256: Sha256 | None = None
    """The digest of the tokenizer file; null where none is known."""
    dimension: int = Field(ge=1)


def length_of(vector: Sequence[float]) -> float:
    """The L2 length; not finite where a component is not."""
    try:
        return sqrt(fsum(value * value for value in vector))
    except (OverflowError, ValueError):
        return float("inf")


def is_unit(vector: Sequence[float]) -> bool:
    """Whether the length is 1; false where a component is not finite."""
    return abs(length_of(vector) - 1) <= UNIT_TOLERANCE
