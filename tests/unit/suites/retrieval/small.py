"""A corpus of six documents, a query of every grade, and the answers of a retriever over them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.model.ports import Setting
from assay.suites.retrieval.cases import load
from tests.builders import json_lines, provider, reply

TEXTS = {
    "a": "The allergy to walnuts was found in spring.",
    "b": "The family moved to Harrow Lane.",
    "c": "Piano lessons happen every Tuesday.",
    "d": "A red bicycle stands in the cellar.",
    "e": "Tea is served without any milk.",
    "f": "The dentist called about Friday.",
}
QUERIES = {
    "q1": ("Where does the family live?", "live", "ordinary", ("b",)),
    "q2": ("Which nuts are dangerous?", "live", "paraphrase", ("a", "e")),
    "q3": ("How is the dog called?", "known_failure", "ordinary", ("f",)),
    "q4": ("Who won the election?", "no_answer", "ordinary", ()),
    "q5": ("family lane bicycle", "retired", "ordinary", ("b", "d")),
}
AT_TWO: Mapping[str, Any] = {"top_k": 2}


def document(name: str, **changes: Any) -> dict[str, Any]:
    """A row of documents.jsonl."""
    row = {"id": name, "content_type": "fact", "text": TEXTS.get(name, name), "created_at": "2026-03-01T12:00:00+00:00"}
    return {**row, **changes}


def query(name: str, **changes: Any) -> dict[str, Any]:
    """A row of queries.jsonl."""
    text, grade, style, relevant = QUERIES.get(name, ("Where?", "live", "ordinary", ("a",)))
    return {"id": name, "query": text, "grade": grade, "style": style, "relevant": list(relevant), "note": "", **changes}


def files(
    documents: Sequence[Mapping[str, Any]] | None = None, queries: Sequence[Mapping[str, Any]] | None = None, **more: bytes
) -> dict[str, tuple[str, bytes]]:
    """The gold files; all six documents and all five queries where none are given."""
    rows = list(map(document, TEXTS)) if documents is None else documents
    asked = list(map(query, QUERIES)) if queries is None else queries
    found = {"documents": ("documents.jsonl", json_lines(*rows)), "queries": ("queries.jsonl", json_lines(*asked))}
    return found | {role: (f"{role}.json", data) for role, data in more.items()}


def cases(*names: str) -> list[GoldCase]:
    """The cases of these queries, or all."""
    return load(files(queries=[query(name) for name in names or QUERIES]))


def case(name: str, **changes: Any) -> GoldCase:
    (found,) = load(files(queries=[query(name, **changes)]))
    return found


def ranking(*names: str, scores: Sequence[float] | None = None, **more: Any) -> Outcome:
    """A reply that ranks these documents, with scores that fall evenly from 1."""
    given = [1 - place / 10 for place in range(len(names))] if scores is None else scores
    body = {"ranking": [list(pair) for pair in zip(names, given, strict=True)], **more}
    return reply(text=json.dumps(body))


def setting(options: Mapping[str, Any] = AT_TWO, version: str = "v1", **changes: Any) -> Setting:
    """What a calibration of the small suite is made at."""
    found = changes.pop("files", files())
    fields: dict[str, Any] = {
        "cases": load(found),
        "subjects": {"semantic": provider(model="minilm", target="shop.search:make")},
        "constants": {"floor recall@2": 0.6},
        **changes,
    }
    return Setting(suite="retrieval", version=version, files=found, options=dict(options), **fields)
