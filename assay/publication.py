"""A run's numbers as a baseline block: the only way that a baseline changes, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.drops import drop_pp
from assay.errors import Problem, Refused
from assay.model.baseline import Baseline, Block, Source
from assay.model.report import ProviderReport, Report
from assay.model.suite import SUBJECT, Enforcement
from assay.model.verdict import Check

COMPARISONS = ("baseline", "max_drop.", "cases")
"""Checks that an update is there to answer; any other must be kept."""


def updated(
    baseline: Baseline | None,
    report: Report,
    provider: str,
    *,
    run_id: str,
    reason: str,
    today: str,
    declared: Mapping[str, Enforcement] | None = None,
) -> tuple[Baseline, list[str]]:
    """The baseline with the provider's block taken from a run, and the difference in words.

    Providers that the suite declares and the baseline does not know get an empty block. Raises Refused when the run may not
    be believed: sampled, overridden, drifted, a broken contract, integrity, self-test or control, a case without a result, a
    gated metric undefined.
    """
    facts = report.facts
    found = report.providers.get(provider)
    if found is not None and found.role != SUBJECT:
        raise Refused(Problem(f"provider {provider}", f"is a {found.role.replace('_', ' ')}; only subjects have a baseline"))
    if found is None or not found.metrics or found.recording is None:
        raise Refused(Problem(f"run {run_id}", f"has no numbers for provider {provider!r}"))
    problems = [f"{check.name}: {check.message.splitlines()[0]}" for check in _standing(report, found)]
    problems += [f"{name} has no value" for name in facts.rule.metrics if not _has_value(found, name)]
    if not reason.strip():
        problems.append("an update needs a reason")
    if problems:
        raise Refused([Problem(f"run {run_id}", f"cannot become a baseline ({problem})") for problem in problems])
    block = Block(
        enforcement=found.enforcement,
        last_refreshed=today,
        reason=reason,
        source=_source(found, run_id),
        metrics=found.metrics,
        cases=found.cases,
    )
    blocks = dict(baseline.providers) if baseline else {}
    old = blocks.get(provider)
    blocks[provider] = block
    for name, enforcement in (declared or {}).items():
        blocks.setdefault(name, _unpublished(enforcement))
    new = Baseline(format=1, suite=facts.suite, gold_version=facts.version, calibration=facts.calibration, providers=blocks)
    return new, _difference(old, block, report)


def _has_value(found: ProviderReport, name: str) -> bool:
    return name in found.metrics and found.metrics[name].value is not None


def _unpublished(enforcement: Enforcement) -> Block:
    return Block(
        enforcement=enforcement, last_refreshed=None, reason="nothing published yet", source=None, metrics=None, cases=None
    )


def _standing(report: Report, found: ProviderReport) -> Iterable[Check]:
    """Checks that are not kept and that an update does not answer."""
    for check in (*report.checks, *found.checks):
        answered = check.name.startswith((*COMPARISONS, "providers"))
        if check.status != "kept" and not answered:
            yield check


def _source(found: ProviderReport, run_id: str) -> Source:
    recording = found.recording
    if recording is None:  # pragma: no cover  # refused above
        raise Refused(Problem(f"run {run_id}", "has no recording"))
    return Source(
        run=run_id,
        cassette_kind=recording.cassette_kind,
        cassette_sha256=recording.cassette_sha256,
        recorded_at=recording.recorded_at,
        gold_sha256=recording.gold_sha256,
        prompt_sha256=recording.prompt_sha256,
        schema_sha256=recording.schema_sha256,
    )


def _difference(old: Block | None, new: Block, report: Report) -> list[str]:
    before, after = (old.metrics if old else None) or {}, new.metrics or {}
    lines = []
    for name, metric in after.items():
        then = before.get(name)
        if then is None or then.value is None or metric.value is None:
            lines.append(f"{name}: {_text(then.value if then else None)} -> {_text(metric.value)} (n={metric.n})")
        elif then.value != metric.value:
            change = -drop_pp(metric.value, then.value, "higher")
            lines.append(f"{name}: {then.value:.4f} -> {metric.value:.4f} ({change:+.2f} pp, n={metric.n})")
    lines += [f"{name}: {_text(then.value)} -> none" for name, then in before.items() if name not in after]
    cases_before, cases_after = (old.cases if old else None) or {}, new.cases or {}
    changed = sum(cases_before.get(case) != outcome for case, outcome in cases_after.items())
    gone = len(set(cases_before) - set(cases_after))
    return [*lines, f"{changed} of {len(cases_after)} cases new or changed, {gone} gone"]


def _text(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"
