"""Numbers as text, the same in console, Markdown and JUnit."""

from __future__ import annotations

from decimal import Decimal

from assay.drops import drop_pp
from assay.model.power import Power
from assay.model.report import FailedCase, HeadToHead, ProviderReport, Report, RunFacts
from assay.model.run import plural
from assay.model.verdict import Check, Metric

ROLES = {
    "subject": "subject",
    "positive_control": "positive",
    "negative_control": "negative",
    "trivial_strategy": "trivial",
}
COLUMNS = 2
"""How many metrics stand side by side at least."""
LISTED = 5
"""How many cases are named in a sentence."""


def value_text(metric: Metric) -> str:
    """The value to four decimals, or `undefined`."""
    return "undefined" if metric.value is None else f"{metric.value:.4f}"


def count_text(name: str, metric: Metric) -> str:
    """What the value averages over: `212/230`, or `mean of 5` for a mean of classes."""
    if metric.value is None:
        return metric.reason or ""
    if name.endswith("_macro"):
        return f"mean of {metric.n}"
    numerator = metric.numerator or 0.0
    return (
        f"{numerator:.0f}/{metric.denominator:.0f}" if numerator.is_integer() else f"{numerator:.2f}/{metric.denominator:.0f}"
    )


def side_by_side(report: Report) -> list[list[str]]:
    """A header and a row per provider with numbers: the metrics that controls are judged by, else the first gated ones."""
    judged = [provider.control.metric for provider in report.providers.values() if provider.control]
    wanted = max(COLUMNS, len(set(judged)))
    names = list(dict.fromkeys([*judged, *report.facts.rule.metrics]))[:wanted]
    rows = [
        [name, ROLES[provider.role], *(_cell(provider.metrics.get(metric)) for metric in names)]
        for name, provider in report.providers.items()
        if provider.metrics
    ]
    return [["provider", "role", *names], *rows]


def _cell(metric: Metric | None) -> str:
    return "" if metric is None else value_text(metric)


def is_control(check: Check) -> bool:
    """Whether the check asks a control, or whether luck alone would keep a floor."""
    return check.name.startswith(("control.", "saturated."))


def differences(failed: FailedCase, limit: int) -> list[str]:
    """The first lines on what a case got wrong, and how many there are besides."""
    found = failed.detail.get("difference")
    lines = [str(line) for line in found] if isinstance(found, list) else []
    return lines[:limit] + ([f"and {len(lines) - limit} more"] if len(lines) > limit else [])


def head_to_head_text(found: HeadToHead) -> str:
    """Who won on how many cases, which were lost, and which are left out and why."""
    compared = len(found.wins) + len(found.losses) + len(found.ties)
    lost = f" ({', '.join(found.losses[:LISTED])}{' …' if len(found.losses) > LISTED else ''})" if found.losses else ""
    difference, interval = found.difference, interval_text(found.difference)
    mean = (
        ""
        if difference.value is None
        else f"; mean difference {difference.value:+.4f}" + (f" [{interval}]" if interval else "")
    )
    reasons: dict[str, list[str]] = {}
    for case, reason in found.left_out.items():
        reasons.setdefault(reason, []).append(case)
    told = [f"{', '.join(cases[:LISTED])}{' …' if len(cases) > LISTED else ''} ({reason})" for reason, cases in reasons.items()]
    left_out = f". Left out: {'; '.join(told)}" if told else ""
    return (
        f"{found.subject} against {found.against} by {found.metric} over {compared} of {compared + len(found.left_out)} cases: "
        f"{len(found.wins)} won, {len(found.losses)} lost{lost}, {len(found.ties)} tied{mean}{left_out}"
    )


def interval_text(metric: Metric) -> str:
    """The 95 % interval, or an empty string."""
    if metric.low is None or metric.high is None:
        return ""
    return f"{metric.low:.3f}-{metric.high:.3f}" if metric.low >= 0 else f"{metric.low:.3f} to {metric.high:.3f}"


def gain_pp(name: str, provider: ProviderReport, facts: RunFacts) -> Decimal | None:
    """How much better a metric is than its baseline, in percentage points; None where one of the two has no value."""
    now, before = provider.metrics[name], provider.baseline.get(name)
    if now.value is None or before is None or before.value is None or name not in facts.measures:
        return None
    return -drop_pp(now.value, before.value, facts.measures[name].direction)


def change_text(name: str, provider: ProviderReport, facts: RunFacts) -> str:
    """The change against the baseline in percentage points; plus is for the better. An empty string where there is none."""
    gain = gain_pp(name, provider, facts)
    if gain is None:
        return ""
    return "0" if gain == 0 else f"{gain:+.2f} pp"


def power_column(provider: ProviderReport, facts: RunFacts) -> tuple[str, ...]:
    """The title of the column of `power_text`; none where it would be empty."""
    if not any(power_text(name, provider, facts) for name in facts.rule.metrics):
        return ()
    return ("sees at 80 / 95 %",) if facts.mode == "live" else ("absorbs",)


def power_text(name: str, provider: ProviderReport, facts: RunFacts) -> str:
    """What the gate sees: `2-7 of 230` rows may turn wrong unnoticed, `blind` if all may; of a live run the smallest drops."""
    power = provider.power.get(name)
    if power is None:
        return ""
    if facts.mode == "live":
        return f"{_seen(power.live.at80_pp)} / {_seen(power.live.at95_pp)}" if power.live else ""
    return "" if power.absorbs_fewest is None else _absorbed(power)


def power_notes(provider: ProviderReport, facts: RunFacts) -> list[str]:
    """Why some metrics have no power, each reason once with its metrics; of a live run also how its power is counted."""
    reasons: dict[str, list[str]] = {}
    for name, power in provider.power.items():
        is_measured = name in provider.metrics and provider.metrics[name].value is not None
        if power.undefined and power.right is None and is_measured:
            reasons.setdefault(power.undefined, []).append(name)
    told = [f"{', '.join(sorted(names))}: {reason}" for reason, names in sorted(reasons.items())]
    lives = [power.live for power in provider.power.values() if power.live] if facts.mode == "live" else []
    alarm = max((live.false_alarm for live in lives), default=0.0)
    seen = [f"drops seen: {live.model}; false alarms of a metric at most {100 * alarm:.2f} %" for live in lives[:1]]
    return [*told, *seen]


def _absorbed(power: Power) -> str:
    if power.headroom_pp is not None and power.headroom_pp < 0:
        return "fired"
    if power.is_blind:
        return "blind"
    if power.absorbs_most is None:
        return f"{power.absorbs_fewest} at worst"
    most = f"-{power.absorbs_most}" if power.absorbs_most != power.absorbs_fewest else ""
    return f"{power.absorbs_fewest}{most} of {power.of}"


def _seen(drop_pp: float | None) -> str:
    return "nothing" if drop_pp is None else f"{drop_pp:.1f} pp"


def compared_text(provider: ProviderReport) -> str:
    """How much was compared, and with which baseline."""
    compared = provider.compared
    if not compared.metrics and not compared.cases:
        return "compared with nothing"
    counted = f"{plural(compared.metrics, 'metric')}, {plural(compared.cases, 'case')}"
    return f"compared with the baseline of {provider.baseline_refreshed}: {counted}"
