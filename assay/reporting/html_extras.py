"""What a report may show beside the run itself, where it is at hand: power, the kill matrix, history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from assay.model.history import HistoryLine

KillCell = Literal["caught", "missed", "could-not-run", "not asked"]


@dataclass(frozen=True)
class PowerMark:
    """What the gate on one metric can see."""

    told: str
    """In a sentence."""
    fires_at: float | None = None
    """The value from which a live gate notices a drop as often as it should; drawn where it is known."""


@dataclass(frozen=True)
class KillRow:
    """One planted defect, and what every catcher made of it."""

    defect: str
    cells: tuple[KillCell, ...]
    """In the order of `KillMatrix.catchers`."""


@dataclass(frozen=True)
class KillMatrix:
    """Which check noticed which planted defect."""

    catchers: tuple[str, ...]
    rows: tuple[KillRow, ...]
    told: str
    """What was planted and how many were noticed, in a sentence."""


@dataclass(frozen=True)
class Extras:
    """All of it; what is empty gets no section."""

    power: Mapping[str, Mapping[str, PowerMark]] = field(default_factory=dict)
    """By provider and metric."""
    kills: KillMatrix | None = None
    history: tuple[HistoryLine, ...] = ()
    """Of this suite, in file order."""


NOTHING = Extras()
"""A report of the run alone."""
