"""Strategist, writer and editor: what each is asked, and the form its reply must have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Protocol, TypeVar

from pydantic import AfterValidator

from assay.errors import AssayError, InputError
from assay.model.base import Documented
from assay.providers.crew.port import ChatMessage, ChatModel, Purpose
from assay.providers.crew.prompts import EDITOR, STRATEGIST, WRITER
from assay.providers.crew.state import State, Verdict
from assay.reading import json_value, validated


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("the text is blank")
    return text


Text = Annotated[str, AfterValidator(_not_blank)]


class Angles(Documented):
    """The strategist's reply."""

    angles: tuple[Text, ...]
    """Each a sentence; empty when there is nothing to write from."""


class Draft(Documented):
    """The writer's reply."""

    draft: Text


class Review(Documented):
    """The editor's reply."""

    verdict: Verdict
    notes: str
    """What must change; empty for a pass."""


ReplyRecord = TypeVar("ReplyRecord", Angles, Draft, Review)
REPLY_FORMS: Mapping[Purpose, type[Angles] | type[Draft] | type[Review]] = {
    "strategist": Angles,
    "writer": Draft,
    "editor": Review,
}


@dataclass(frozen=True)
class Question:
    """What one specialist is asked."""

    purpose: Purpose
    messages: tuple[ChatMessage, ...]


class OutOfForm(AssayError):
    """A specialist's reply does not have the agreed form, however often it was asked."""


def strategist_question(brief: str) -> Question:
    """The strategist sees the brief."""
    return _question("strategist", STRATEGIST, f"Brief: {brief}")


def writer_question(brief: str, state: State, notes: str) -> Question:
    """The writer sees brief and angles, and for a revision its last draft and the notes on it."""
    parts = [f"Brief: {brief}", "Angles:", *(f"- {angle}" for angle in state.angles())]
    if state.draft() is not None:
        parts += [f"Your last draft: {state.draft()}", f"The editor's notes: {state.notes()}"]
    if notes:
        parts.append(f"From the orchestrator: {notes}")
    return _question("writer", WRITER, "\n".join(parts))


def editor_question(brief: str, state: State) -> Question:
    """The editor sees brief and latest draft."""
    return _question("editor", EDITOR, f"Brief: {brief}\nDraft: {state.draft() or ''}")


Mismatch = Callable[[Purpose, str], None]
"""Called with the purpose and the fault of a reply out of form."""


class Ask(Protocol):
    """How a specialist is asked."""

    def __call__(
        self, model: ChatModel, question: Question, form: type[ReplyRecord], askings: int, mismatch: Mismatch
    ) -> ReplyRecord:
        """The reply as a record. Raises OutOfForm, ModelOutage."""


def ask(model: ChatModel, question: Question, form: type[ReplyRecord], askings: int, mismatch: Mismatch) -> ReplyRecord:
    """The reply as a record. A reply out of form is asked for again with its fault told, `askings` times in all.

    Raises OutOfForm, ModelOutage.
    """
    messages: tuple[ChatMessage, ...] = question.messages
    fault = "it was never asked"
    for _ in range(askings):
        text = model.complete(question.purpose, messages, ()).text
        try:
            return validated(json_value(text, question.purpose), question.purpose, form)
        except InputError as error:
            fault = str(error)
        mismatch(question.purpose, fault)
        told = f"That reply does not have the agreed form. {fault} Reply again, with the JSON object alone."
        messages = (*messages, ChatMessage("assistant", text), ChatMessage("user", told))
    raise OutOfForm(fault)


def _question(purpose: Purpose, system: str, user: str) -> Question:
    return Question(purpose, (ChatMessage("system", system), ChatMessage("user", user)))
