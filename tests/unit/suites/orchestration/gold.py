"""Small gold files, cases and runs of the orchestration kind."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from assay.model.exchange import Reply
from assay.model.gold import GoldCase
from tests.builders import json_lines, reply

DONE: Mapping[str, Any] = {"name": "ends-well", "final": "DONE"}
ORDERED: Mapping[str, Any] = {
    "name": "angles-first",
    "never": {"kind": "tool_call", "name": "write"},
    "before": {"kind": "tool_call", "name": "angles"},
}
GOOD = ("tool_call angles", "tool_call write", "final DONE")
BAD = ("tool_call write", "final DONE")
"""Breaks ORDERED at its first event."""
COMMON = """\
format: 1
rules:
  - name: ends-well
    final: DONE
"""


def row(name: str = "c1", *rules: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """A line of the cases file."""
    expect = {"user": "It works.", "rules": list(rules)}
    return {"id": name, "input": {"brief": f"Do what {name} says."}, "expect": expect, **changes}


def files(*rows: Mapping[str, Any], rules: str = COMMON) -> dict[str, tuple[str, bytes]]:
    """Both gold files."""
    return {"cases": ("cases.jsonl", json_lines(*rows)), "rules": ("rules.yaml", rules.encode())}


def case(*rules: Mapping[str, Any], name: str = "c1") -> GoldCase:
    """A gold case with these rules of its own."""
    return GoldCase(id=name, input={}, expected={"user": "It works.", "rules": [dict(rule) for rule in rules], "common": 0})


def event(line: str, **changes: Any) -> dict[str, Any]:
    """An event from `kind name`."""
    kind, _, name = line.partition(" ")
    return {"kind": kind, "name": name, **changes}


def events(*lines: str) -> list[dict[str, Any]]:
    """Events from lines `kind name`."""
    return [event(line) for line in lines]


def run(*lines: str) -> Reply:
    """The reply of a target that yields these events, as a list."""
    return reply(text=json.dumps(events(*lines)))


def transcript(found: Sequence[Mapping[str, Any]], **changes: Any) -> Reply:
    """The reply of a target that answers with a whole transcript."""
    return reply(text=json.dumps({"format": 1, "id": "t", "events": list(found), **changes}))
