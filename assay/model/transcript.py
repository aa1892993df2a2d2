"""What an orchestrator did, event by event: the exchange of the orchestration kind."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field, JsonValue

from assay.model.base import Frozen

TRANSCRIPT_FORMAT: Final = 1
EventKind = Literal["decision", "refused", "tool_call", "model_call", "phase", "stream", "error", "final"]


class Event(Frozen):
    """One thing that happened."""

    kind: EventKind
    name: str = Field(min_length=1)
    """The move that was decided or refused, the tool, the purpose of the model call, the phase, the stream event, the
    class of the error, or the final phase."""
    actor: str | None = None
    """Who did it, where the orchestrator has several parts."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    result: JsonValue = None
    text: str | None = None
    """What was said, or why a move was refused."""


class Transcript(Frozen):
    """All events of one run, in order."""

    format: Literal[1] = TRANSCRIPT_FORMAT
    id: str = Field(min_length=1)
    source: str | None = None
    """The file it was read from, where it was."""
    events: tuple[Event, ...]
