"""Controls beside the subjects: a table for each metric that a control is judged by, all of it on one axis."""

from __future__ import annotations

from dataclasses import dataclass

from assay.luck import ceiling_of
from assay.model.report import ProviderReport, Report, RunFacts
from assay.model.score import Direction
from assay.model.suite import SUBJECT
from assay.model.verdict import Metric
from assay.reporting.figures import ROLES, count_text, interval_text, value_text
from assay.reporting.page.scale import Plot, Scale, ends_of, plot_of, scale_of

NO_NUMBERS = "no numbers"


@dataclass(frozen=True)
class ControlRow:
    """One provider by one metric."""

    name: str
    role: str
    is_judged: bool
    """Whether the table's metric is what this control is judged by."""
    value: str
    counted: str
    interval: str
    must: str
    """What it must show, in words; empty for subjects and for controls that are judged by another metric."""
    plot: Plot | None
    """None where it is undefined or there are no numbers."""


@dataclass(frozen=True)
class ControlTable:
    """All providers by one metric: those that have it, and those that ought to and have no numbers."""

    metric: str
    ends: tuple[str, str]
    rows: tuple[ControlRow, ...]


def control_tables(report: Report) -> list[ControlTable]:
    """A table per metric that controls are judged by, in the order of the providers; none without controls."""
    judged = [found.control.metric for found in report.providers.values() if found.control]
    return [_table(metric, report) for metric in dict.fromkeys(judged)]


def _table(metric: str, report: Report) -> ControlTable:
    found = {name: provider for name, provider in report.providers.items() if _stands(provider, metric)}
    order = sorted(found, key=lambda name: list(ROLES).index(found[name].role))
    measured = [provider for provider in found.values() if metric in provider.metrics]
    scale = scale_of([end for one in measured for end in (*ends_of(one.metrics[metric]), _before(one, metric))])
    rows = tuple(_row(name, metric, found[name], report.facts, scale) for name in order)
    return ControlTable(metric, (f"{scale.low:.4g}", f"{scale.high:.4g}"), rows)


def _stands(provider: ProviderReport, metric: str) -> bool:
    """Whether it has the metric, or ought to: a control that is judged by it, and a gated subject."""
    return metric in provider.metrics or _is_judged(provider, metric) or _is_gated(provider)


def _is_judged(provider: ProviderReport, metric: str) -> bool:
    return provider.control is not None and provider.control.metric == metric


def _is_gated(provider: ProviderReport) -> bool:
    return provider.role == SUBJECT and provider.enforcement == "ci"


def _row(name: str, metric: str, provider: ProviderReport, facts: RunFacts, scale: Scale) -> ControlRow:
    value, (line, better) = provider.metrics.get(metric), _line(name, metric, provider, facts)
    is_judged = _is_judged(provider, metric)
    return ControlRow(
        name=name,
        role=ROLES[provider.role],
        is_judged=is_judged,
        value=value_text(value) if value else NO_NUMBERS,
        counted=count_text(metric, value) if value else provider.skipped or "",
        interval=interval_text(value) if value else "",
        must=_must(provider, line, facts) if is_judged else "",
        plot=plot_of(value, line=line, direction=better, scale=scale, baseline=_before(provider, metric)) if value else None,
    )


def _line(name: str, metric: str, provider: ProviderReport, facts: RunFacts) -> tuple[float | None, Direction]:
    """The worst value that is kept, and which way is better: a floor for the positive, what luck explains for the negative."""
    if provider.role == SUBJECT:
        power, measure = provider.power.get(metric), facts.measures.get(metric)
        return (power.line if power else None), (measure.direction if measure else "higher")
    if provider.control is None or provider.control.metric != metric:
        return None, "higher"
    if provider.control.floor is not None:
        return provider.control.floor, "higher"
    chance, measure = facts.chance.get(name), facts.measures.get(metric)
    return (None if chance is None or measure is None else ceiling_of(chance, measure)), "lower"


def _before(provider: ProviderReport, metric: str) -> float | None:
    before: Metric | None = provider.baseline.get(metric)
    return before.value if before else None


def _must(provider: ProviderReport, line: float | None, facts: RunFacts) -> str:
    if provider.role == "positive_control":
        return f"at least {line:g}"
    if provider.role == "negative_control":
        return "stay under what luck explains, which is not known" if line is None else f"at most {line:.4f}, by luck"
    return f"behind every subject by more than {facts.rule.max_drop_pp:g} pp"
