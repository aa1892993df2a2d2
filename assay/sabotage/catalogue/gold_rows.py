"""The cases of a gold set as rows that can be edited and written back, whatever the kind keeps them in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from assay.reading_yaml import yaml_mapping
from assay.sabotage.defect import Material, NotApplicable

ABSENT = object()
"""In place of an expectation that is not there."""
IN_LINES = {"checks": ("cases", "expected"), "orchestration": ("cases", "expect"), "retrieval": ("queries", "relevant")}
"""By kind: the file of cases, and the key of the expectation in it."""
FACETS_KEY = "expected_facets"


@dataclass(frozen=True)
class Row:
    """One case as it stands in its file."""

    id: str
    role: str
    own: dict[str, Any]
    wanted: Any
    """The expectation, or ABSENT."""


def rows_of(material: Material) -> list[Row]:
    """All cases in the order of the files. Raises NotApplicable for a kind that keeps them in a way not known here."""
    kind = material.suite.kind
    if kind in IN_LINES:
        role, key = IN_LINES[kind]
        return [Row(str(own["id"]), role, own, own.get(key, ABSENT)) for own in lines_of(material.files[role][1])]
    if kind == "extraction":
        wanted: dict[str, list[Any]] = {}
        for memory in lines_of(material.files["expected"][1]):
            wanted.setdefault(memory["conversation_id"], []).append(memory)
        found = lines_of(material.files["conversations"][1])
        return [Row(own["id"], "conversations", own, wanted.get(own["id"], ABSENT)) for own in found]
    if kind == "facets":
        return [
            Row(f"{role}/{task['id']}", role, task, task.get(FACETS_KEY, ABSENT))
            for role in _scenarios(material)
            for task in _parsed(material, role)["tasks"]
        ]
    raise NotApplicable(f"no file of cases is known for {kind}")


def with_rows(material: Material, rows: Sequence[Row]) -> Material:
    """The suite with these cases."""
    kind = material.suite.kind
    if kind in IN_LINES:
        role, key = IN_LINES[kind]
        return material.with_file(role, lines_from(_whole(row, key) for row in rows))
    if kind == "extraction":
        found = material.with_file("conversations", lines_from(row.own for row in rows))
        wanted = [memory for row in rows if row.wanted is not ABSENT for memory in row.wanted]
        return found.with_file("expected", lines_from(wanted))
    before = {row.id: _whole(row, FACETS_KEY) for row in rows_of(material)}
    if list(before) == [row.id for row in rows]:
        return _tasks_edited(material, rows, before)
    for role in _scenarios(material):
        now = [_whole(row, FACETS_KEY) for row in rows if row.role == role]
        if now != _parsed(material, role)["tasks"]:
            material = _with_tasks(material, role, now)
    return material


def lines_of(data: bytes) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file."""
    return [json.loads(line) for line in data.splitlines() if line.strip()]


def lines_from(rows: Iterable[Any], dumps: Callable[[Any], str] = lambda row: json.dumps(row, ensure_ascii=False)) -> bytes:
    """Rows as a JSON Lines file."""
    return "".join(f"{dumps(row)}\n" for row in rows).encode()


def _tasks_edited(material: Material, rows: Sequence[Row], before: dict[str, dict[str, Any]]) -> Material:
    for role in _scenarios(material):
        now = [_whole(row, FACETS_KEY) for row in rows if row.role == role]
        if now != [task for name, task in before.items() if name.startswith(f"{role}/")]:
            material = _with_tasks(material, role, now)
    return material


def _with_tasks(material: Material, role: str, tasks: list[dict[str, Any]]) -> Material:
    value = {**_parsed(material, role), "tasks": tasks}
    return material.with_file(role, yaml.safe_dump(value, sort_keys=False, allow_unicode=True).encode())


def _scenarios(material: Material) -> list[str]:
    """The roles of files that hold tasks."""
    return [role for role in material.files if role != "calibration" and "tasks" in _parsed(material, role)]


def _parsed(material: Material, role: str) -> dict[str, Any]:
    return _mapping(*material.files[role])


@lru_cache(maxsize=64)
def _mapping(shown: str, data: bytes) -> dict[str, Any]:
    """A YAML file, read once; nobody changes what was read."""
    value = yaml_mapping(data, shown)
    return value if isinstance(value, dict) else {}


def _whole(row: Row, key: str) -> dict[str, Any]:
    """The case as it stands in its file, with its expectation."""
    own = {name: value for name, value in row.own.items() if name != key or row.wanted is not ABSENT}
    return own if row.wanted is ABSENT else {**own, key: row.wanted}
