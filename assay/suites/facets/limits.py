"""publish: what facet recall does not say."""

from __future__ import annotations

from assay.model.report import Report

UNJUDGED = "Facet recall looks for substrings; it judges neither wording nor reasoning, nor whether the answer is true."


def limits(report: Report) -> list[str]:
    """What the numbers do not prove, from the facts of the run."""
    return [
        UNJUDGED,
        "J, its constraints and throttle events are the system's own account of itself; they are passed on, not checked.",
        "Models: simulated providers repeat what was retrieved, so recall here is that of retrieval, routing and budget.",
        f"Other domains: {report.facts.cases} tasks of a few scenarios; one task is worth several points of every mean.",
    ]
