"""Planted defects: the crew with one part wrong, and what must turn red. Nothing of the crew imports this module."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from assay.providers.crew.choice import DEFAULT, SCRIPTED, Choice
from assay.providers.crew.moves import TOOLS, Limits, names, refusal_of
from assay.providers.crew.parts import DONE, FAILED, Ending, Parts
from assay.providers.crew.policy import own
from assay.providers.crew.port import ChatMessage, ChatModel, ChatReply, ModelOutage, Purpose
from assay.providers.crew.specialists import Angles, Draft, Mismatch, OutOfForm, Question, ReplyRecord, Review, ask
from assay.providers.crew.state import State, fresh_database
from assay.providers.crew.telemetry import Telemetry

_NOTHING: Mapping[Purpose, Angles | Draft | Review] = {
    "strategist": Angles(angles=()),
    "writer": Draft.model_construct(draft=""),
    "editor": Review(verdict="pass", notes=""),
}


@dataclass(frozen=True)
class Defect:
    """One thing that is wrong with a crew."""

    name: str
    parts: Callable[[], Parts]
    """Makes the defective crew; each has a memory of its own where the defect is one of memory."""
    killed_by: tuple[str, ...] = ()
    """The cases that turn red, in the order of the gold set."""
    spared: tuple[str, ...] | None = None
    """Where every other case turns red: those that stay green when the gold set is run in its order."""
    broken_check: str | None = None
    """The target's own check that is broken."""

    def red_among(self, cases: Sequence[str]) -> tuple[str, ...]:
        """Which of these cases, run in this order, must turn red."""
        return self.killed_by if self.spared is None else tuple(case for case in cases if case not in self.spared)


def _accepts(move: str, state: State, limits: Limits) -> str | None:
    return None if move in names(TOOLS) else refusal_of(move, state, limits)


def _gives_up(reason: str) -> Ending | None:
    return Ending(FAILED, reason)


def _is_content_without_angles() -> Ending:
    return Ending(DONE)


def _swallows(model: ChatModel, question: Question, form: type[ReplyRecord], askings: int, mismatch: Mismatch) -> ReplyRecord:
    try:
        return ask(model, question, form, askings, mismatch)
    except (ModelOutage, OutOfForm):
        return cast(ReplyRecord, _NOTHING[question.purpose])


def _shares_telemetry() -> Parts:
    shared = fresh_database()

    def telemetry(database: sqlite3.Connection) -> Telemetry:
        return Telemetry(shared)

    return Parts(telemetry=telemetry)


def _falls_into_the_mock(outage: ModelOutage, messages: Sequence[ChatMessage]) -> ChatReply | Ending:
    return own(messages)


def _defaults_to_the_mock(environ: Mapping[str, str]) -> Choice:
    return Choice("scripted", "ASSAY_MOCK", DEFAULT.model_copy(update={"model": SCRIPTED, "live": None}))


DEFECTS: tuple[Defect, ...] = (
    Defect(
        "cap raised to ten",
        lambda: Parts(limits=Limits(max_revisions=10)),
        ("editor-never-satisfied", "rogue-demands-revisions"),
    ),
    Defect(
        "illegal moves accepted",  # closing a run without a draft is one of them: hence the writer's case
        lambda: Parts(refusal=_accepts),
        ("editor-never-satisfied", "writer-errors", "rogue-skips-steps", "rogue-demands-revisions"),
    ),
    Defect(
        "a refusal fails the run",
        lambda: Parts(after_refusal=_gives_up),
        ("editor-never-satisfied", "rogue-skips-steps", "rogue-demands-revisions"),
    ),
    Defect(
        "an empty strategy is a success",
        lambda: Parts(without_angles=_is_content_without_angles),
        ("strategist-returns-no-angles",),
    ),
    Defect("an exception is swallowed", lambda: Parts(ask=_swallows), ("writer-errors",)),
    Defect("telemetry is shared between cases", _shares_telemetry, spared=("editor-passes-at-once",)),
    Defect(
        "the mock stands in for a model that is gone",
        lambda: Parts(after_outage=_falls_into_the_mock),
        ("rogue-raises-at-decision",),
    ),
    Defect(
        "the mock is the default without the flag",
        lambda: Parts(default=_defaults_to_the_mock),
        broken_check="mock_is_chosen",
    ),
)
"""Eight, for "the mock engaged without the flag" is two: at a model that is gone, and at a key that is missing."""
