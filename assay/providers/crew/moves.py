"""The four moves of the orchestrator, as tools, and which of them are legal when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from assay.providers.crew.port import Tool
from assay.providers.crew.state import State

CONSULT, ASSIGN, REVIEW, FINALIZE = "consult_strategist", "assign_writer", "request_editor_review", "finalize"
_NOTHING: dict[str, JsonValue] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
_NOTES: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"notes": {"type": "string", "description": "What the writer must change or keep in mind; may be empty."}},
    "required": ["notes"],
    "additionalProperties": False,
}
TOOLS: tuple[Tool, ...] = (
    Tool(CONSULT, "Ask the strategist for the angles of the piece. Once, before anything else.", _NOTHING),
    Tool(ASSIGN, "Have the writer write the draft, or revise it after the editor asked for a revision.", _NOTES),
    Tool(REVIEW, "Have the editor judge the latest draft.", _NOTHING),
    Tool(FINALIZE, "Hand over the latest draft and end the run.", _NOTHING),
)


@dataclass(frozen=True)
class Limits:
    """What no policy can talk the orchestrator out of."""

    max_revisions: int = 2
    max_moves: int = 16
    """Decided moves, refused ones included, before the orchestrator closes the run itself."""
    max_refusals_in_a_row: int = 3
    """Refused moves in a row before the orchestrator closes the run itself."""
    max_failures_in_a_row: int = 2
    """Failures of specialists in a row before the orchestrator closes the run itself."""
    max_askings: int = 2
    """How often a specialist is asked for one reply that has the agreed form."""


def refusal_of(move: str, state: State, limits: Limits) -> str | None:
    """Why the move is illegal in this state; None where it is legal."""
    if move == CONSULT:
        return "the strategist has given its angles" if state.angles() else None
    if move == ASSIGN:
        return _refused_assignment(state, limits)
    if move == REVIEW:
        return _first(
            (not state.drafts(), "there is no draft to review"), (state.is_reviewed(), "the editor has judged this draft")
        )
    if move == FINALIZE:
        return _refused_end(state, limits)
    return f"there is no such move; the moves are {', '.join(tool.name for tool in TOOLS)}"


def _refused_assignment(state: State, limits: Limits) -> str | None:
    return _first(
        (not state.angles(), "there are no angles to write from"),
        (bool(state.drafts()) and not state.is_revision_wanted(), "the editor has not asked for a revision"),
        (bool(state.drafts()) and state.revisions() >= limits.max_revisions, _spent(limits)),
    )


def _refused_end(state: State, limits: Limits) -> str | None:
    is_open = state.is_revision_wanted() and state.revisions() < limits.max_revisions
    return _first(
        (not state.drafts(), "there is no draft to hand over"),
        (not state.is_reviewed(), "the editor has not judged the latest draft"),
        (is_open, "the editor has asked for a revision"),
    )


def _spent(limits: Limits) -> str:
    return f"the limit of {limits.max_revisions} revisions is reached; finalize"


def _first(*conditions: tuple[bool, str]) -> str | None:
    return next((reason for holds, reason in conditions if holds), None)


def names(tools: Sequence[Tool]) -> list[str]:
    """The tools' names, in order."""
    return [tool.name for tool in tools]
