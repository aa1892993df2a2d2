"""What only a run knows: it is put into the page after the cached part is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.model.history import History
from assay.sabotage.matrix import Matrix


@dataclass(frozen=True)
class RunNotes:
    """What a page says of its run beyond the report."""

    timing: Mapping[str, Any]
    """The timing block of `report.json`."""
    history: History
    """The newest lines of the suite, this run's among them."""
    matrix: Matrix | None
    """None where no kill matrix has been made for these inputs."""


@dataclass(frozen=True)
class Age:
    """How old something is that numbers rest on."""

    provider: str
    what: str
    """`recording` or `baseline`."""
    days: int
    is_stale: bool


def ages_of(timing: Mapping[str, Any]) -> list[Age]:
    """All ages of a timing block, in its order."""
    found = [(name.rpartition("."), name, days) for name, days in timing["ages_days"].items()]
    return [Age(provider, what, days, name in timing["stale"]) for (provider, _, what), name, days in found]
