"""Decision functions: the crew's own, and rogue ones that take its place. Each sees what a model would see: the messages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from assay.errors import InputError, Problem, nearest
from assay.providers.crew.moves import ASSIGN, CONSULT, FINALIZE, REVIEW
from assay.providers.crew.port import ChatMessage, ChatReply, ModelOutage, ToolCall

Policy = Callable[[Sequence[ChatMessage]], ChatReply]
_NEXT = {CONSULT: ASSIGN, ASSIGN: REVIEW}
_SKIPPED = (ASSIGN, FINALIZE)
"""The two moves with which `skips_steps` starts, both illegal there."""
_ANSWERED = 2
"""After so many moves the provider of `raises_at_decision` is gone: there are angles and a draft, and no review."""


def own(messages: Sequence[ChatMessage]) -> ChatReply:
    """Strategist, writer, editor; a revision whenever the editor asks; a failed move again; the end when refused."""
    last = _last_result(messages)
    if last is None:
        return _move(CONSULT)
    name, result = last
    if "refused" in result:
        return _move(FINALIZE)
    if "failed" in result:
        return _move(name)
    if name == REVIEW:
        return _move(FINALIZE) if result.get("verdict") == "pass" else _move(ASSIGN, str(result.get("notes", "")))
    return _move(_NEXT.get(name, FINALIZE))


def skips_steps(messages: Sequence[ChatMessage]) -> ChatReply:
    """Wants a draft without angles, then the end without a draft; then decides as the crew's own policy."""
    moves = [number for number, message in enumerate(messages) if message.role == "tool"]
    if len(moves) < len(_SKIPPED):
        return _move(_SKIPPED[len(moves)])
    return own(messages[moves[len(_SKIPPED) - 1] + 1 :])


def demands_revisions(messages: Sequence[ChatMessage]) -> ChatReply:
    """Wants another revision after every review, whatever it is told, and never the end."""
    last = _last_result(messages)
    if last is None:
        return _move(CONSULT)
    name, result = last
    if name == ASSIGN and "refused" not in result:
        return _move(REVIEW)
    return _move(ASSIGN, "Once more, with feeling.")


def raises_at_decision(messages: Sequence[ChatMessage]) -> ChatReply:
    """Decides as the crew's own policy until there is a draft; then its provider is gone."""
    if sum(message.role == "tool" for message in messages) >= _ANSWERED:
        raise ModelOutage("HTTP 503 at the decision step")
    return own(messages)


OWN = "own"
POLICIES: Mapping[str, Policy] = {
    OWN: own,
    "skips_steps": skips_steps,
    "demands_revisions": demands_revisions,
    "raises_at_decision": raises_at_decision,
}


def policy_named(name: str, where: str) -> Policy:
    """The decision function. Raises InputError for an unknown name."""
    if name not in POLICIES:
        raise InputError(Problem(where, "unknown policy", name, f"one of {', '.join(POLICIES)}", nearest(name, POLICIES)))
    return POLICIES[name]


def _move(name: str, notes: str = "") -> ChatReply:
    return ChatReply("", (ToolCall(name, {"notes": notes} if name == ASSIGN else {}),))


def _last_result(messages: Sequence[ChatMessage]) -> tuple[str, Mapping[str, JsonValue]] | None:
    """The last tool that was called and what came of it; None before the first."""
    for message in reversed(messages):
        if message.role == "tool":
            return message.tool or "", json.loads(message.content)
    return None
