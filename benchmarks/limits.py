"""The limits that the project sets itself, held against the medians. By the clock; the same in CPU time stands beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from contenders import EMPTY, EMPTY_ON_SERVER, FLOW, FLOW_ON_SERVER, HELP, OFFLINE, STATES, Contender
from measure import Sample

Medians = Mapping[str, Mapping[str, Sample]]
"""Contender's name, then state, to medians."""


@dataclass(frozen=True)
class Limit:
    """One promise and what was measured."""

    name: str
    unit: str
    wall: float
    cpu: float
    at_most: float
    is_strict: bool = False
    """Whether the value must stay below the bound rather than reach it at most."""

    @property
    def is_met(self) -> bool:
        """Whether the figure by the clock keeps the limit."""
        return self.wall < self.at_most if self.is_strict else self.wall <= self.at_most


def limits(found: Medians) -> list[Limit]:
    """Every limit with its figures."""
    return [
        *(_ratio(found, FLOW, EMPTY, state, 1.2) for state in STATES),
        _seconds(found, OFFLINE, "cold", 1.6),
        _seconds(found, OFFLINE, "warm", 1.0),
        *(_added(found, FLOW_ON_SERVER, EMPTY_ON_SERVER, state, 1.0) for state in STATES),
        _seconds(found, HELP, "-", 0.3, is_strict=True),
    ]


def _ratio(found: Medians, ours: Contender, theirs: Contender, state: str, at_most: float) -> Limit:
    a, b = found[ours.name][state], found[theirs.name][state]
    return Limit(f"{ours.name} / {theirs.name}, {state}", "x", a.wall_s / b.wall_s, a.cpu_s / b.cpu_s, at_most)


def _added(found: Medians, ours: Contender, theirs: Contender, state: str, at_most: float) -> Limit:
    a, b = found[ours.name][state], found[theirs.name][state]
    return Limit(f"{ours.name} - {theirs.name}, {state}", "s", a.wall_s - b.wall_s, a.cpu_s - b.cpu_s, at_most)


def _seconds(found: Medians, ours: Contender, state: str, at_most: float, *, is_strict: bool = False) -> Limit:
    sample = found[ours.name][state]
    name = ours.name if state == "-" else f"{ours.name}, {state}"
    return Limit(name, "s", sample.wall_s, sample.cpu_s, at_most, is_strict)
