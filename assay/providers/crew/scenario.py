"""What strategist, writer and editor say in a scripted run: data, read from the suite's `scenarios` file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Self

from pydantic import Field, JsonValue, model_validator

from assay.errors import InputError, Problem, nearest
from assay.model.base import Frozen
from assay.providers.crew.port import Purpose
from assay.reading import raise_all, records


class Line(Frozen):
    """One scripted reply: a JSON object, a text that is none, or an outage."""

    say: dict[str, JsonValue] | None = None
    text: str | None = None
    outage: str | None = None
    """Why there is no answer, such as `HTTP 503`."""

    @model_validator(mode="after")
    def _one_of_three(self) -> Self:
        if sum(value is not None for value in (self.say, self.text, self.outage)) != 1:
            raise ValueError("a line has exactly one of say, text and outage")
        return self


class Scenario(Frozen):
    """Each specialist's replies in order; its last one is repeated for ever."""

    id: str = Field(min_length=1)
    about: str = Field(min_length=1)
    """What the scenario is for, in a sentence."""
    strategist: tuple[Line, ...] = Field(min_length=1)
    writer: tuple[Line, ...] = Field(min_length=1)
    editor: tuple[Line, ...] = Field(min_length=1)

    def line(self, purpose: Purpose, number: int) -> Line:
        """The specialist's reply of this number, counted from 0."""
        lines = {"strategist": self.strategist, "writer": self.writer, "editor": self.editor}[purpose]
        return lines[min(number, len(lines) - 1)]


def scenarios_in(data: bytes, where: str) -> dict[str, Scenario]:
    """The scenarios of a JSON-lines file by id. Raises InputError."""
    found = records(data, where, Scenario)
    twice = [name for name, count in Counter(scenario.id for scenario in found).items() if count > 1]
    raise_all([Problem(where, f"the id {name!r} stands more than once", expected="each id once") for name in twice], where)
    return {scenario.id: scenario for scenario in found}


def scenario_named(name: str, scenarios: Mapping[str, Scenario], where: str) -> Scenario:
    """The scenario. Raises InputError for a name that the file does not hold."""
    if name not in scenarios:
        known = ", ".join(scenarios) or "none"
        raise InputError(Problem(where, "unknown scenario", name, f"one of {known}", nearest(name, scenarios)))
    return scenarios[name]
