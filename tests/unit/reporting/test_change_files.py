"""What is written of a change: a summary with a schema, and one JUnit file for the change and all suites."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import jsonschema
import pytest

from assay.change import ChangeOutcome
from assay.reporting.change_files import change_files
from assay.reporting.change_summary import ChangeSummary
from tests.unit.reporting.changes import BASE, acknowledged, broken, hostile_change, regressed, unjudged, violated
from tests.unit.reporting.reports import CONTROL

SCHEMA = Path(__file__).resolve().parents[3] / "schemas" / "change-summary.schema.json"
MADE = (acknowledged, regressed, violated, unjudged, broken, hostile_change)


def summary(outcome: ChangeOutcome) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(change_files(outcome)["change.json"])
    return found


def junit(outcome: ChangeOutcome) -> Element:
    return fromstring(change_files(outcome)["junit.xml"])  # noqa: S314  # our own bytes


def outcomes(suite: Element) -> dict[str, str]:
    """By class and name, how a test came out."""
    return {f"{c.get('classname')} {c.get('name')}": next((child.tag for child in c), "passed") for c in suite}


def test_the_committed_schema_is_that_of_the_model() -> None:
    model = ChangeSummary.model_json_schema()
    assert SCHEMA.read_text(encoding="utf-8") == json.dumps(model, sort_keys=True, indent=2) + "\n"


@pytest.mark.parametrize("made", MADE)
def test_every_summary_keeps_the_schema(made: Callable[[], ChangeOutcome]) -> None:
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(summary(made()))


def test_the_summary_tells_verdict_base_suites_findings_and_acknowledgements() -> None:
    found = summary(acknowledged())
    assert (found["verdict"], found["base"], sorted(found["suites"])) == ("PASS", BASE, ["extraction", "retrieval"])
    assert found["findings"][0] == {
        "name": "raised max_drop_pp",
        "suite": "extraction",
        "provider": None,
        "detail": None,
        "what": "the largest drop that is kept: 3.0 -> 5.0 pp",
        "acknowledgement": "ASSAY_ACK: raised max_drop_pp extraction because ...",
        "reason": "three cases are few",
    }
    assert len(found["findings"]) == 8
    assert [line["why"] for line in found["malformed_acknowledgements"]] == ["gives no reason after `because`"]
    assert len(found["unused_acknowledgements"]) == 1
    assert found["suites"]["retrieval"]["run"] is None
    assert found["suites"]["extraction"]["run"]["verdict"] == "PASS"


def test_an_open_finding_has_no_reason_and_an_error_is_told() -> None:
    found = summary(broken())
    assert [finding["reason"] for finding in found["findings"]] == [None]
    assert (found["verdict"], found["removed_suites"]) == ("FAIL", ["facets"])
    assert found["suites"]["decisions"]["verdict"] == "ERROR"
    assert "unknown key" in found["suites"]["decisions"]["errors"][0]


def test_junit_has_the_change_first_and_every_suite_of_the_run_by_its_name() -> None:
    root = junit(regressed())
    change, *others = root
    assert [suite.get("name") for suite in root] == [
        "change",
        "extraction.suite.checks",
        "extraction.p.checks",
        "extraction.p.cases",
    ]
    assert (change.get("tests"), change.get("failures"), change.get("skipped")) == ("4", "1", "1")
    assert outcomes(change) == {
        "change.extraction p: base.mrr": "passed",
        "change.retrieval gold_set": "passed",
        "change.retrieval run": "skipped",
        "change.extraction dropped metric extraction/p/recall": "failure",
    }
    assert all(str(case.get("classname")).startswith("extraction.") for suite in others for case in suite)


def test_junit_tells_errors_of_suites_and_passes_what_is_acknowledged() -> None:
    assert outcomes(junit(broken())[0]) == {
        "change.decisions run": "error",
        "change.facets removed suite facets": "failure",
    }
    assert set(outcomes(junit(acknowledged())[0]).values()) == {"passed", "skipped"}


@pytest.mark.parametrize("text", [CONTROL, "]]>", "<testcase/>", "\x00"])
def test_no_text_breaks_the_xml(text: str) -> None:
    assert junit(hostile_change(text)).tag == "testsuites"
