"""evaluate: cases in, results and counts out, and nothing runs before everything is valid."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import CaseResult, EvalMetric, EvalSummary, evaluate
from assay.evaluators.refusal import InvalidCall


def test_pairs_are_expected_then_actual() -> None:
    summary = evaluate([("^a", "abc"), ("abc", "^a")], ["regex_match"])
    assert [case.status for case in summary.cases] == ["pass", "fail"]
    assert (summary.total, summary.passed, summary.failed, summary.errors, summary.pass_rate) == (2, 1, 1, 0, 0.5)


def test_no_cases_pass_at_a_rate_of_one() -> None:
    assert evaluate([], ["exact_match"]) == EvalSummary(0, 0, 0, 0, 1.0, [])


def test_errors_stay_in_the_denominator() -> None:
    summary = evaluate([("[", "a"), ("a", "a"), ("a", "a"), ("b", "a")], ["regex_match"])
    assert (summary.errors, summary.pass_rate) == (1, 0.5)


def test_a_case_passes_when_all_its_evaluators_do() -> None:
    summary = evaluate([("apple", "apple pie")], ["keyword_check", "exact_match"])
    assert summary.cases[0].status == "fail"
    assert list(summary.cases[0].details) == ["exact_match"]


def test_a_missing_actual_comes_from_the_cases_target_else_the_calls() -> None:
    seen: list[dict[str, object]] = []

    def target(case: dict[str, object]) -> object:
        seen.append(case)
        return case["question"]

    cases: list[dict[str, object]] = [
        {"id": "a", "expected": "x", "question": "x"},
        {"id": "b", "expected": "y", "actual": None, "question": "x", "target_fn": lambda case: case["expected"]},
        {"id": "c", "expected": "z", "actual": "z"},
    ]
    assert evaluate(cases, ["exact_match"], target_fn=target).passed == 3
    assert seen == [{"id": "a", "expected": "x", "question": "x"}]


def test_a_pair_without_actual_is_made_and_the_case_is_named() -> None:
    summary = evaluate(
        [("x", None)], ["exact_match"], target_fn=lambda case: "x" if str(case["id"]).startswith("case-") else ""
    )
    assert summary.passed == 1


def test_a_falsy_actual_is_an_actual() -> None:
    assert evaluate([("", ""), (0, 0), ([], []), (False, False)], ["exact_match"], target_fn=lambda _: 1 / 0).passed == 4


def test_a_target_that_raises_is_its_cases_error_and_the_run_goes_on() -> None:
    def target(case: dict[str, object]) -> object:
        if case["id"] == "a":
            raise TimeoutError("after 3 s")
        return "x"

    summary = evaluate([{"id": "a", "expected": "x"}, {"id": "b", "expected": "x"}], ["exact_match"], target_fn=target)
    assert [case.status for case in summary.cases] == ["error", "pass"]
    assert summary.cases[0] == CaseResult(
        "a",
        "error",
        {"exact_match": EvalMetric(0.0, passed=False, meta={"error": "target_fn: TimeoutError: after 3 s"})},
        {"target_fn": "TimeoutError: after 3 s"},
    )


def test_a_case_without_actual_or_target_is_an_error() -> None:
    (case,) = evaluate([{"id": "a", "expected": "x"}], ["exact_match"]).cases
    assert (case.status, case.details) == (
        "error",
        {"target_fn": "the case has no actual, and there is no target_fn to make one"},
    )


def test_a_target_cannot_change_the_callers_case() -> None:
    def target(case: dict[str, object]) -> object:
        case["expected"] = "y"
        return "y"

    given_case: dict[str, object] = {"expected": "x"}
    assert evaluate([given_case], ["exact_match"], target_fn=target).failed == 1
    assert given_case == {"expected": "x"}


def test_a_cases_config_is_laid_over_the_calls() -> None:
    config = {"levenshtein": {"threshold": 0.5, "objective": {"direction": "maximize", "threshold": 0.7}}}
    cases: list[dict[str, object]] = [
        {"expected": "night", "actual": "nacht"},
        {"expected": "night", "actual": "nacht", "config": {"levenshtein": {"objective": {"threshold": 0.6}}}},
        {"expected": "night", "actual": "nacht", "config": {"levenshtein": {"objective": {"direction": "minimize"}}}},
        {"expected": "night", "actual": "nacht", "config": {"levenshtein": {"objective": None}}},
    ]
    summary = evaluate(cases, ["levenshtein"], config)
    # 0.6 >= 0.7 no; 0.6 >= 0.6 yes; 0.6 <= 0.7 yes; the evaluator's own 0.6 >= 0.5 yes
    assert [case.status for case in summary.cases] == ["fail", "pass", "pass", "pass"]


def test_an_error_is_no_failure_to_hope_for() -> None:
    config = {"regex_match": {"objective": {"expect": False}}}
    assert evaluate([("[", "x")], ["regex_match"], config).errors == 1


def calls_nothing(case: dict[str, object]) -> object:
    raise AssertionError("something ran")


@pytest.mark.parametrize("number", [0, 5, 9])
def test_one_invalid_objective_stops_the_call_before_anything_runs(number: int) -> None:
    ran: list[object] = []
    cases: list[dict[str, Any]] = [{"id": f"c{i}", "expected": "x"} for i in range(10)]
    cases[number]["config"] = {"exact_match": {"objective": {"expect": 1}}}
    with pytest.raises(ValueError, match=f"case 'c{number}': config.exact_match.objective.expect"):
        evaluate(cases, ["exact_match"], target_fn=lambda case: ran.append(case) or "x")
    assert ran == []


def test_a_merged_objective_is_what_is_validated() -> None:
    config = {"exact_match": {"objective": {"direction": "maximize", "threshold": 0.5}}}
    case = {"id": "a", "expected": "x", "config": {"exact_match": {"objective": {"expect": True}}}}
    with pytest.raises(ValueError, match="has expect together with a direction or threshold"):
        evaluate([case], ["exact_match"], config, calls_nothing)


def test_an_incomplete_objective_of_the_call_may_be_completed_by_every_case() -> None:
    config = {"levenshtein": {"objective": {"direction": "minimize"}}}
    own = {"levenshtein": {"objective": {"threshold": 0.6}}}
    assert evaluate([{"expected": "night", "actual": "nacht", "config": own}], ["levenshtein"], config).passed == 1
    with pytest.raises(ValueError, match="minimizes without a threshold"):
        evaluate([{"expected": "night", "actual": "nacht"}], ["levenshtein"], config)


def test_an_invalid_objective_is_refused_without_cases_too() -> None:
    with pytest.raises(ValueError, match="minimizes without a threshold"):
        evaluate([], ["levenshtein"], {"levenshtein": {"objective": {"direction": "minimize"}}})


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        (["ab"], "case 1: is no case, got 'ab'"),
        ([("a", "b", "c")], "case 1: is no case"),
        ([None], "case 1: is no case"),
        ([{"id": ""}], "case 1: has no usable id"),
        ([{"id": 1.5}], "case 1: has no usable id"),
        ([{"id": "a"}, {"id": "a"}], "cases: two have the same id, got 'a'"),
        ([{"id": "a", "target_fn": "module:run"}], "case 'a': target_fn: cannot be called"),
        ([{"id": "a", "config": ["x"]}], "case 'a': config: is no mapping"),
        ([{"id": "a", "config": {"exact_macht": {}}}], "case 'a': config: names no evaluator, got 'exact_macht'"),
    ],
)
def test_what_is_no_case_is_refused_before_anything_runs(cases: Any, said: str) -> None:
    with pytest.raises(InvalidCall) as caught:
        evaluate([{"id": "first", "expected": "x"}, *cases][1:], ["exact_match"], target_fn=calls_nothing)
    assert said in str(caught.value)


def test_the_calls_target_must_be_a_function() -> None:
    with pytest.raises(InvalidCall, match="target_fn: cannot be called"):
        evaluate([], ["exact_match"], target_fn="run")  # type: ignore[arg-type]  # the case


def test_many_invalid_cases_are_told_at_once_and_then_counted() -> None:
    cases: list[dict[str, object]] = [{"id": f"c{i}", "config": {"rouge": 1}} for i in range(25)]
    with pytest.raises(InvalidCall) as caught:
        evaluate(cases, ["rouge"])
    assert len(caught.value.problems) == 21
    assert str(caught.value.problems[-1]) == "cases: and 5 more problems."


def test_equal_cases_have_one_name_and_a_number() -> None:
    first, second, third = evaluate([("a", "b"), ("a", "b"), ("a", "c")], ["exact_match"]).cases
    assert second.case_id == f"{first.case_id}-2"
    assert third.case_id not in {first.case_id, second.case_id}


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), max_size=8), st.randoms(use_true_random=False))
def test_names_and_results_do_not_depend_on_order(cases: list[tuple[str, str]], random: Any) -> None:
    shuffled = random.sample(cases, len(cases))
    one, other = evaluate(cases, ["exact_match", "levenshtein"]), evaluate(shuffled, ["exact_match", "levenshtein"])
    assert sorted(one.cases, key=lambda case: case.case_id) == sorted(other.cases, key=lambda case: case.case_id)
    assert (one.passed, one.failed, one.errors, one.pass_rate) == (other.passed, other.failed, other.errors, other.pass_rate)


@given(st.lists(st.tuples(st.sampled_from(["a", "["]), st.sampled_from(["a", "b"])), min_size=1, max_size=8))
def test_counts_add_up(cases: list[tuple[str, str]]) -> None:
    summary = evaluate(cases, ["regex_match"])
    assert summary.passed + summary.failed + summary.errors == summary.total == len(cases)
    assert summary.pass_rate == summary.passed / summary.total
    assert {case.status for case in summary.cases} <= {"pass", "fail", "error"}
