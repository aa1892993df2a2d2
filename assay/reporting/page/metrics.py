"""A subject's metrics as rows: its gated ones, and all others."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.report import ProviderReport, Report, RunFacts
from assay.model.score import Direction
from assay.model.suite import SUBJECT
from assay.reporting.figures import (
    change_text,
    compared_text,
    count_text,
    gain_pp,
    interval_text,
    power_column,
    power_notes,
    power_text,
    value_text,
)
from assay.reporting.page.scale import Plot, plot_of


@dataclass(frozen=True)
class MetricRow:
    """One metric as it stands in a table."""

    name: str
    better: Direction | None
    """Which way it is better, where the suite says."""
    value: str
    counted: str
    """What it averages over, or why it is undefined."""
    interval: str
    change: str
    moved: str
    """`better`, `worse` or nothing."""
    power: str
    plot: Plot | None


@dataclass(frozen=True)
class Subject:
    """One subject's numbers."""

    name: str
    role: str
    enforcement: str
    claims_nothing: bool
    cut: str | None
    """Why a live run asked it for a part of the cases only."""
    kept: int
    checks: int
    compared: str
    power_title: str
    """Empty where no row tells of power."""
    gated: tuple[MetricRow, ...]
    others: tuple[MetricRow, ...]
    not_measured: tuple[str, ...]
    """Gated metrics that the subject has no numbers for."""
    notes: tuple[str, ...]


def subjects_of(report: Report) -> list[Subject]:
    """All subjects, those without numbers too."""
    return [_subject(name, found, report.facts) for name, found in report.providers.items() if found.role == SUBJECT]


def _subject(name: str, found: ProviderReport, facts: RunFacts) -> Subject:
    wanted = facts.rule.metrics
    titles = power_column(found, facts)
    return Subject(
        name=name,
        role=found.role,
        enforcement=found.enforcement,
        claims_nothing=found.claims == "none",
        cut=found.cut,
        kept=sum(check.status == "kept" for check in found.checks),
        checks=len(found.checks),
        compared=compared_text(found),
        power_title=titles[0] if titles else "",
        gated=tuple(metric_row(metric, found, facts) for metric in wanted if metric in found.metrics),
        others=tuple(metric_row(metric, found, facts) for metric in found.metrics if metric not in wanted),
        not_measured=tuple(metric for metric in wanted if metric not in found.metrics) if found.metrics else (),
        notes=(*power_notes(found, facts), *found.notes),
    )


def metric_row(name: str, found: ProviderReport, facts: RunFacts) -> MetricRow:
    """One metric of one provider."""
    metric, before, power = found.metrics[name], found.baseline.get(name), found.power.get(name)
    measure = facts.measures.get(name)
    gain = gain_pp(name, found, facts) or 0
    return MetricRow(
        name=name,
        better=measure.direction if measure else None,
        value=value_text(metric),
        counted=count_text(name, metric),
        interval=interval_text(metric),
        change=change_text(name, found, facts),
        moved="better" if gain > 0 else "worse" if gain < 0 else "",
        power=power_text(name, found, facts),
        plot=plot_of(
            metric,
            baseline=before.value if before else None,
            line=power.line if power else None,
            direction=measure.direction if measure else "higher",
        ),
    )
