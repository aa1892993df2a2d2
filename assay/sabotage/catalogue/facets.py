"""Wrong answers of the facets kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from assay.sabotage.catalogue.replies import NOTICED, on_json, system
from assay.sabotage.defect import Answered, Defect, InReplies

KIND = "facets"
Answer = dict[str, Any]


def _withheld(answered: Answered) -> str | None:
    """The records that hold the expected facets never reach the answer."""
    value = json.loads(answered.text)
    facets = [str(facet) for facet in answered.case.expected.get("facets") or ()]  # type: ignore[union-attr]  # a list
    texts = [value["answer"], *value.get("responses", ())]
    cleaned = [_lines_without(text, facets) for text in texts]
    return None if cleaned == texts else json.dumps({**value, "answer": cleaned[0], "responses": cleaned[1:]})


def _lines_without(text: str, facets: list[str]) -> str:
    return "\n".join(line for line in text.split("\n") if not any(facet.casefold() in line.casefold() for facet in facets))


def _forbidden(answered: Answered) -> str | None:
    """What must not be said is said."""
    facets = [str(facet) for facet in answered.case.expected.get("forbidden_facets") or ()]  # type: ignore[union-attr]  # a list
    if not facets:
        return None
    value = json.loads(answered.text)
    return json.dumps({**value, "answer": f"{value['answer']}\n{' '.join(facets)}"})


def _echo(answered: Answered) -> str:
    value = json.loads(answered.text)
    return json.dumps({**value, "answer": str(answered.case.input["question"]), "responses": []})


def _set(**fields: Any) -> Callable[[Answered], str | None]:  # noqa: ANN401  # JSON
    return on_json(lambda value: {**value, **fields})


def _worse(answered: Answered) -> str | None:
    value = json.loads(answered.text)
    if value.get("weighted_score") is None:
        return None
    return json.dumps({**value, "weighted_score": value["weighted_score"] - 1.0})


def _whole(name: str, change: Callable[[Answered], str | None]) -> Defect:
    """A fault of the orchestrator and not of an answer: it hits every task."""
    return Defect(name, "system", InReplies(change), NOTICED, frozenset({KIND}))


_EVENT = {"provider": "nobody", "reasons": ["refusal"]}
DEFECTS: tuple[Defect, ...] = (
    system("record of the facet withheld", _withheld, KIND),
    system("forbidden facet told", _forbidden, KIND),
    system("question as the answer", _echo, KIND),
    system("nothing said", _set(answer="", responses=[]), KIND),
    system("alarm without cause", _set(events=[_EVENT]), KIND),
    system("objective worse by 1", _worse, KIND),
    _whole("no event reported", _set(events=[])),
    _whole("constraints never met", _set(constraints_met=False)),
    _whole("objective withheld", _set(weighted_score=None)),
)
