"""The audit: silent about a sound suite, and about each planted trouble as loud as that one deserves."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import InputError, UserError
from assay.model.audit import Audit
from assay.suites.checks.audit import audit
from tests.builders import json_lines
from tests.unit.suites.checks.built import DECISION, HERE, RECORD, WORD, row

SAME, LONG = WORD["checks"]
ROWS = [
    row("a", input={"prompt": "What sails?"}),
    row("b", input={"prompt": "Rowed by one."}, expected={"word": "boat"}),
    row("c", input={"prompt": "Logs, tied together"}, expected={"word": "raft"}, planted="wrong word"),
]


def found(options: dict[str, Any], *rows: dict[str, Any], **files: bytes) -> Audit:
    shown = {role: (f"{role}.jsonl", data) for role, data in files.items()}
    return audit({"cases": ("cases.jsonl", json_lines(*rows)), **shown}, options)


def only(*checks: dict[str, Any], **options: Any) -> dict[str, Any]:
    return {"checks": list(checks), **options}


def test_a_sound_suite_has_no_fault() -> None:
    told = found(WORD, *ROWS)
    assert told.faults == ()
    assert (told.cases, told.effective_cases, told.near_duplicates) == (3, 3.0, ())
    assert told.counts == {
        "cases": {"all": 3},
        "planted": {"none": 2, "wrong word": 1},
        "looked at by": {"long": 3, "same": 3},
    }
    assert told.findings[0].title == "Checks that no planted fault breaks (1)"
    assert told.findings[0].lines == ("long",)


def test_strata_are_counted() -> None:
    assert found(WORD, row("a", strata=["sea"]), row("b", strata=["sea", "air"])).counts["cases"] == {
        "all": 2,
        "air": 1,
        "sea": 2,
    }


def test_a_case_without_checks_and_an_id_that_stands_twice_are_refused() -> None:
    with pytest.raises(InputError, match=r"cases\.jsonl: a: is looked at by no check"):
        found(WORD, row("a", checks=[]))
    with pytest.raises(InputError, match="the id stands twice"):
        found(WORD, row("a"), row("a"))


def test_a_case_without_the_part_that_a_check_compares_with() -> None:
    told = found(WORD, *ROWS, row("d", expected={}), row("e", expected=None), row("f", expected={}, checks=["long"])).faults
    assert told == (
        "d: same compares with expected.word, which is not there",
        "e: same compares with expected.word, which is not there",
    )


def test_a_case_without_any_expectation_for_a_check_that_needs_one() -> None:
    whole = only({"name": "exact_match"}, {"name": "length_range", "config": {"max": 9}}, reads="text")
    told = found(
        whole, row("a", expected="ship"), row("b", expected=None), row("c", expected=None, checks=["length_range"])
    ).faults
    assert told == ("b: exact_match needs an expectation, and the case has none",)


@pytest.mark.parametrize("check", ["levenshtein", "rouge", "regex_match", "keyword_check"])
def test_every_evaluator_that_compares_needs_an_expectation(check: str) -> None:
    told = found(only({"name": check}), row("a", expected="ship"), row("b", expected=None)).faults
    assert told == (f"b: {check} needs an expectation, and the case has none",)


def test_a_check_that_needs_no_expectation_may_do_without() -> None:
    checks = ({"name": "keyword_check", "config": {"required": ["ship"]}}, {"name": "decision_scores"})
    assert found(only(*checks), row("a", expected=None)).faults == ()


@pytest.mark.parametrize(
    "check",
    [
        {"name": "c", "evaluator": f"{HERE}:always"},
        {"name": "c", "evaluator": "regex_match", "expected": "anything"},
        {"name": "c", "evaluator": "length_range", "config": {"max": 10**9}},
        {"name": "c", "evaluator": "numeric_range", "config": {"min": -1.7e308, "max": 1.7e308}},
        {"name": "c", "evaluator": "temporal_range", "config": {"min": "0001-01-01T00:00:00Z", "max": "9999-12-31T00:00:00Z"}},
        {"name": "c", "evaluator": "levenshtein", "expected": "anything", "config": {"threshold": 0.0}},
    ],
    ids=lambda check: check["evaluator"].rpartition(":")[2],
)
def test_a_check_that_nothing_can_fail(check: dict[str, Any]) -> None:
    rows = [{**one, "expected": {**one["expected"], "anything": ".*"}} for one in ROWS]
    told = found({**WORD, "checks": [*WORD["checks"], check]}, *rows).faults
    assert told == ("c passes whatever it is given, on every case",)


def test_a_check_that_one_case_can_fail_is_no_fault() -> None:
    check = {"name": "pattern", "evaluator": "regex_match", "expected": "word"}
    assert found(only(check), row("a", expected={"word": ".*"}), row("b", expected={"word": "^ship$"})).faults == ()


@pytest.mark.parametrize(
    "check",
    [
        {"name": "c", "evaluator": "exact_match", "expected": "word"},
        {"name": "c", "evaluator": "numeric_range", "config": {"min": 0, "max": 1}},
        {"name": "c", "evaluator": "temporal_range", "config": {"min": "2026-01-01T00:00:00Z", "max": "2026-12-31T00:00:00Z"}},
        {"name": "c", "evaluator": "length_range", "config": {"max": 4}},
        {"name": "c", "evaluator": "decision_scores"},
        {"name": "c", "evaluator": f"{HERE}:shout"},
        {"name": "c", "evaluator": f"{HERE}:crashing"},
    ],
    ids=lambda check: check["evaluator"].rpartition(":")[2],
)
def test_a_check_that_can_fail_or_never_runs_is_not_called_unfailable(check: dict[str, Any]) -> None:
    assert found(only(check), row("a"), row("b", expected={"word": "boat"})).faults == ()


@pytest.mark.parametrize(
    ("objective", "is_idle"),
    [
        ({"direction": "maximize", "threshold": 0}, True),
        ({"direction": "maximize", "threshold": -0.5}, True),
        ({"direction": "minimize", "threshold": 1}, True),
        ({"direction": "minimize", "threshold": 1.5}, True),
        ({"direction": "maximize", "threshold": 0.01}, False),
        ({"direction": "minimize", "threshold": 0.99}, False),
        ({"direction": "maximize"}, False),
        ({"expect": False}, False),
    ],
    ids=str,
)
def test_an_objective_that_every_score_meets(objective: dict[str, Any], is_idle: bool) -> None:
    told = found(only({**SAME, "config": {"objective": objective}}), *[{**one, "planted": None} for one in ROWS]).faults
    idle = [line for line in told if "every score in [0, 1] meets its objective" in line]
    assert len(idle) == int(is_idle)
    assert bool(told) is is_idle


def test_an_idle_objective_of_one_case_is_told_once() -> None:
    idle = {"same": {"objective": {"threshold": 0.0}}}
    told = found(
        WORD, *ROWS, row("d", config=idle, expected={"word": "tug"}), row("e", config=idle, expected={"word": "gig"})
    ).faults
    assert told == ("same: every score in [0, 1] meets its objective (maximize, score >= 0.0)",)


def test_a_planted_fault_that_no_check_is_named_for() -> None:
    told = found(WORD, *ROWS, row("d", planted="a leak")).faults
    assert told == ("d: no check is named for the planted fault 'a leak' (options.planted)",)


def test_a_planted_fault_whose_check_does_not_look_at_the_case() -> None:
    told = found(WORD, *ROWS, row("d", planted="wrong word", checks=["long"])).faults
    assert told == ("d: same is to notice the planted fault 'wrong word' and does not look at the case",)


def test_twins_are_a_fault_and_near_twins_are_for_reading() -> None:
    twins = [row("a"), row("b", input=row("a")["input"]), row("d", input={"prompt": "Say it, a!"})]
    told = found(WORD, *twins)
    assert told.faults == ("a and b have the same input",)
    assert [(pair.a, pair.b) for pair in told.near_duplicates] == [("a", "b")]
    assert {(pair.a, pair.b) for pair in told.review_band} == {("a", "d"), ("b", "d")}
    assert told.effective_cases < 3


def test_cases_without_input_are_no_twins() -> None:
    told = found(WORD, *({**one, "input": {}} for one in ROWS))
    assert (told.faults, told.effective_cases) == ((), 3.0)


def test_plans_that_mean_nothing_are_faults_of_their_cases() -> None:
    bad = row("d", config={"same": {"objective": {"direction": "minimize"}}})
    told = found(WORD, *ROWS, bad, row("e", checks=["smae"])).faults
    assert told[0].startswith("case d: config.same.objective: minimizes without a threshold")
    assert told[1] == "case e: unknown check, got 'smae'; expected one of same, long. Did you mean 'same'?"


def test_an_unknown_evaluator_is_refused_with_the_known() -> None:
    with pytest.raises(UserError, match="unknown evaluator, got 'exact_mach'"):
        found(only({"name": "exact_mach"}), *ROWS)


def outputs(*lines: Any) -> bytes:
    return json_lines(*({"id": name, "output": output} for name, output in lines))


def test_what_an_evaluator_leaves_out_is_told_where_outputs_are_recorded() -> None:
    rows = [row("a", expected={"outcome": "keep"}), row("b", expected={"outcome": "keep"})]
    told = found(RECORD, *rows, outputs=outputs(("a", DECISION), ("b", DECISION))).findings[1]
    assert (told.title, told.lines) == ("Parts that evaluators leave out (1)", ("decision_scores: policy on 2 cases",))
    assert found(RECORD, *rows).findings[1].title.endswith("unknown without an `outputs` file")


def test_an_output_that_stands_as_a_text_of_json_is_read_like_one() -> None:
    import json

    given = outputs(("a", json.dumps(DECISION)), ("b", "no JSON"))
    told = found(
        RECORD, row("a", expected={"outcome": "keep"}), row("b", expected={"outcome": "keep"}), outputs=given
    ).findings[1]
    assert told.lines == ("decision_scores: policy on 1 cases",)


@pytest.mark.parametrize("data", [b'{"id": "a", "output": 1}\n{', b'{"id": "a"}', b"[]", b'{"id": "a", "output": NaN}'])
def test_a_damaged_file_of_outputs_is_an_input_error(data: bytes) -> None:
    with pytest.raises(InputError, match=r"outputs\.jsonl:"):
        found(WORD, *ROWS, outputs=data)


def test_a_resource_is_made_for_the_audit_too() -> None:
    options = {
        "checks": [{"name": "known", "evaluator": f"{HERE}:known_word", "resources": {"words": "w"}}],
        "resources": {"w": {"factory": f"{HERE}:dictionary", "files": ["words"]}},
    }
    assert found(options, *[{**one, "planted": None} for one in ROWS], words=b"ship").faults == ()


def test_long_is_a_check_like_any_other() -> None:
    assert found(only(LONG), *[{**one, "planted": None} for one in ROWS]).faults == ()
