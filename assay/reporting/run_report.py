"""The report of one suite under a change, and its timing block."""

from __future__ import annotations

import json
from typing import Any

from assay.change import SuiteChange
from assay.model.report import Report
from assay.model.run import RunOutcome


def report_of(change: SuiteChange) -> Report | None:
    """The report of the suite's run; None where it was not run, or could not be."""
    found = change.result
    if not isinstance(found, RunOutcome):
        return None
    if found.parsed is not None:
        return found.parsed
    value = json.loads(found.report)
    del value["timing"]
    return Report.model_validate_json(json.dumps(value))


def timing_of(change: SuiteChange) -> dict[str, Any]:
    """The block of the report that a day changes; empty where there is no run."""
    found = change.result
    timing: dict[str, Any] = json.loads(found.report)["timing"] if isinstance(found, RunOutcome) else {}
    return timing
