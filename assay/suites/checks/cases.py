"""load: what was asked, what is expected of the output, and which checks apply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pydantic import Field, JsonValue

from assay.errors import Problem
from assay.model.base import Frozen
from assay.model.gold import GoldCase
from assay.reading import raise_all, records

REQUIRED_FILES = ("cases",)
TARGET_FILES: tuple[str, ...] = ()


class Row(Frozen):
    """One line of the cases file."""

    id: str = Field(min_length=1)
    input: dict[str, JsonValue] = Field(default_factory=dict)
    expected: JsonValue = None
    checks: tuple[str, ...] | None = None
    """Those that apply; null takes all of the suite."""
    config: dict[str, dict[str, JsonValue]] = Field(default_factory=dict)
    """Options of this case alone, by check."""
    planted: str | None = None
    """The fault that its output is known to have: the case passes when the checks notice it, and nothing else."""
    strata: tuple[str, ...] = ()


def load(files: Mapping[str, tuple[str, bytes]]) -> list[GoldCase]:
    """One case per row. Raises InputError with every fault: an id that stands twice, a case that no check looks at."""
    shown, data = files["cases"]
    rows = records(data, shown, Row)
    found = [Problem(shown, "the id stands twice", name) for name, n in Counter(row.id for row in rows).items() if n > 1]
    found += [
        Problem(f"{shown}: {row.id}", "is looked at by no check", expected="at least one, or null for all")
        for row in rows
        if row.checks == ()
    ]
    raise_all(found, shown)
    return [
        GoldCase(
            id=row.id,
            input=row.input,
            expected=row.model_dump(mode="json", include={"expected", "checks", "config", "planted"}),
            strata=(*row.strata, *([row.planted] if row.planted else [])),
        )
        for row in rows
    ]


def row_of(case: GoldCase) -> Row:
    """The row that a case was made from."""
    return Row.model_validate({"id": case.id, "input": case.input, **case.expected})
