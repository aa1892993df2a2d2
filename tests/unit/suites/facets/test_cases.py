"""One case per task, of every file; faults of all files at once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.digest import sha256_hex
from assay.errors import InputError
from assay.suites.facets.cases import load, parse
from tests.unit.suites.facets.facet_builders import mapping, task

SHA = sha256_hex(b"x")
BUNDLED = {
    "package": "poincare-orchestra 0.1.0",
    "scenarios": [{"name": "theirs", "sha256": SHA, "tasks": [{"question_sha256": SHA, "expected_facets": ["late swing"]}]}],
}


def file(value: dict[str, Any]) -> bytes:
    """JSON is YAML."""
    return json.dumps(value).encode()


def files(**values: dict[str, Any]) -> dict[str, tuple[str, bytes]]:
    return {name: (f"{name}.yaml", file(value)) for name, value in values.items()}


def test_a_task_is_a_case() -> None:
    asked = task(
        "How much?", "40 litres", id="lift", forbidden_facets=["out of order"], expected_events=["provider-a: refusal"]
    )
    (found,) = load(files(works=mapping(asked)))
    assert found.model_dump() == {
        "id": "works/lift",
        "input": {"scenario": "works", "question": "How much?", "position": 0, "group": "live"},
        "expected": {"facets": ["40 litres"], "forbidden_facets": ["out of order"], "events": ["provider-a: refusal"]},
        "strata": ("works",),
    }


def test_tasks_with_disturbed_providers_are_a_group_of_their_own() -> None:
    (found,) = load(files(works=mapping(disturbed={"provider-a": {"fail_after": 0}})))
    assert found.input["group"] == "degraded"


def test_packaged_scenarios_are_cases_by_digest() -> None:
    ours, theirs = load(files(works=mapping(), bundled=BUNDLED))
    assert (ours.id, theirs.id) == ("works/t1", "theirs/t1")
    assert theirs.input == {
        "scenario": "theirs",
        "question_sha256": SHA,
        "position": 0,
        "group": "bundled",
        "scenario_sha256": SHA,
    }
    assert theirs.expected == {"facets": ["late swing"], "forbidden_facets": [], "events": []}


def test_the_calibration_is_no_scenario() -> None:
    assert len(load(files(works=mapping(), calibration={"anything": 1}))) == 1


def test_faults_of_all_files_are_listed_at_once() -> None:
    broken = mapping({"question": "?"}, name="other")
    held = {**files(a=broken, b={"package": "p"}), "c": ("c.yaml", b"- 1")}
    with pytest.raises(InputError) as found:
        parse(held)
    assert [problem.where for problem in found.value.problems] == [
        "a.yaml: tasks[0] '?'",
        "b.yaml: scenarios",
        "c.yaml",
    ]


def test_two_scenarios_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match=r"a\.yaml, b\.yaml: two scenarios have one name, got 'works'"):
        load(files(a=mapping(), b=mapping()))


def test_no_scenario_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="names no scenario file"):
        load(files(calibration={}))


def test_the_digest_of_a_case_moves_with_question_and_facets() -> None:
    first, second, third = (
        load(files(works=mapping(asked)))[0].digest for asked in (task("A?", "x"), task("B?", "x"), task("A?", "y"))
    )
    assert len({first, second, third}) == 3
