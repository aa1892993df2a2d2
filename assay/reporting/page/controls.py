"""Controls beside the subjects: a table for each metric that a control is judged by, all of it on one axis."""

from __future__ import annotations

from dataclasses import dataclass

from assay.luck import ceiling_of
from assay.model.report import ProviderReport, Report, RunFacts
from assay.model.score import Direction
from assay.model.suite import SUBJECT
from assay.model.verdict import Metric
from assay.reporting.figures import ROLES, count_text, interval_text, value_text
from assay.reporting.page.scale import Plot, ends_of, plot_of, scale_of


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


@dataclass(frozen=True)
class ControlTable:
    """All providers by one metric."""

    metric: str
    ends: tuple[str, str]
    rows: tuple[ControlRow, ...]


def control_tables(report: Report) -> list[ControlTable]:
    """A table per metric that controls are judged by, in the order of the providers; none without controls."""
    judged = [found.control.metric for found in report.providers.values() if found.control]
    return [_table(metric, report) for metric in dict.fromkeys(judged)]


def _table(metric: str, report: Report) -> ControlTable:
    found = {name: provider for name, provider in report.providers.items() if metric in provider.metrics}
    order = sorted(found, key=lambda name: list(ROLES).index(found[name].role))
    lines = {name: _line(name, metric, found[name], report.facts) for name in order}
    scale = scale_of([end for name in order for end in (*ends_of(found[name].metrics[metric]), _before(found[name], metric))])
    rows = []
    for name in order:
        provider, value, (line, bad) = found[name], found[name].metrics[metric], lines[name]
        is_judged = provider.control is not None and provider.control.metric == metric
        rows.append(
            ControlRow(
                name=name,
                role=ROLES[provider.role],
                is_judged=is_judged,
                value=value_text(value),
                counted=count_text(metric, value),
                interval=interval_text(value),
                must=_must(provider, line, report.facts) if is_judged else "",
                plot=plot_of(value, line=line, direction=bad, scale=scale, baseline=_before(provider, metric)),
            )
        )
    return ControlTable(metric, (f"{scale.low:.4g}", f"{scale.high:.4g}"), tuple(rows))


def _line(name: str, metric: str, provider: ProviderReport, facts: RunFacts) -> tuple[float | None, Direction]:
    """The worst value that is kept, and which way is better: a floor for the positive, what luck explains for the negative."""
    if provider.role == SUBJECT:
        power, measure = provider.power.get(metric), facts.measures.get(metric)
        return (power.line if power else None), (measure.direction if measure else "higher")
    if provider.control is None or provider.control.metric != metric:
        return None, "higher"
    if provider.control.floor is not None:
        return provider.control.floor, "higher"
    chance = facts.chance.get(name)
    return (None if chance is None else ceiling_of(chance, facts.measures[metric])), "lower"


def _before(provider: ProviderReport, metric: str) -> float | None:
    before: Metric | None = provider.baseline.get(metric)
    return before.value if before else None


def _must(provider: ProviderReport, line: float | None, facts: RunFacts) -> str:
    if provider.role == "positive_control":
        return f"at least {line:g}"
    if provider.role == "negative_control":
        return "stay under what luck explains, which is not known" if line is None else f"at most {line:.4f}, by luck"
    return f"behind every subject by more than {facts.rule.max_drop_pp:g} pp"
