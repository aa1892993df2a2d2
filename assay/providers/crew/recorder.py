"""Writes a run's events down in order, and counts model calls as they are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from assay.model.transcript import Event, EventKind
from assay.providers.crew.port import ChatMessage, ChatModel, ChatReply, ModelOutage, Purpose, Tool
from assay.providers.crew.telemetry import Telemetry

ORCHESTRATOR = "orchestrator"


class Recorder:
    """The events so far. Nothing in them depends on time or chance."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    @property
    def events(self) -> tuple[Event, ...]:
        """All events, in order."""
        return tuple(self._events)

    def note(
        self,
        kind: EventKind,
        name: str,
        actor: str = ORCHESTRATOR,
        *,
        arguments: Mapping[str, JsonValue] | None = None,
        result: JsonValue = None,
        text: str | None = None,
    ) -> None:
        """One thing happened."""
        event = Event(kind=kind, name=name, actor=actor, arguments=dict(arguments or {}), result=result, text=text)
        self._events.append(event)


class Instrumented:
    """A model whose every call is an event and is counted, answered or not."""

    def __init__(self, model: ChatModel, recorder: Recorder, telemetry: Telemetry) -> None:
        self._model, self._recorder, self._telemetry = model, recorder, telemetry

    def complete(self, purpose: Purpose, messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> ChatReply:
        """The model's reply; passes ModelOutage on."""
        actor = ORCHESTRATOR if purpose == "decide" else purpose
        asked: dict[str, JsonValue] = {"messages": len(messages), "tools": len(tools)}
        try:
            reply = self._model.complete(purpose, messages, tools)
        except ModelOutage as outage:
            self._telemetry.called(purpose, is_answered=False)
            self._recorder.note("model_call", purpose, actor, arguments=asked, text=f"no answer: {outage}")
            raise
        self._telemetry.called(purpose, is_answered=True)
        calls: list[JsonValue] = [{"name": call.name, "arguments": dict(call.arguments)} for call in reply.tool_calls]
        self._recorder.note("model_call", purpose, actor, arguments=asked, result={"text": reply.text, "tool_calls": calls})
        return reply
