"""The public summary that `assay run --json` prints; its JSON Schema is `schemas/run-summary.schema.json`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from assay.model.base import Documented
from assay.model.report import Report
from assay.model.suite import Enforcement, Role
from assay.model.verdict import Check, Metric, Outcome


class ProviderSummary(Documented):
    """One provider's numbers and checks."""

    role: Role
    enforcement: Enforcement
    cassette_kind: str | None
    skipped: str | None
    """Why a live run left it out."""
    cut: str | None
    """Why a live run asked it for a part of the cases only."""
    metrics: dict[str, Metric]
    checks: tuple[Check, ...]


class StageTiming(Documented):
    """How one stage went."""

    stage: str
    provider: str | None
    cached: bool
    seconds: float = Field(ge=0)
    rows: int = Field(ge=0)


class Timing(Documented):
    """The only part that differs between two runs of the same inputs."""

    run_id: str
    engine: Literal["prefect", "offline"]
    started: str
    seconds: float = Field(ge=0)
    stages: tuple[StageTiming, ...]
    ages_days: dict[str, int]
    """How old each provider's recording and baseline are."""
    stale_after_days: int
    stale: tuple[str, ...]
    """Those that are older than that."""


class RunSummary(Documented):
    """A run in short."""

    verdict: Outcome
    suite: str
    version: str
    checks: tuple[Check, ...]
    """What holds or fails for the suite as a whole."""
    providers: dict[str, ProviderSummary]
    timing: Timing


def summary_of(report: Report, timing: dict[str, Any]) -> RunSummary:
    """The summary of a report."""
    return RunSummary(
        verdict=report.verdict,
        suite=report.facts.suite,
        version=report.facts.version,
        checks=report.checks,
        providers={
            name: ProviderSummary(
                role=provider.role,
                enforcement=provider.enforcement,
                cassette_kind=provider.cassette_kind,
                skipped=provider.skipped,
                cut=provider.cut,
                metrics=provider.metrics,
                checks=provider.checks,
            )
            for name, provider in report.providers.items()
        },
        timing=Timing.model_validate(timing),
    )
