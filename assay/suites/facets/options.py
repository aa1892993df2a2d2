"""What a facets suite sets in its `options`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pydantic import Field, JsonValue, field_validator

from assay.model.base import Frozen
from assay.reading import validated


class AuditOptions(Frozen):
    """What the audit holds scenarios to."""

    common_limit: float = Field(0.2, gt=0, le=1)
    """A facet in a larger share of its scenario's records is a hit by luck."""
    near_duplicate_limit: float = Field(0.9, gt=0, le=1)
    review_band: float = Field(0.8, gt=0, le=1)
    scenarios: dict[str, int] = Field(default_factory=dict)
    """How many tasks each scenario has, for the audit to hold it to."""


class Options(Frozen):
    """`options` of a facets suite: what is injected instead of measured."""

    now: str = "2026-01-15T12:00:00+00:00"
    """The clock; every age is counted back from it."""
    seed: int = Field(0, ge=0)
    latency_s: float = Field(0.01, ge=0)
    """What a simulated provider takes for a call."""
    slowdown: float = Field(6.0, ge=1)
    """How many times as long it takes once it is degraded."""
    audit: AuditOptions = AuditOptions()

    @field_validator("now")
    @classmethod
    def _zoned(cls, text: str) -> str:
        if datetime.fromisoformat(text).tzinfo is None:
            raise ValueError("the time has no zone")
        return text


def options_of(options: Mapping[str, JsonValue]) -> Options:
    """The options, validated. Raises InputError."""
    return validated(dict(options), "suite.yaml: options", Options)
