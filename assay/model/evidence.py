"""What a live run found out about one provider, kept where nothing can compute it again."""

from __future__ import annotations

from typing import Literal

from assay.model.base import Frozen, IsoTime
from assay.model.report import Recording, Report, Stability
from assay.model.suite import Enforcement, Role
from assay.model.verdict import CaseOutcome, Check, Metric, Outcome

TOO_SOON = "before enough was answered to judge"
"""How the reason ends for which a provider was left out that a limit, and nothing else, kept from being asked."""


class Limits(Frozen):
    """What could be asked of one provider at most; null is no limit."""

    max_requests: int | None
    max_usd: float | None
    max_minutes: float | None

    def are_at_least(self, others: Limits) -> bool:
        """Whether a run under these could ask as much as one under the others: by each, no limit or none that is smaller."""
        pairs = (
            (self.max_requests, others.max_requests),
            (self.max_usd, others.max_usd),
            (self.max_minutes, others.max_minutes),
        )
        return all(mine is None or (other is not None and mine >= other) for mine, other in pairs)


class LiveRun(Frozen):
    """The run that the evidence is of."""

    run_id: str
    started: IsoTime
    commit: str | None
    """The project's commit, `+` and what differs from it; null outside a repository."""
    period: str | None
    limits: Limits
    repeat: int


class LiveEvidence(Frozen):
    """One provider's part of a live run. The replies themselves lie in the run's folder, under the recording's digest."""

    format: Literal[1]
    suite: str
    version: str
    provider: str
    run: LiveRun
    verdict: Outcome
    """Of the whole suite."""
    headline: str
    skipped: dict[str, str]
    """Other providers that the run left out, with the reason."""
    sample: int | None
    overrides: tuple[str, ...]
    role: Role
    enforcement: Enforcement
    model: str
    recording: Recording
    cut: str | None
    checks: tuple[Check, ...]
    metrics: dict[str, Metric]
    baseline: dict[str, Metric]
    """What it was compared with; empty where it could not be."""
    baseline_refreshed: str | None
    cases: dict[str, CaseOutcome]
    stability: dict[str, Stability]
    notes: tuple[str, ...]


def evidence_of(report: Report, run: LiveRun) -> list[LiveEvidence]:
    """The evidence of a live run: one for each provider that was asked in it."""
    skipped = {name: provider.skipped for name, provider in report.providers.items() if provider.skipped}
    return [
        LiveEvidence(
            format=1,
            suite=report.facts.suite,
            version=report.facts.version,
            provider=name,
            run=run,
            verdict=report.verdict,
            headline=report.headline,
            skipped=skipped,
            sample=report.facts.sample,
            overrides=report.facts.overrides,
            role=provider.role,
            enforcement=provider.enforcement,
            model=provider.model,
            recording=provider.recording,
            cut=provider.cut,
            checks=provider.checks,
            metrics=provider.metrics,
            baseline=provider.baseline,
            baseline_refreshed=provider.baseline_refreshed,
            cases=provider.cases,
            stability=provider.stability,
            notes=provider.notes,
        )
        for name, provider in report.providers.items()
        if report.facts.mode == "live" and provider.recording and provider.recording.cassette_kind.startswith("live_")
    ]
