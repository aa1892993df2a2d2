"""What is asked of a run, and how its stages went."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from assay.model.report import Report

Mode = Literal["replay", "record", "live"]


@dataclass(frozen=True)
class RunRequest:
    """One run of one suite, in plain values."""

    suite: str
    gold_version: str | None = None
    """None takes the newest version."""
    providers: tuple[str, ...] = ()
    """Empty takes all that the suite declares."""
    mode: Mode = "replay"
    sample: int | None = None
    seed: int = 0
    overrides: tuple[str, ...] = ()
    """`KEY=VALUE` settings in place of the suite's own."""
    out: str | None = None
    repeat: int = 1
    """How often each live request is asked; every asking is a request of its own."""
    refresh: bool = False
    """Ask again what the memo already holds."""
    max_requests: int | None = None
    max_usd: float | None = None
    max_minutes: float | None = None
    goldset: str | None = None
    """The suite's folder, where it is not the project's."""


@dataclass(frozen=True)
class StageRun:
    """How one stage went."""

    stage: str
    provider: str | None
    cached: bool
    seconds: float
    rows: int


@dataclass(frozen=True)
class RunOutcome:
    """A finished run: its report, where it was put, and how its stages went."""

    run_id: str
    folder: str
    report: bytes
    """`report.json` as written, timing block included."""
    verdict: str
    headline: str
    markdown: str
    stages: tuple[StageRun, ...] = field(default=())
    parsed: Report | None = None
    """The report without its timing block, where it is at hand."""
