"""score: what an orchestrator answers to one task, as it crosses from the replay stage."""

from __future__ import annotations

from pydantic import Field

from assay.model.base import Frozen


class Event(Frozen):
    """One response that broke its provider's baseline, or a provider's error."""

    provider: str
    reasons: tuple[str, ...] = Field(min_length=1)
    """In the system's own words: `refusal`, `latency 0.06s vs median 0.01s`, `error: RuntimeError`."""

    @property
    def told(self) -> str:
        """`<provider>: <kinds>`, without figures; an error keeps its type."""
        return f"{self.provider}: {', '.join(kind_of(reason) for reason in self.reasons)}"


class TaskAnswer(Frozen):
    """The answer to one task. What a system does not say is null, never 0."""

    answer: str
    responses: tuple[str, ...] = ()
    """What the providers said of which the answer was made."""
    sources: tuple[str, ...] = ()
    """Ids of the records that the answer rests on, each once."""
    weighted_score: float | None = None
    """The objective J."""
    constraints_met: bool | None = None
    events: tuple[Event, ...] = ()
    """Throttle and error events of this task, in order."""
    subtasks: int | None = Field(None, ge=0)

    @property
    def texts(self) -> tuple[str, ...]:
        """All that a facet may be found in."""
        return (self.answer, *self.responses)


def kind_of(reason: str) -> str:
    """`latency`, `length`, `density`, `refusal`, or `error: <type>`."""
    return reason if reason.startswith("error:") else reason.split(" ", maxsplit=1)[0]
