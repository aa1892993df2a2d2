"""The public summary of `assay run --json`: stable, with a JSON Schema in the repository."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import jsonschema
import pytest

from assay.model.report import Report
from assay.reporting.summary import RunSummary, summary_of
from tests.unit.reporting.reports import TIMING, failing, hostile, passing, undecided

SCHEMA = Path(__file__).resolve().parents[3] / "schemas" / "run-summary.schema.json"
NUMBERS = {"value", "n", "numerator", "denominator", "low", "high"}


def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def summary(report: Report) -> dict[str, Any]:
    """The summary as a reader of the JSON gets it."""
    found: dict[str, Any] = json.loads(summary_of(report, TIMING).model_dump_json())
    return found


def assert_has_the_shape_of_the_interface(found: dict[str, Any]) -> None:
    assert set(found) == {"verdict", "suite", "version", "checks", "providers", "timing"}
    for provider in found["providers"].values():
        assert set(provider) == {"role", "enforcement", "cassette_kind", "skipped", "cut", "metrics", "checks"}
        for metric in provider["metrics"].values():
            assert set(metric) == {*NUMBERS, "reason"}
        for check in provider["checks"]:
            assert set(check) == {"name", "status", "message"}


def test_the_committed_schema_is_that_of_the_model() -> None:
    model = RunSummary.model_json_schema()
    assert SCHEMA.read_text(encoding="utf-8") == json.dumps(model, sort_keys=True, indent=2) + "\n"


@pytest.mark.parametrize("report", [passing(), failing(), undecided(), hostile()], ids=["pass", "fail", "no", "hostile"])
def test_every_summary_keeps_schema_and_shape(report: Report) -> None:
    found = summary(report)
    validator().validate(found)
    assert_has_the_shape_of_the_interface(found)


def test_the_summary_of_a_failure_reads() -> None:
    found = summary(failing())
    assert {key: found[key] for key in ("verdict", "suite", "version", "timing")} == {
        "verdict": "FAIL",
        "suite": "extraction",
        "version": "v1",
        "timing": TIMING,
    }
    provider = found["providers"]["p"]
    assert (provider["role"], provider["enforcement"]) == ("subject", "ci")
    assert provider["cassette_kind"] == "oracle_aligned_expected_json"
    assert provider["metrics"]["recall"] == {
        "value": 2 / 3,
        "n": 3,
        "numerator": 2.0,
        "denominator": 3.0,
        "low": 0.2,
        "high": 0.93,
        "reason": None,
    }
    assert provider["checks"][-1] == {
        "name": "max_drop.recall",
        "status": "broken",
        "message": "recall 0.6667 (n=3) against 1.0000 (n=3): 33.33 pp worse, at most 3.0 pp worse allowed",
    }


def test_an_undefined_metric_is_null_with_a_reason() -> None:
    metric = summary(undecided())["providers"]["p"]["metrics"]["precision"]
    assert (metric["value"], metric["n"], metric["reason"]) == (None, 0, "no memories predicted")


def test_a_provider_without_a_recording_has_no_metrics_and_no_kind() -> None:
    provider = summary(passing())["providers"]["q"]
    assert (provider["enforcement"], provider["cassette_kind"], provider["metrics"]) == ("manual", None, {})


@pytest.mark.parametrize("change", [{"verdict": "MAYBE"}, {"extra": 1}, {"timing": None}])
def test_the_schema_refuses_what_is_no_summary(change: dict[str, Any]) -> None:
    assert not validator().is_valid({**summary(passing()), **change})


def test_a_real_run_prints_nothing_but_a_summary_that_keeps_the_schema(assay: Callable[..., CompletedProcess[str]]) -> None:
    done = assay("run", "extraction", "--offline", "--json")
    found = json.loads(done.stdout)
    validator().validate(found)
    assert_has_the_shape_of_the_interface(found)
    assert (found["verdict"], found["suite"], found["version"], done.returncode) == ("PASS", "extraction", "v1", 0)
    roles = {name: provider["role"] for name, provider in found["providers"].items()}
    assert {name for name, role in roles.items() if role == "subject"} == {"openai", "smollm2", "vllm"}
    assert set(roles.values()) == {"subject", "positive_control", "negative_control", "trivial_strategy"}
    assert found["providers"]["vllm"]["metrics"] == {}
    assert found["timing"]["engine"] == "offline"
