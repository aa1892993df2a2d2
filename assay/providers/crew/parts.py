"""The decisions of the orchestrator that a defect could get wrong, each a function of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from assay.providers.crew.choice import Choice, default_choice
from assay.providers.crew.moves import Limits, refusal_of
from assay.providers.crew.port import ChatMessage, ChatReply, ModelOutage
from assay.providers.crew.specialists import Ask, ask
from assay.providers.crew.state import State
from assay.providers.crew.telemetry import Telemetry

DONE: Final = "DONE"
FAILED: Final = "FAILED"


@dataclass(frozen=True)
class Ending:
    """How a run ends, and why where it fails."""

    phase: Literal["DONE", "FAILED"]
    reason: str = ""


def goes_on(reason: str) -> Ending | None:
    """After a refused move: the run goes on."""
    return None


def ends_without_angles() -> Ending:
    """After a strategist that found no angle: the run has failed."""
    return Ending(FAILED, "the strategist found nothing to write from")


def ends_by_outage(outage: ModelOutage, messages: Sequence[ChatMessage]) -> ChatReply | Ending:
    """Without a model at the decision step: the run has failed."""
    return Ending(FAILED, f"no decision: {outage}")


@dataclass(frozen=True)
class Parts:
    """What an orchestrator is composed of. The defaults are the crew as it should be."""

    limits: Limits = field(default_factory=Limits)
    refusal: Callable[[str, State, Limits], str | None] = refusal_of
    after_refusal: Callable[[str], Ending | None] = goes_on
    without_angles: Callable[[], Ending] = ends_without_angles
    ask: Ask = ask
    after_outage: Callable[[ModelOutage, Sequence[ChatMessage]], ChatReply | Ending] = ends_by_outage
    telemetry: Callable[[sqlite3.Connection], Telemetry] = Telemetry
    default: Callable[[Mapping[str, str]], Choice] = default_choice
