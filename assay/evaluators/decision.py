"""A decision record: what was decided about what, by whom, why, and where that came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

FIELDS = ("scenario", "reasoning", "outcome", "confidence", "decision_maker", "metadata")


@dataclass(frozen=True)
class Decision:
    """One decision. Nothing is checked here: a wrong record must be expressible to be found wrong."""

    decision_id: str
    category: str
    scenario: str
    reasoning: str
    outcome: str
    confidence: float
    """In [0, 1] when it is right."""
    timestamp: datetime | str
    """A moment, or its ISO 8601 form."""
    decision_maker: str
    metadata: Mapping[str, object] = field(default_factory=dict)


def fields_of(value: object) -> Mapping[str, object] | None:
    """The judged fields of a decision or of its dict, None for each that it lacks; None when it is no decision at all."""
    if isinstance(value, Mapping):
        return {name: value.get(name) for name in FIELDS}
    if not any(hasattr(value, name) for name in FIELDS):
        return None
    return {name: getattr(value, name, None) for name in FIELDS}
