"""The suite of decisions as a user meets it, broken in the ways that it must notice, and suites of checks of a user's own.

One copy of the project serves all; each test undoes its edit. Where data is edited the suite runs in this process, over the
copy's files and cache; where code is edited, or the command line matters, in a process of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.builders import json_lines
from tests.stages.copies import (
    FAIL,
    PASS,
    USAGE,
    Ran,
    appended,
    command,
    edited,
    swapped,
)
from tests.stages.decided import broken, copy_with_bytecode, decided, decided_anew, refused, refused_anew, told, values

GOLD = "goldsets/decisions/v1"
SCORES = ["score recorded", "score controls"]
PLANTED = 16
GATED = ["cases_passed", "planted_noticed", "decision_scores", "temporal_range", "could_not_run"]
UNUSED = "\n\n_UNUSED_BY_ANYONE = 1\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with bytecode beside the code, believed only while it is that of the source: every process starts quicker."""
    return copy_with_bytecode(tmp_path_factory.mktemp("decisions") / "project")


@pytest.fixture(scope="module")
def passed(project: Path) -> Ran:
    """The first run of the suite as it is committed."""
    return decided_anew(project)


def test_it_passes_with_the_planted_third_failing_as_expected(passed: Ran) -> None:
    assert (passed.code, passed.verdict, broken(passed), passed.checks("could-not-run", "recorded")) == (PASS, "PASS", [], [])
    assert {name: values(passed)[name] for name in GATED} == dict.fromkeys(GATED[:-1], 1.0) | {"could_not_run": 0.0}
    noticed = passed.summary["providers"]["recorded"]["metrics"]["planted_noticed"]
    assert (noticed["value"], noticed["n"]) == (1.0, PLANTED)


def test_a_second_run_is_all_cached_and_says_the_same(project: Path, passed: Ran) -> None:
    found = decided(project)
    assert (found.code, found.computed, found.files) == (PASS, [], passed.files)


def test_no_strategy_that_looks_at_no_case_comes_near(passed: Ran) -> None:
    assert {name: (values(passed, name)["cases_passed"] or 0) < 0.1 for name in ("other_case", "constant", "empty")} == {
        "other_case": True,
        "constant": True,
        "empty": True,
    }


def test_the_audit_of_the_committed_set_finds_nothing(project: Path) -> None:
    done = command(project, "audit", "decisions", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["faults"], found["cases"]) == (PASS, [], 48)
    assert found["counts"]["cases"] == {"all": 48, "loans": 16, "moderation": 16, "triage": 16}
    assert found["findings"][0]["lines"] == [], "every check is broken by a planted fault"


def test_without_the_code_that_looks_for_provenance_the_self_test_is_red_and_no_number_is_shown(
    project: Path, passed: Ran
) -> None:
    with edited(project / "assay/evaluators/decision_scores.py", swapped("        _provenance(fields, options),\n", "")):
        found = decided_anew(project)
    assert (found.code, found.verdict, broken(found)) == (FAIL, "FAIL", ["self_test"])
    assert "one of six checks broken: 5/6: expected 0.8333333333333334, got 0.8" in found.message("self_test")
    assert values(found) == {}
    assert not set(SCORES) & set(found.computed)


def test_without_the_key_that_provenance_lies_under_nearly_nothing_passes(project: Path, passed: Ran) -> None:
    with edited(project / GOLD / "suite.yaml", swapped("        provenance_key: lineage\n", "")):
        found = decided(project)
    assert (found.code, found.verdict) == (FAIL, "FAIL")
    assert {"floor.cases_passed", "floor.planted_noticed", "max_drop.decision_scores"} <= set(broken(found))
    # What is right has no `provenance` either; only the three with a planted lack of it come out as expected.
    assert told(found, "floor.cases_passed") == "cases_passed 0.0625 (n=48), floor 1"
    assert told(found, "floor.planted_noticed") == "planted_noticed 0.1875 (n=16), floor 1"


def test_an_objective_of_six_checks_in_seven_hides_the_faults_and_the_gate_says_so(project: Path, passed: Ran) -> None:
    with edited(
        project / GOLD / "suite.yaml", swapped("direction: maximize, threshold: 1.0", "direction: maximize, threshold: 0.85")
    ):
        found = decided(project)
    assert (found.code, found.verdict) == (FAIL, "FAIL")
    assert told(found, "floor.planted_noticed") == "planted_noticed 0.1250 (n=16), floor 1"
    assert found.report["headline"].startswith("FAIL decisions v1: ")


def output_edit(edit: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Callable[[str], str]:
    def edited_text(text: str) -> str:
        return json_lines(*edit([json.loads(line) for line in text.splitlines()])).decode()

    return edited_text


def no_json(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**rows[0], "output": "approve, I think"}, *rows[1:]]


def record_without_its_timestamp(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = {name: value for name, value in rows[0]["output"].items() if name != "timestamp"}
    return [{**rows[0], "output": kept}, *rows[1:]]


OUTPUTS: dict[str, tuple[Callable[[list[dict[str, Any]]], list[dict[str, Any]]], list[str], str]] = {
    "none at all": (lambda _: [], ["outputs", "floor.cases_passed"], "48 cases without an output: loan-01, "),
    "one missing": (lambda rows: rows[1:], ["outputs", "floor.cases_passed"], "1 case without an output: loan-01"),
    "one that is no JSON": (no_json, ["floor.cases_passed"], "is not JSON (Expecting value"),
    "one without a timestamp": (
        record_without_its_timestamp,
        ["floor.cases_passed"],
        "temporal_range could not run: actual: the output has nothing at 'timestamp'",
    ),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_that_are_missing_or_cannot_be_read_each_fail_with_a_message(project: Path, passed: Ran, name: str) -> None:
    edit, names, message = OUTPUTS[name]
    with edited(project / GOLD / "outputs.jsonl", output_edit(edit)):
        found = decided(project)
    assert (found.code, found.verdict) == (FAIL, "FAIL")
    assert set(names) <= set(broken(found))
    assert message in found.files["report.json"].decode().replace("\\u2026", "…")
    assert ("outputs" in broken(found)) == ("outputs" in names)
    assert found.summary["providers"]["recorded"]["metrics"]["cases_passed"]["n"] == 48


def test_an_output_that_stands_twice_is_an_input_error(project: Path, passed: Ran) -> None:
    with edited(project / GOLD / "outputs.jsonl", lambda text: text + text.splitlines(keepends=True)[0]):
        assert "outputs.jsonl: an id stands twice; expected one output per case." in refused(project)


def test_an_edited_policy_is_judged_by_anew(project: Path, passed: Ran) -> None:
    with edited(project / GOLD / "policies.yaml", swapped("{above: 50000}", "{above: 1000}")):
        found = decided(project)
    assert set(SCORES) <= set(found.computed)
    assert found.code != PASS
    assert (values(found)["decision_scores"] or 1.0) < 1.0


def test_an_edit_to_the_policy_engine_scores_anew_and_answers_nothing_anew(project: Path, passed: Ran) -> None:
    with edited(project / "assay/providers/policy/engine.py", appended(UNUSED)):
        found = decided_anew(project)
    assert (found.code, found.computed, found.files) == (PASS, SCORES, passed.files)


def test_comments_and_the_code_of_another_kind_compute_nothing_anew(project: Path, passed: Ran) -> None:
    with ExitStack() as undone:
        for name in ("providers/policy/engine.py", "evaluators/decision_scores.py", "suites/checks/scoring.py"):
            undone.enter_context(edited(project / "assay" / name, appended("\n# A comment.\n")))
        undone.enter_context(edited(project / "assay/suites/retrieval/scoring.py", appended(UNUSED)))
        found = decided_anew(project)
    assert (found.code, found.computed, found.files) == (PASS, [], passed.files)


ADVISORY = "    - name: temporal_range\n      advisory: true\n"


def test_to_gate_an_advisory_check_is_an_input_error_that_names_it(project: Path) -> None:
    def advisory(text: str) -> str:
        return swapped("    stale timestamp: temporal_range\n", "")(swapped("    - name: temporal_range\n", ADVISORY)(text))

    with edited(project / GOLD / "suite.yaml", advisory):
        told_of = refused_anew(project, "run", "decisions", "--offline")
    message = "suite.yaml: gate.metrics: is advisory until it has been calibrated, so it cannot be gated, got 'temporal_range'."
    assert message in told_of


def test_a_fault_that_only_an_advisory_check_could_notice_is_an_input_error(project: Path) -> None:
    with edited(project / GOLD / "suite.yaml", swapped("    - name: temporal_range\n", ADVISORY)):
        assert "noticed by 'temporal_range', which is advisory and decides nothing" in refused(project)


def test_an_unknown_evaluator_is_an_input_error_that_lists_the_known_and_the_nearest(project: Path) -> None:
    with edited(
        project / GOLD / "suite.yaml",
        swapped("    - name: temporal_range\n", "    - name: temporal_range\n      evaluator: temporl_range\n"),
    ):
        told_of = refused(project)
    assert "evaluators: unknown evaluator, got 'temporl_range'; expected one of decision_scores, exact_match, " in told_of
    assert "Did you mean 'temporal_range'?" in told_of


def test_an_invalid_objective_of_a_case_is_an_input_error_before_anything_is_answered(project: Path, passed: Ran) -> None:
    def bad(text: str) -> str:
        rows = [json.loads(line) for line in text.splitlines()]
        for name in ("loan-02", "mod-16"):
            (found,) = [one for one in rows if one["id"] == name]
            found["config"]["decision_scores"]["objective"] = (
                {"direction": "minimize"} if name == "loan-02" else {"expect": "yes"}
            )
        return json_lines(*rows).decode()

    with edited(project / GOLD / "cases.jsonl", bad):
        done, audited = (command(project, *words) for words in (("run", "decisions", "--offline"), ("audit", "decisions")))
    assert (done.returncode, "replay" in done.stdout, "Traceback" in done.stderr) == (USAGE, False, False)
    # The threshold of the suite is laid under a case's objective, so that only `expect` contradicts it.
    assert "case mod-16: config.decision_scores.objective: has expect together with a direction or threshold" in done.stderr
    assert audited.returncode == FAIL
    assert "case mod-16: config.decision_scores.objective" in " ".join(audited.stdout.split())


def test_a_planted_fault_that_is_put_right_fails_the_gate(project: Path, passed: Ran) -> None:
    def mended(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        (found,) = [one for one in rows if one["id"] == "loan-08"]
        found["output"]["confidence"] = 0.9
        return rows

    with edited(project / GOLD / "outputs.jsonl", output_edit(mended)):
        found = decided(project)
    assert (found.code, told(found, "floor.planted_noticed")) == (FAIL, "planted_noticed 0.9375 (n=16), floor 1")
    assert "decision_scores had to fail for confidence and passed (score 1)" in found.files["report.json"].decode()
