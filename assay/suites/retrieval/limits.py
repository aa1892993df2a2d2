"""publish: what a retrieval score does not say."""

from __future__ import annotations

from assay.model.report import Report


def limits(report: Report) -> list[str]:
    """What the numbers do not prove, from the facts of the run."""
    at = report.facts.calibration.calibrated_at if report.facts.calibration else {}
    size = (
        f"{at['documents']} documents and {at['queries']} queries" if {"documents", "queries"} <= at.keys() else "this corpus"
    )
    return [
        f"Other corpora: recall and precision are those of {size}; every added document makes each ranking harder.",
        "That embeddings are better than words: it depends on the questions; controls and head to head show it here.",
        "Abstention: the score of the query that nothing answers is watched for a collapse; it is no threshold.",
        "The answer: whether what was retrieved is used, and used rightly, is not touched by this suite.",
    ]
