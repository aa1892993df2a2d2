"""What is written of a change beside its suites' own reports."""

from __future__ import annotations

from assay.change import ChangeOutcome
from assay.reporting.build import json_bytes
from assay.reporting.change_junit import change_junit
from assay.reporting.change_summary import change_summary
from assay.reporting.comment import comment_text


def change_files(outcome: ChangeOutcome) -> dict[str, bytes]:
    """By name: the comment, the summary, and all checks and cases as JUnit."""
    return {
        "comment.md": comment_text(outcome).encode(),
        "change.json": json_bytes(change_summary(outcome).model_dump(mode="json")),
        "junit.xml": change_junit(outcome),
    }
