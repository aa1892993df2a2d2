"""Options of a suite of checks: what they may say, and what is refused before anything else is looked at."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import InputError
from assay.suites.checks.options import CheckEntry, options_of
from tests.unit.suites.checks.built import HERE, WORD

JUDGE = {"factory": "assay.suites.checks.judging:recorded_judge", "files": ["judge", "judge_prompt"], "options": {"model": "m"}}


def told(options: dict[str, Any]) -> str:
    with pytest.raises(InputError) as found:
        options_of(options)
    return "\n".join(map(str, found.value.problems))


def test_a_check_without_an_evaluator_is_called_like_it() -> None:
    assert CheckEntry(name="exact_match").used == "exact_match"
    assert CheckEntry(name="same", evaluator="exact_match").used == "exact_match"


def test_what_is_left_out_means_all_of_the_output_read_as_json_once() -> None:
    found = options_of({"checks": [{"name": "exact_match"}]})
    (check,) = found.checks
    assert (check.path, check.expected, check.config, check.resources, check.advisory) == ("", "", {}, {}, False)
    assert (found.reads, found.repeats, found.planted, found.resources) == ("json", 1, {}, {})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "suite.yaml: options: checks: is missing."),
        ({"checks": []}, "suite.yaml: options: checks: is not valid ("),
        ({"checks": [{"name": "a"}, {"name": "a"}]}, "the check 'a' stands twice"),
        ({"checks": [{"name": "Not A Name"}]}, "suite.yaml: options: checks.0.name: is not valid ("),
        ({"checks": [{"name": "a", "resources": {"x": "y"}}]}, "the check 'a' asks for the unknown resource 'y'"),
        (
            {**WORD, "planted": {"f": "sam"}},
            "the planted fault 'f' is noticed by 'sam', which is no check. Did you mean 'same'?",
        ),
        ({**WORD, "planted": {"f": "sam.x"}}, "the planted fault 'f' is noticed by 'sam.x', which is no check."),
        ({**WORD, "reads": "yaml"}, "suite.yaml: options: reads: is not valid ("),
        ({**WORD, "repeats": 0}, "suite.yaml: options: repeats: is not valid ("),
        ({**WORD, "repeat": 2}, "suite.yaml: options: repeat: unknown key, got 'repeat'"),
        (
            {**WORD, "resources": {"r": {"factory": "no import string"}}},
            "suite.yaml: options: resources.r.factory: is not valid (",
        ),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any], message: str) -> None:
    assert message in told(options)


@pytest.mark.parametrize(
    "name", ["cases", "passed", "checked", "errors", "planted", "cases_passed", "planted_noticed", "could_not_run"]
)
def test_a_check_cannot_be_called_like_what_the_kind_counts(name: str) -> None:
    message = f"a check cannot be called {name!r}, which is what a measure is called"
    assert message in told({"checks": [{"name": name, "evaluator": "exact_match"}]})


def test_a_check_cannot_be_called_like_the_score_of_another() -> None:
    checks = [{"name": "same", "evaluator": "exact_match"}, {"name": "same_score", "evaluator": "rouge"}]
    assert "a check cannot be called 'same_score', which is what a measure is called" in told({"checks": checks})


@pytest.mark.parametrize(
    "check",
    [
        {"name": "j", "evaluator": "levenshtein", "advisory": True},
        {"name": "j", "evaluator": "llm_as_judge"},
        {"name": "j", "evaluator": f"{HERE}:shout", "resources": {"judge_fn": "judge"}},
    ],
)
def test_what_says_so_and_what_asks_a_judge_is_advisory(check: dict[str, Any]) -> None:
    found = options_of({"checks": [{"name": "exact_match"}, check], "resources": {"judge": JUDGE}})
    assert [found.is_advisory(one) for one in found.checks] == [False, True]


def test_no_planted_fault_is_left_to_an_advisory_check() -> None:
    options = {"checks": [{"name": "exact_match"}, {"name": "llm_as_judge"}], "planted": {"f": "llm_as_judge"}}
    assert "the planted fault 'f' is noticed by 'llm_as_judge', which is advisory and decides nothing" in told(options)


def test_the_files_of_judges_are_told_from_those_of_other_resources() -> None:
    both = {"judge": JUDGE, "words": {"factory": f"{HERE}:dictionary", "files": ["words", "judge_prompt"]}}
    assert options_of({"checks": [{"name": "exact_match"}], "resources": both}).judge_files == {"judge"}
    assert options_of(WORD).judge_files == frozenset()
