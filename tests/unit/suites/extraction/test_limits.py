"""The rules of what an extraction report says that its numbers do not prove."""

from __future__ import annotations

import pytest

from assay.metrics.proportions import proportion
from assay.model.baseline import Calibration
from assay.model.report import Report
from assay.suites.extraction.limits import limits
from tests.builders import calibration, facts

UNMEASURED = "Wording: memories are matched by a lexical measure; a right memory in other words can count as wrong."
ALWAYS = [
    "Safety against injected or poisoned content: the hostile cases are a few known tricks, not an attack.",
    "The rest of the system: storing, retrieving and using memories is not touched by this suite.",
]


def report(calibration: Calibration | None) -> Report:
    run = facts(calibration=calibration)
    return Report(format=1, verdict="PASS", headline="", facts=run, checks=(), providers={}, head_to_head=(), limits=())


def calibrated(recalled: int, same: int) -> Calibration:
    return calibration(measured={"held_out_recall": proportion(recalled, same, "pairs")})


@pytest.mark.parametrize(("recalled", "same", "shown"), [(3, 8, "38%"), (0, 8, "0%"), (8, 8, "100%")])
def test_share_of_accepted_paraphrases_is_told_as_measured(recalled: int, same: int, shown: str) -> None:
    # 3 / 8 = 0.375, shown as 38 %; no paraphrase at all is a measured 0 %.
    told = (
        f"Wording: memories are matched by a lexical measure that accepts {shown} of held-out paraphrases; a right memory in "
        "other words can count as missing and as extra."
    )
    assert limits(report(calibrated(recalled, same))) == [told, *ALWAYS]


def test_share_that_was_not_measured_is_not_told_as_a_number() -> None:
    assert limits(report(None)) == [UNMEASURED, *ALWAYS]
    assert limits(report(calibrated(0, 0))) == [UNMEASURED, *ALWAYS]
    assert limits(report(calibration())) == [UNMEASURED, *ALWAYS]
