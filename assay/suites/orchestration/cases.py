"""load: what an orchestrator is asked to do, with the rules that its run must keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import Field, JsonValue

from assay.errors import InputError, Problem
from assay.model.base import Frozen
from assay.model.gold import GoldCase
from assay.reading import raise_all, records
from assay.suites.orchestration.rule_file import own_rules, rules_of
from assay.suites.orchestration.rules import Rule

REQUIRED_FILES = ("cases", "rules")
TARGET_FILES: tuple[str, ...] = ()


class Expectation(Frozen):
    """What a user would call correct."""

    user: str = Field(min_length=1)
    """In plain words."""
    rules: list[JsonValue] = Field(default_factory=list)
    """The same as rules of this case alone."""


class Row(Frozen):
    """One line of the cases file."""

    id: str = Field(min_length=1)
    input: dict[str, JsonValue]
    """What the orchestrator is given; only it knows what it means."""
    expect: Expectation
    strata: tuple[str, ...] = ()


def load(files: Mapping[str, tuple[str, bytes]]) -> list[GoldCase]:
    """One case per row. Raises InputError with every fault of both files: ids that stand twice, rules that mean nothing."""
    rows, common, found = parse(files)
    raise_all(found, files["cases"][0])
    return [
        GoldCase(
            id=row.id,
            input=row.input,
            expected={"user": row.expect.user, "rules": row.expect.rules, "common": len(common)},
            strata=row.strata,
        )
        for row in rows
    ]


def parse(files: Mapping[str, tuple[str, bytes]]) -> tuple[list[Row], Sequence[Rule], list[Problem]]:
    """The rows, the rules of every case, and what is wrong between them. Raises InputError for a row that is not valid."""
    (shown, data), (where, rules) = files["cases"], files["rules"]
    rows, common = records(data, shown, Row), rules_of(rules, where)
    found = [Problem(shown, "the id stands twice", name) for name, n in Counter(row.id for row in rows).items() if n > 1]
    for row in rows:
        try:
            own_rules(row.expect.rules, f"{shown}: {row.id}: expect.rules")
        except InputError as error:
            found += error.problems
    return rows, common, found
