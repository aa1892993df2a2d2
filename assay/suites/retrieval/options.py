"""What a retrieval suite sets in its `options`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field, JsonValue

from assay.model.base import Frozen
from assay.reading import validated

STANDARD = ("recall@k", "precision@k", "mrr", "separation", "ndcg@k", "map", "success@k")


class AuditOptions(Frozen):
    """What the gold set says of itself, for the audit to hold it to."""

    grades: dict[str, int] = Field(default_factory=dict)
    """How many queries of each grade there are."""
    paraphrases: tuple[int, int] | None = None
    """At least and at most how many live queries share no word with their answers."""
    documents: int | None = None
    near_duplicate_limit: float = Field(0.9, gt=0, le=1)
    review_band: float = Field(0.7, gt=0, le=1)


class Options(Frozen):
    """`options` of a retrieval suite."""

    top_k: int = Field(5, ge=1)
    """How many documents the product asks for; `@k` in the name of a measure stands for it."""
    measures: tuple[str, ...] = STANDARD
    """What is measured, as ir_measures writes it or in plain words; read in `measures`."""
    depth: int | None = Field(None, ge=1)
    """How much of each ranking is kept; null keeps all of it. A cut ranking has no separation."""
    dimensions: dict[str, int] = Field(default_factory=dict)
    """How many components the vectors of a model behind an endpoint have, by model."""
    audit: AuditOptions = AuditOptions()


def options_of(options: Mapping[str, JsonValue]) -> Options:
    """The options, validated. Raises InputError."""
    return validated(dict(options), "suite.yaml: options", Options)
