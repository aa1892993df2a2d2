"""Small scenarios, cases and answers for tests of the kind."""

from __future__ import annotations

from typing import Any

from assay.digest import canonical
from assay.model.exchange import Reply
from assay.model.gold import GoldCase
from assay.suites.facets.answers import TaskAnswer
from assay.suites.facets.scenario import Scenario
from assay.suites.facets.scenario_file import scenario_from

PROFILE = {"name": "p", "provider": "provider-a", "domains": ["pumps"]}
ROLE = {"name": "r", "description": "d", "system_prompt": "s", "domains": ["pumps"], "profile": "p"}
KNOWLEDGE = (
    {"id": "root", "text": "Waterworks: pumps and mains", "meta": {"domain": "works"}},
    {"id": "pumps", "text": "Pumps: what is installed", "parent": "root", "meta": {"domain": "pumps"}},
    {"id": "w17", "text": "Pump W-17 lifts 40 litres a second", "parent": "pumps"},
    {"id": "w71", "text": "Pump W-71 is out of order", "parent": "pumps", "days_ago": 3, "meta": {"kind": "event"}},
    {"id": "mains", "text": "Mains: cast iron, laid long ago", "parent": "root", "meta": {"domain": "mains"}},
    {"id": "valve", "text": "The valve at the church is closed by twelve turns", "parent": "mains"},
)


def task(question: str = "How much does it lift?", *facets: str, **changes: Any) -> dict[str, Any]:
    """A task as it stands in a scenario file."""
    return {"question": question, "expected_facets": list(facets) or ["40 litres"], **changes}


def mapping(*tasks: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A scenario file's mapping."""
    return {
        "name": "works",
        "title": "Waterworks",
        "description": "Pumps and mains.",
        "knowledge": [dict(row) for row in KNOWLEDGE],
        "profiles": [PROFILE],
        "roles": [ROLE],
        "tasks": list(tasks) or [task()],
        **changes,
    }


def scenario(*tasks: dict[str, Any], **changes: Any) -> Scenario:
    """The same, read."""
    return scenario_from(mapping(*tasks, **changes), "works.yaml")


def case(*facets: str, name: str = "works/t1", group: str = "live", **expected: list[str]) -> GoldCase:
    """A gold case of the kind."""
    asked = {"scenario": name.split("/", maxsplit=1)[0], "question": "?", "position": 0, "group": group}
    wanted = {"facets": list(facets), "forbidden_facets": [], "events": [], **expected}
    return GoldCase.model_validate({"id": name, "input": asked, "expected": wanted})


def said(text: str, **fields: Any) -> Reply:
    """The reply of a target that answered this."""
    answer = TaskAnswer.model_validate({"answer": text, **fields})
    return raw(canonical(answer.model_dump(mode="json")).decode())


def raw(text: str) -> Reply:
    """The reply of a target, as text."""
    return Reply(text=text, finish_reason=None, model_served=None, usage=None, latency_ms=None)
