"""What a retrieval report says that its numbers do not prove."""

from __future__ import annotations

import pytest

from assay.model.baseline import Calibration
from assay.model.report import Report
from assay.suites.retrieval.limits import limits
from tests.builders import calibration, facts

MEASURED = calibration(calibrated_at={"documents": 34, "queries": 17})


def told(found: Calibration | None) -> list[str]:
    run = facts(calibration=found)
    report = Report(format=1, verdict="PASS", headline="", facts=run, checks=(), providers={}, head_to_head=(), limits=())
    return limits(report)


@pytest.mark.parametrize(
    ("found", "size"),
    [(MEASURED, "34 documents and 17 queries"), (calibration(), "this corpus"), (None, "this corpus")],
)
def test_the_limits_read(found: Calibration | None, size: str) -> None:
    assert told(found) == [
        f"Other corpora: recall and precision are those of {size}; every added document makes each ranking harder.",
        "That embeddings are better than words: it depends on the questions; controls and head to head show it here.",
        "Abstention: the score of the query that nothing answers is watched for a collapse; it is no threshold.",
        "The answer: whether what was retrieved is used, and used rightly, is not touched by this suite.",
    ]
