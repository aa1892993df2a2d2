"""Numbers as text, the same in console, Markdown and JUnit."""

from __future__ import annotations

from assay.gate import drop_pp
from assay.model.report import ProviderReport, RunFacts
from assay.model.verdict import Metric


def value_text(metric: Metric) -> str:
    """The value to four decimals, or `undefined`."""
    return "undefined" if metric.value is None else f"{metric.value:.4f}"


def count_text(name: str, metric: Metric) -> str:
    """What the value averages over: `212/230`, or `mean of 5` for a mean of classes."""
    if metric.value is None:
        return metric.reason or ""
    if name.endswith("_macro"):
        return f"mean of {metric.n}"
    return f"{metric.numerator:.0f}/{metric.denominator:.0f}"


def interval_text(metric: Metric) -> str:
    """The 95 % interval, or an empty string."""
    return "" if metric.low is None or metric.high is None else f"{metric.low:.3f}-{metric.high:.3f}"


def change_text(name: str, provider: ProviderReport, facts: RunFacts) -> str:
    """The change against the baseline in percentage points; plus is for the better."""
    now, before = provider.metrics[name], provider.baseline.get(name)
    if now.value is None or before is None or before.value is None or name not in facts.measures:
        return ""
    gain = -drop_pp(now.value, before.value, facts.measures[name].direction)
    return "0" if gain == 0 else f"{gain:+.2f} pp"


def compared_text(provider: ProviderReport) -> str:
    """How much was compared, and with which baseline."""
    compared = provider.compared
    if not compared.metrics and not compared.cases:
        return "compared with nothing"
    return f"compared with the baseline of {provider.baseline_refreshed}: {compared.metrics} metrics, {compared.cases} cases"
