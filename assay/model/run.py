"""What is asked of a run, and how its stages went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from assay.errors import UserError
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
    period: str | None = None
    """A live run that nobody waits for, and what it measures, such as `2026-W49`: a provider that cannot be reached is skipped
    by name, a limit cuts the asking short instead of stopping the run, and no answer of another period is taken for fresh."""


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
    sabotage: str | None = None
    """One line on the kill matrix that is known for exactly these inputs, or on how to make it; null where nobody looked."""


@dataclass(frozen=True)
class SuitesOutcome:
    """Several suites, run one after the other: the verdict on all is the worst of theirs."""

    results: Mapping[str, RunOutcome | UserError]
    """By suite: its run, or why there is none."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Suites that were not run, with the reason."""

    @property
    def verdict(self) -> str:
        """FAIL before ERROR before NO VERDICT before PASS; where nothing was run, UNCHANGED, which is none of them."""
        found = [told for told in WORST_FIRST if told in map(verdict_of, self.results.values())]
        return found[0] if found else "UNCHANGED"

    @property
    def exit_code(self) -> int:
        """As for one suite; 0 where nothing had to be run."""
        return 0 if self.verdict == "UNCHANGED" else WORST_FIRST[self.verdict]

    @property
    def headline(self) -> str:
        """All in one line, and the first reason of the worst."""
        words = [f"{list(map(verdict_of, self.results.values())).count(told)} {told}" for told in WORST_FIRST]
        counts = ", ".join(word for word in words if not word.startswith("0 "))
        out = f"; not run: {', '.join(self.left_out)}" if self.left_out else ""
        if self.verdict in {"PASS", "UNCHANGED"}:
            return f"{self.verdict} {plural(len(self.results), 'suite')}{out}"
        worst = next(result for result in self.results.values() if verdict_of(result) == self.verdict)
        reason = worst.headline if isinstance(worst, RunOutcome) else str(worst.problems[0])
        return f"{self.verdict} {plural(len(self.results), 'suite')} ({counts}){out}: {reason}"


WORST_FIRST = {"FAIL": 1, "ERROR": 2, "NO VERDICT": 3, "PASS": 0}
"""Exit codes by verdict."""


def plural(count: int, noun: str) -> str:
    """The count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def verdict_of(result: RunOutcome | UserError) -> str:
    """The verdict of a run; of an error what its exit code means."""
    if isinstance(result, RunOutcome):
        return result.verdict
    return next(told for told, code in WORST_FIRST.items() if code == result.exit_code)
