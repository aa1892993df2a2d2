"""publish: what an extraction score does not say."""

from __future__ import annotations

from assay.model.report import Report


def limits(report: Report) -> list[str]:
    """What the numbers do not prove, from the facts of the run."""
    calibration = report.facts.calibration
    measured = calibration.measured.get("held_out_recall") if calibration else None
    recall = measured.value if measured else None
    matcher = (
        f"Wording: memories are matched by a lexical measure that accepts {recall:.0%} of held-out paraphrases; a right "
        "memory in other words can count as missing and as extra."
        if recall is not None
        else "Wording: memories are matched by a lexical measure; a right memory in other words can count as wrong."
    )
    return [
        matcher,
        "Safety against injected or poisoned content: the hostile cases are a few known tricks, not an attack.",
        "The rest of the system: storing, retrieving and using memories is not touched by this suite.",
    ]
