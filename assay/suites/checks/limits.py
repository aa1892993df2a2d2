"""publish: what a score over checks does not say."""

from __future__ import annotations

from assay.model.report import Report


def limits(report: Report) -> list[str]:
    """What the numbers do not prove, from the facts of the run."""
    planted = report.facts.measures.get("planted_noticed") and any(
        metric.value is not None for p in report.providers.values() if (metric := p.metrics.get("planted_noticed"))
    )
    told = ["How often real outputs are wrong: planted faults show that a check notices them, not how many there are."]
    names = ", ".join(name for name in report.facts.advisory if f"{name}_score" in report.facts.advisory)
    advisory = [f"Judgement: {names} has not been calibrated against people, so it is advisory: it gates nothing."]
    return [
        "Faults that no check looks for: a case passes when its checks come out as expected, and says nothing of the rest.",
        *(told if planted else []),
        *(advisory if report.facts.advisory else []),
    ]
