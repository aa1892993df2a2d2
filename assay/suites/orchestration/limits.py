"""publish: what an orchestration score does not say."""

from __future__ import annotations

from assay.model.exchange import IN_PROCESS
from assay.model.report import Report


def limits(report: Report) -> list[str]:
    """What the numbers do not prove, from the facts of the run."""
    coded = [name for name, p in report.providers.items() if p.role == "subject" and p.cassette_kind == IN_PROCESS]
    told = [f"A model's judgement: {', '.join(coded)} answered from code in this process, without a recorded model."]
    return [
        *(told if coded else []),
        "The quality of what is written: a run can keep every rule and hand over a bad text.",
        "Rules that nobody wrote down, and orders of events that no case provokes.",
        "Concurrency: cases run one after another in one process.",
    ]
