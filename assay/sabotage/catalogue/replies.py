"""Wrong answers of the subject that any kind of suite must notice."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from assay.sabotage.defect import STRENGTHS, Answered, Defect, InReplies, NoAnswer

NOTICED = ("results", "floor.*", "ceiling.*", "max_drop.*", "control.*", "defined.*")
"""Checks of numbers: what an answer that got worse must move."""


def system(name: str, change: Callable[[Answered], str | NoAnswer | None], *kinds: str) -> Defect:
    """A subject that answers wrongly, at every strength."""
    return Defect(name, "system", InReplies(change), NOTICED, frozenset(kinds), STRENGTHS)


def on_json(change: Callable[[Any], Any]) -> Callable[[Answered], str | None]:
    """An edit of an answer that is JSON; None, from the edit, where there is nothing to damage."""

    def changed(answered: Answered) -> str | None:
        try:
            value = json.loads(answered.text)
        except ValueError:
            return None
        found = change(value)
        return None if found is None or found == value else json.dumps(found, ensure_ascii=False)

    return changed


def _asked(answered: Answered) -> str:
    """The question itself."""
    return json.dumps(answered.case.input, ensure_ascii=False)


DEFECTS: tuple[Defect, ...] = (
    system("no answer", lambda _: NoAnswer()),
    system("answer cut off", lambda answered: answered.text[: len(answered.text) // 2]),
    system("answer of another case", lambda answered: answered.other),
    system("question sent back", _asked),
    system("empty text", lambda _: ""),
    system("prose around the answer", lambda answered: f"Sure, here it is: {answered.text}"),
)
