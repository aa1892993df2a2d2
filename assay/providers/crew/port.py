"""The crew's port to a model: what it says, which tools it offers, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import JsonValue

from assay.errors import AssayError

Purpose = Literal["decide", "strategist", "writer", "editor"]
"""Who is speaking to the model: the orchestrator that decides, or one of the three specialists."""
PURPOSES: tuple[Purpose, ...] = ("decide", "strategist", "writer", "editor")


class ModelOutage(AssayError):
    """The model cannot be reached or gave no usable answer, after all retries."""


@dataclass(frozen=True)
class ToolCall:
    """A tool that the model wants called."""

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class ChatMessage:
    """One message. `tool_calls` belong to an assistant's message, `tool` names the tool whose result a tool's message is."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool: str | None = None


@dataclass(frozen=True)
class ChatReply:
    """What the model said and which tools it wants called, in order."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True)
class Tool:
    """A tool as it is offered."""

    name: str
    description: str
    parameters: Mapping[str, JsonValue]
    """JSON Schema of the arguments."""


class ChatModel(Protocol):
    """What answers for one case."""

    def complete(self, purpose: Purpose, messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> ChatReply:
        """The reply. Raises ModelOutage when there is none."""
