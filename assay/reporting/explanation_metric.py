"""Why a metric has its value: what it averages over, what is left out, which cases cost it most, what it is held to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from assay.drops import drop_pp
from assay.metrics.ratios import measured, summed
from assay.model.report import ProviderReport, Report
from assay.model.score import Measure
from assay.model.verdict import CaseOutcome, Metric
from assay.reporting.explanation_counts import ADDS_UP, absorbs_text, gated_metrics, has_rows, share_text
from assay.reporting.figures import interval_text, value_text
from assay.reporting.quoted import short
from assay.reporting.terminal import one_line

MOST = 5
SHORTLIST = 20
"""Of so many cases the cost is worked out exactly; they are chosen by one in floating point."""
LISTED = 5


def metric_text(report: Report, run: str, name: str, metric: str) -> str:
    """The explanation of one metric of one provider, in sentences."""
    facts, provider = report.facts, report.providers[name]
    found, measure = provider.metrics[metric], facts.measures[metric]
    interval = interval_text(found)
    value = f"{value_text(found)} (n={found.n}{f', 95 % interval {interval}' if interval else ''})"
    why = f": {found.reason}" if found.value is None else ""
    parts = {
        "What it averages over": _definition(measure, provider.cases),
        "What is left out": _left_out(measure, provider),
        "What costs it most": _costs(metric, measure, provider),
        "What it is held to": _held(report, name, metric),
    }
    lines = [one_line(f"{facts.suite} {facts.version}, {metric} of {name}: {value}{why} (run {run}, {facts.mode})")]
    for title, sentences in parts.items():
        lines += ["", title, *(f"  {one_line(sentence)}" for sentence in sentences)]
    return "\n".join(lines) + "\n"


def _definition(measure: Measure, cases: Mapping[str, CaseOutcome]) -> Iterator[str]:
    totals = summed(outcome.tallied for outcome in cases.values())
    better = f"{measure.direction.capitalize()} is better."
    if measure.mean_of:
        with_rows = [ratio for ratio in measure.ratios if totals.get(ratio.denominator, 0)]
        yield f"The unweighted mean of {len(with_rows)} ratios, one per {measure.mean_of}. {better}"
    else:
        yield f"{_kind(measure)} {better}"
    for ratio in measure.ratios:
        n = totals.get(ratio.denominator, 0)
        share = f" = {totals.get(ratio.numerator, 0) / n:.4f}" if n else ", no rows: it leaves the mean"
        counted = f"{ratio.numerator} over {ratio.denominator}" if ratio.values == "counts" else f"the sum of {ratio.numerator}"
        yield f"{share_text(ratio, totals)}{share} ({counted})."


def _kind(measure: Measure) -> str:
    values = measure.ratios[0].values if measure.ratios else "counts"
    return {
        "counts": "A share: what is counted over all that could be, added up over the cases.",
        "shares": "The mean of a value in [0, 1] per row.",
        "reals": "The mean of a number per row, which may be any.",
    }[values]


def _left_out(measure: Measure, provider: ProviderReport) -> Iterator[str]:
    rows = {case: has_rows(measure, outcome.tallied) for case, outcome in provider.cases.items()}
    reasons = dict[str, list[str]]()
    for case, outcome in provider.cases.items():
        if not rows[case]:
            reasons.setdefault(outcome.left_out or "they hold nothing that it counts", []).append(case)
    yield f"{sum(rows.values())} of {len(rows)} cases have rows in it{'; the others have none' if reasons else ''}."
    for reason, cases in sorted(reasons.items()):
        yield f"{reason[:1].upper()}{reason[1:]}: {len(cases)} ({_named(cases)})."
    statuses = Counter(failed.status for failed in provider.failed.values() if failed.status != "scored")
    for status, n in sorted(statuses.items()):
        inside = sum(rows[case] for case, failed in provider.failed.items() if failed.status == status)
        yield f"{status.capitalize()}: {n}; {inside} have rows in it and count with what they add, {n - inside} have none."


def _costs(name: str, measure: Measure, provider: ProviderReport) -> Iterator[str]:
    now = provider.metrics[name]
    totals = summed(outcome.tallied for outcome in provider.cases.values())
    again = measured(totals, {name: measure})[name].value
    if now.value is None or again is None:
        yield "It is undefined, so no case costs it anything."
        return
    if abs(now.value - again) > ADDS_UP:
        yield "The cases' counts do not add up to it, so what each costs is not worked out."
        return
    costly = sorted(_exact(name, measure, provider, totals), key=lambda cost: (-cost[0], cost[1]))[:MOST]
    if not costly:
        yield "No case: leaving out any one makes it no better."
    for cost, case, without in costly:
        counts = provider.cases[case].tallied
        mine = "; ".join(share_text(ratio, counts) for ratio in measure.ratios if counts.get(ratio.denominator, 0))
        failed = provider.failed.get(case)
        why = f" It is {failed.status}: {short(failed.reason, 120)}." if failed and failed.reason else ""
        yield f"{case} costs {cost:.4f} pp: without it {without:.6f}. It adds {mine}.{why}"


def _exact(
    name: str, measure: Measure, provider: ProviderReport, totals: Mapping[str, float]
) -> Iterator[tuple[float, str, float]]:
    """(percentage points, case, value without it) of the cases without which the metric is better."""
    now = provider.metrics[name].value or 0.0
    rough = list[tuple[float, str]]()
    for case, outcome in provider.cases.items():
        if has_rows(measure, outcome.tallied):
            left = {key: total - outcome.tallied.get(key, 0) for key, total in totals.items()}
            value = measured(left, {name: measure})[name].value
            rough += [] if value is None else [(float(drop_pp(now, value, measure.direction)), case)]
    for cost, case in sorted(rough, key=lambda found: (-found[0], found[1]))[:SHORTLIST]:
        value = _without(name, measure, provider, case).value if cost > 0 else None
        if value is not None and (exactly := drop_pp(now, value, measure.direction)) > 0:
            yield float(exactly), case, value


def _without(name: str, measure: Measure, provider: ProviderReport, case: str) -> Metric:
    others = summed(outcome.tallied for key, outcome in provider.cases.items() if key != case)
    return measured(others, {name: measure})[name]


def _held(report: Report, name: str, metric: str) -> Iterator[str]:
    provider = report.providers[name]
    checks = [check for check in provider.checks if check.name.partition(".")[2] == metric]
    if metric in report.facts.advisory:
        yield "It is advisory: reported and never gated, because what makes it has not been calibrated."
    elif metric not in gated_metrics(report):
        yield "Nothing: the suite does not gate it."
    elif not checks:
        yield "No check of this run compares it."
    for check in checks:
        yield f"{check.name} {check.status}: {check.message}."
    if checks and not provider.decides:
        yield f"{name} decides nothing ({provider.enforcement})."
    power = provider.power.get(metric)
    if power and power.line is not None and power.headroom_pp is not None:
        side = "good" if power.headroom_pp >= 0 else "bad"
        away = f"{abs(power.headroom_pp):g} pp away"
        yield f"The line is at {power.line:.4f}, {away}; it is on the {side} side{absorbs_text(power)}."
    if power and power.undefined:
        yield f"{power.undefined[:1].upper()}{power.undefined[1:]}."


def _named(cases: list[str]) -> str:
    return ", ".join(cases[:LISTED]) + (f" and {len(cases) - LISTED} more" if len(cases) > LISTED else "")
