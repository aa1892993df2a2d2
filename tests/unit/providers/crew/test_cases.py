"""The ten committed cases: what happens in each, event by event; every rule is kept; order and company change nothing."""

from __future__ import annotations

import random

import pytest

from assay.model.transcript import Transcript
from assay.suites.orchestration.rule_check import judge
from assay.suites.orchestration.rule_file import rules_from
from tests.unit.providers.crew.runs import CASES, NAMES, RULES, answers, broken, red, shown

START = ["stream run_started"]


def decided(move: str) -> list[str]:
    return ["model_call decide", f"decision {move}"]


def refused(move: str) -> list[str]:
    return [*decided(move), f"refused {move}"]


CONSULTED = [
    *decided("consult_strategist"),
    *("phase STRATEGY", "model_call strategist", "tool_call consult_strategist", "stream angles_ready"),
]
WRITTEN = [
    *decided("assign_writer"),
    *("phase WRITING", "model_call writer", "tool_call assign_writer", "stream draft_ready"),
]
REVIEWED = [
    *decided("request_editor_review"),
    *("phase REVIEW", "model_call editor", "tool_call request_editor_review", "stream review_ready"),
]
DONE = ["phase DONE", "stream run_done", "final DONE"]
FAILED = ["phase FAILED", "stream run_failed", "final FAILED"]
HANDED_OVER = [*decided("finalize"), "tool_call finalize", *DONE]
TWICE_REVISED = [*START, *CONSULTED, *WRITTEN, *REVIEWED, *WRITTEN, *REVIEWED, *WRITTEN, *REVIEWED]
EXPECTED = {
    "editor-passes-at-once": [*START, *CONSULTED, *WRITTEN, *REVIEWED, *HANDED_OVER],
    "one-revision": [*START, *CONSULTED, *WRITTEN, *REVIEWED, *WRITTEN, *REVIEWED, *HANDED_OVER],
    "two-revisions": [*TWICE_REVISED, *HANDED_OVER],
    "editor-never-satisfied": [*TWICE_REVISED, *refused("assign_writer"), *HANDED_OVER],
    "writer-errors": [
        *(*START, *CONSULTED),
        *(*decided("assign_writer"), "phase WRITING", "model_call writer", "error ModelOutage", "tool_call assign_writer"),
        *(*decided("assign_writer"), "model_call writer", "error ModelOutage", "tool_call assign_writer"),
        *FAILED,
    ],
    "strategist-returns-no-angles": [*START, *CONSULTED[:-1], *FAILED],
    "schema-mismatch": [
        *(*START, *CONSULTED, *WRITTEN, *decided("request_editor_review")),
        *("phase REVIEW", "model_call editor", "stream schema_mismatch", "model_call editor"),
        *("tool_call request_editor_review", "stream review_ready"),
        *HANDED_OVER,
    ],
    "rogue-skips-steps": [
        *(*START, *refused("assign_writer"), *refused("finalize")),
        *(*CONSULTED, *WRITTEN, *REVIEWED, *HANDED_OVER),
    ],
    "rogue-demands-revisions": [
        *(*TWICE_REVISED, *refused("assign_writer"), *refused("assign_writer"), *refused("assign_writer")),
        *("stream closed_by_orchestrator", "tool_call finalize", *DONE),
    ],
    "rogue-raises-at-decision": [*START, *CONSULTED, *WRITTEN, "model_call decide", "error ModelOutage", *FAILED],
}


@pytest.mark.parametrize("name", NAMES)
def test_the_events_of_a_case_are_these(name: str) -> None:
    answer = answers([name])[name]
    assert shown(Transcript.model_validate_json(answer).events) == EXPECTED[name]


def test_there_are_ten_cases_seven_by_the_crews_own_policy() -> None:
    policies = [CASES[name].input["policy"] for name in NAMES]
    assert list(EXPECTED) == list(NAMES)
    assert policies == ["own"] * 7 + ["skips_steps", "demands_revisions", "raises_at_decision"]


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_kept(name: str) -> None:
    assert broken(name, answers([name])[name]) == []


def test_no_rule_of_all_cases_is_vacuous_in_all_cases() -> None:
    tried = {
        found.rule
        for answer in answers().values()
        for found in judge(RULES, Transcript.model_validate_json(answer))
        if found.status == "kept" and not found.vacuous
    }
    assert tried == {rule.name for rule in RULES}


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_of_one_case_is_never_vacuous_unless_it_allows_none(name: str) -> None:
    rules = rules_from(CASES[name].expected["rules"], name)
    found = judge(rules, Transcript.model_validate_json(answers([name])[name]))
    assert [one.rule for one in found if one.status == "kept" and one.vacuous] == []


def test_order_and_company_change_no_byte() -> None:
    in_order = answers()
    assert {name: answers([name])[name] for name in NAMES} == in_order
    for seed in range(5):
        shuffled = random.Random(seed).sample(NAMES, len(NAMES))  # noqa: S311  # test data, not a secret
        assert answers(shuffled) == in_order
    assert red(in_order) == ()


def test_a_case_run_twice_by_one_target_is_as_run_once() -> None:
    assert answers([*NAMES, *NAMES]) == answers()


def test_a_failed_case_leaves_nothing_to_the_next() -> None:
    assert answers(["writer-errors", "editor-passes-at-once"])["editor-passes-at-once"] == answers()["editor-passes-at-once"]
