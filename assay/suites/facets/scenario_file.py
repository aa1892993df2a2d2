"""load: a scenario file to a scenario, or every inconsistency of the file at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from assay.errors import InputError, Problem, nearest
from assay.model.base import Frozen
from assay.reading import Record, validated
from assay.reading_yaml import yaml_mapping
from assay.suites.facets.policy import Policy
from assay.suites.facets.scenario import AgentRole, Disturbance, KnowledgeItem, Profile, Scenario, Task

SECTIONS: dict[str, type[BaseModel]] = {"knowledge": KnowledgeItem, "profiles": Profile, "roles": AgentRole, "tasks": Task}
SHOWN = 40


class _Head(Frozen):
    """What stands outside the lists."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    title: str = Field(pattern=r"\S")
    description: str


def scenario_of(data: bytes, where: str) -> Scenario:
    """The scenario of a YAML file. Raises InputError with every fault of the file."""
    return scenario_from(yaml_mapping(data, where), where)


def scenario_from(value: Mapping[str, Any], where: str) -> Scenario:
    """The scenario of a mapping. Raises InputError with every fault: of each row, and between rows."""
    problems: list[Problem] = []
    rows = {name: _rows(value, name, where, problems) for name in SECTIONS}
    head = {name: given for name, given in value.items() if name not in {*SECTIONS, "policy", "disturbed"}}
    found: dict[str, Any] = {name: _each(rows[name], SECTIONS[name], f"{where}: {name}", problems) for name in SECTIONS}
    _one(head, where, _Head, problems)
    found["policy"] = _one(value.get("policy") or {}, f"{where}: policy", Policy, problems)
    found["disturbed"] = _disturbed(value.get("disturbed") or {}, f"{where}: disturbed", problems)
    problems += between_rows(rows, found["disturbed"], where)
    if problems:
        raise InputError(problems)
    return Scenario(**head, **found)


def between_rows(rows: Mapping[str, Sequence[Any]], disturbed: Mapping[str, object], where: str) -> Iterator[Problem]:
    """What is wrong between rows, also where a row by itself is not valid."""
    known = {name: [row if isinstance(row, dict) else {} for row in found] for name, found in rows.items()}
    yield from _hierarchy(known["knowledge"], where)
    for section, key in (("profiles", "name"), ("roles", "name")):
        yield from _twice([_text(row, key) for row in known[section]], f"{where}: {section}", f"the {key} stands twice")
    profiles = [_text(row, "name") for row in known["profiles"]]
    for at, row in enumerate(known["roles"]):
        name = _text(row, "profile")
        if name and profiles and name not in profiles:
            expected = f"one of {', '.join(dict.fromkeys(filter(None, profiles))) or 'none'}"
            yield Problem(_place(where, "roles", at, row, "name"), "unknown profile", name, expected, nearest(name, profiles))
    providers = sorted({_text(row, "provider") for row in known["profiles"]} - {""})
    for name in disturbed:
        if name not in providers:
            expected = f"one of {', '.join(providers) or 'none'}"
            yield Problem(f"{where}: disturbed", "unknown provider", name, expected, nearest(name, providers))
    yield from _tasks(known["tasks"], where)


def _rows(value: Mapping[str, Any], name: str, where: str, problems: list[Problem]) -> list[Any]:
    given = value.get(name)
    if not isinstance(given, list) or not given:
        wrong = "is missing" if given is None else "is no list" if not isinstance(given, list) else "is empty"
        problems.append(Problem(f"{where}: {name}", wrong, expected="a list with at least one row"))
        return []
    return given


def _each(rows: Sequence[object], model: type[Record], where: str, problems: list[Problem]) -> tuple[Record, ...]:
    found = (_one(row, f"{where}[{at}]{_called(row)}", model, problems) for at, row in enumerate(rows))
    return tuple(row for row in found if row is not None)


def _one(value: object, where: str, model: type[Record], problems: list[Problem]) -> Record | None:
    try:
        return validated(value, where, model)
    except InputError as error:
        problems += error.problems
        return None


def _disturbed(value: object, where: str, problems: list[Problem]) -> dict[str, Disturbance]:
    if not isinstance(value, dict):
        problems.append(Problem(where, "is no mapping", type(value).__name__, "disturbances by provider"))
        return {}
    found = {str(name): _one(row, f"{where}.{name}", Disturbance, problems) for name, row in value.items()}
    return {name: row for name, row in found.items() if row is not None}


def _hierarchy(rows: Sequence[Mapping[str, Any]], where: str) -> Iterator[Problem]:
    everywhere = [_text(row, "id") for row in rows]
    seen: set[str] = set()
    for at, row in enumerate(rows):
        place, name, parent = _place(where, "knowledge", at, row, "id"), _text(row, "id"), _text(row, "parent")
        if name and name in seen:
            yield Problem(place, "the id stands twice", name)
        if parent and parent not in seen:
            if parent == name:
                yield Problem(place, "is its own parent", parent)
            elif parent in everywhere:
                yield Problem(place, "stands before its parent", parent, "parents first")
            else:
                yield Problem(place, "unknown parent", parent, "the id of an earlier record", nearest(parent, everywhere))
        seen.add(name)


def _tasks(rows: Sequence[Mapping[str, Any]], where: str) -> Iterator[Problem]:
    names = [_text(row, "id") or f"t{at}" for at, row in enumerate(rows, start=1)]
    yield from _twice(names, f"{where}: tasks", "the id stands twice")
    yield from _twice([_text(row, "question") for row in rows], f"{where}: tasks", "the question stands twice")
    for at, row in enumerate(rows):
        place = _place(where, "tasks", at, row, "question")
        expected, forbidden = _facets(row, "expected_facets"), _facets(row, "forbidden_facets")
        if not expected and not forbidden:
            yield Problem(
                place, "has no facets", expected="expected_facets, or forbidden_facets for a question without an answer"
            )
        for facet in (*expected, *forbidden):
            if not facet.strip():
                yield Problem(place, "has a blank facet", facet)
        yield from _twice(
            [facet.casefold() for facet in (*expected, *forbidden) if facet.strip()], place, "names a facet twice"
        )


def _facets(row: Mapping[str, Any], key: str) -> list[str]:
    given = row.get(key)
    return [facet for facet in given if isinstance(facet, str)] if isinstance(given, list) else []


def _twice(names: Sequence[str], where: str, told: str) -> Iterator[Problem]:
    yield from (Problem(where, told, name) for name, times in Counter(filter(None, names)).items() if times > 1)


def _text(row: Mapping[str, Any], key: str) -> str:
    given = row.get(key)
    return given if isinstance(given, str) else ""


def _place(where: str, section: str, at: int, row: Mapping[str, Any], key: str) -> str:
    name = _text(row, key)[:SHOWN]
    return f"{where}: {section}[{at}]" + (f" {name!r}" if name else "")


def _called(row: object) -> str:
    """The row's own name, where it has one."""
    if not isinstance(row, dict):
        return ""
    name = next((_text(row, key) for key in ("id", "name", "question") if _text(row, key)), "")[:SHOWN]
    return f" {name!r}" if name else ""
