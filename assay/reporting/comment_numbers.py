"""The comment's numbers: per suite and provider what is gated, what it averages over, how it moved, and how old that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from assay.beside_base import BesideBase
from assay.change import ChangeOutcome, SuiteChange
from assay.common_cases import BASE
from assay.drops import drop_pp
from assay.model.report import ProviderReport, RunFacts
from assay.model.run import plural
from assay.model.score import Direction
from assay.model.suite import SUBJECT
from assay.model.verdict import Metric
from assay.reporting.figures import change_text, count_text, value_text
from assay.reporting.quoted import quiet, quiet_code
from assay.reporting.run_report import report_of, timing_of

DROPPED = "dropped metric"
_CASES = 5
"""How many cases are named."""


def number_lines(outcome: ChangeOutcome) -> list[str]:
    """A table with a row for every subject that has numbers; empty where none has."""
    found = [*outcome.settled.open, *(one for one, _ in outcome.settled.acknowledged)]
    dropped = Counter((one.suite, one.provider) for one in found if one.name == DROPPED)
    rows = [row for change in outcome.suites.values() for row in _rows(change, dropped)]
    columns = (
        "subject",
        "gated metrics: value (what it averages over), change over unchanged cases",
        "against the merge base",
        "cases",
        "age of baseline",
    )
    return [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *rows] if rows else []


def case_lines(change: SuiteChange) -> list[str]:
    """For each gated subject with a case that moved, which got worse and which better."""
    lines = []
    for name, provider in _subjects(change):
        beside = change.beside.get(name)
        compared, against = (beside.compared, "since the merge base") if beside else (provider.compared, "against its baseline")
        moved = [("worse", compared.worse), ("better", compared.better)]
        told = [f"{len(cases)} got {word} ({_some(cases)})" for word, cases in moved if cases]
        if told:
            lines.append(f"{quiet_code(f'{change.suite}/{name}')} {against}: {'; '.join(told)}")
    return lines


def _rows(change: SuiteChange, dropped: Mapping[tuple[str, str | None], int]) -> list[str]:
    report, timing, rows = report_of(change), timing_of(change), list[str]()
    if report is None:
        return rows
    facts = report.facts
    for name, provider in _subjects(change):
        subject = f"{quiet_code(f'{change.suite}/{name}')}{'' if provider.decides else ' (manual, never gated)'}"
        metrics = "<br>".join(
            _metric(one, provider, facts, change.beside.get(name)) for one in facts.rule.metrics if one in provider.metrics
        )
        base = _against_base(name, change, dropped.get((change.suite, name), 0))
        rows.append(f"| {subject} | {metrics} | {base} | {_cases(provider)} | {_age(name, provider, timing)} |")
    return rows


def _against_base(name: str, change: SuiteChange, dropped: int) -> str:
    """How the gated metrics came out over the cases that the change left as they were."""
    statuses = [check.status for check in change.checks if check.name.startswith(f"{name}: {BASE}")]
    counts = {"held": statuses.count("kept"), "worse": dropped + statuses.count("broken")}
    counts["not comparable"] = statuses.count("could-not-run")
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "not compared"


def _subjects(change: SuiteChange) -> list[tuple[str, ProviderReport]]:
    """The subjects with numbers."""
    report = report_of(change)
    found = report.providers.items() if report else ()
    return [(name, provider) for name, provider in found if provider.role == SUBJECT and provider.metrics]


def _metric(name: str, provider: ProviderReport, facts: RunFacts, beside: BesideBase | None) -> str:
    metric = provider.metrics[name]
    told = f"{quiet(name)} {value_text(metric)} ({quiet(_coverage(name, metric, facts))})"
    if beside is not None and name in beside.metrics:
        return f"{told}, {_gain(*beside.metrics[name], facts.measures[name].direction)}"
    change = change_text(name, provider, facts)
    return f"{told}, {f'{change} against its own baseline' if change else 'compared with nothing'}"


def _gain(now: Metric, then: Metric, direction: Direction) -> str:
    """The change in percentage points; plus is for the better."""
    if now.value is None or then.value is None:
        return f"not comparable: {quiet(now.reason or then.reason or '')}"
    gain = -drop_pp(now.value, then.value, direction)
    return "0" if gain == 0 else f"{gain:+.2f} pp"


def _coverage(name: str, metric: Metric, facts: RunFacts) -> str:
    """n, and what is counted."""
    measure = facts.measures.get(name)
    if metric.value is None:
        return f"n={metric.n}: {metric.reason}"
    if measure is None or len(measure.ratios) != 1:
        each = f", each a {measure.mean_of}" if measure and measure.mean_of else ""
        return f"n={metric.n}{each}"
    return f"n={metric.n} {measure.ratios[0].of}, {count_text(name, metric)}"


def _cases(provider: ProviderReport) -> str:
    left_out = sum(outcome.left_out is not None for outcome in provider.cases.values())
    out = f", {left_out} in no mean" if left_out else ""
    new = f", {len(provider.compared.new)} new" if provider.compared.cases and provider.compared.new else ""
    return f"{len(provider.cases)}{out}{new}"


def _age(name: str, provider: ProviderReport, timing: dict[str, Any]) -> str:
    key = f"{name}.baseline"
    if provider.baseline_refreshed is None or key not in timing["ages_days"]:
        return "none"
    stale = f", STALE (over {timing['stale_after_days']})" if key in timing["stale"] else ""
    return f"{plural(timing['ages_days'][key], 'day')}{stale}"


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _CASES} more" if len(names) > _CASES else ""
    return ", ".join(map(quiet_code, names[:_CASES])) + more
