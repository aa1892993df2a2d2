"""What is settled before anything runs: evaluators, merged options, objectives."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluators.config import merged
from assay.evaluators.metric import EvalMetric
from assay.evaluators.objectives import Objective
from assay.evaluators.plan import Planned, case_result, chosen, planned, unanswered
from assay.evaluators.refusal import InvalidCall

NESTED = st.recursive(st.integers(0, 3), lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=8)
CONFIG = st.dictionaries(st.sampled_from("abc"), NESTED, max_size=3)


def test_merging_by_hand() -> None:
    base = {"rouge": {"threshold": 0.1, "deep": {"a": 1, "b": 2}}, "levenshtein": {"threshold": 0.5}}
    over = {"rouge": {"deep": {"b": 3}}, "levenshtein": None}
    assert merged(base, over) == {"rouge": {"threshold": 0.1, "deep": {"a": 1, "b": 3}}, "levenshtein": None}


@given(CONFIG, CONFIG)
def test_merging_changes_no_argument_and_keeps_every_leaf_of_the_upper(base: dict[str, Any], over: dict[str, Any]) -> None:
    before = copy.deepcopy((base, over))
    found = merged(base, over)
    assert (base, over) == before
    assert merged(found, over) == found
    assert merged(base, {}) == base
    assert merged({}, over) == over


def test_options_are_the_cases_on_the_calls_without_the_objective() -> None:
    config = {"rouge": {"threshold": 0.5, "objective": {"direction": "minimize", "threshold": 0.9}}}
    (plan,) = planned(chosen(["rouge"]), config, {"rouge": {"normaliser": "nfc/1", "objective": {"threshold": 0.2}}})
    assert plan.options == {"threshold": 0.5, "normaliser": "nfc/1"}
    assert plan.objective == Objective("minimize", 0.2)


def test_none_for_an_objective_takes_the_calls_back() -> None:
    (plan,) = planned(chosen(["rouge"]), {"rouge": {"objective": {"threshold": 0.5}}}, {"rouge": {"objective": None}})
    assert plan.objective is None


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], "evaluators: is empty"),
        ("rouge", "evaluators: is one text"),
        (["rouge", "exact_match", "rouge"], "evaluators: names must be unique, got 'rouge'"),
        (["ruoge"], "Did you mean 'rouge'?"),
        ([None], "unknown evaluator"),
    ],
)
def test_names_that_cannot_be_chosen(names: Any, said: str) -> None:
    with pytest.raises(InvalidCall) as caught:
        chosen(names)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (["rouge"], "config: is no mapping"),
        ({"ruoge": {}}, "config: names no evaluator, got 'ruoge'"),
        ({"rouge": 0.5}, "config.rouge: is no mapping, got 0.5"),
        ({"rouge": {"objective": {"direction": "minimize"}}}, "config.rouge.objective: minimizes without a threshold"),
        (
            {"levenshtein": {"objective": "max"}},
            "config.levenshtein.objective: is no objective",
        ),  # not in use, checked all the same
    ],
)
def test_a_config_that_cannot_be_meant(config: object, said: str) -> None:
    with pytest.raises(InvalidCall) as caught:
        planned(chosen(["rouge"]), config)
    assert said in str(caught.value)


def crash(actual: object, expected: object = None, config: object = None) -> EvalMetric:
    raise ZeroDivisionError("by nothing")


def test_a_case_is_an_error_before_it_is_a_failure() -> None:
    plan = (*planned(chosen(["exact_match", "levenshtein"])), Planned("mine", crash, {}))
    result = case_result("c1", "night", "nacht", plan)
    assert result.status == "error"
    assert result.details == {
        "exact_match": "score is 0.0",
        "levenshtein": "score is 0.6; threshold: 0.8",
        "mine": "ZeroDivisionError: by nothing",
    }
    assert result.metrics["mine"] == EvalMetric(0.0, passed=False, meta={"error": "ZeroDivisionError: by nothing"})
    assert case_result("c1", "night", "nacht", plan[:2]).status == "fail"
    assert case_result("c1", "night", "night", plan[:2]) == (
        "c1",
        "pass",
        {"exact_match": EvalMetric(1.0, passed=True), "levenshtein": EvalMetric(1.0, passed=True, meta={"threshold": 0.8})},
        {},
    )


def test_without_an_output_every_metric_carries_the_reason() -> None:
    result = unanswered("c1", "OSError: down", planned(chosen(["exact_match", "rouge"])))
    assert (result.status, result.details) == ("error", {"target_fn": "OSError: down"})
    assert {metric.error for metric in result.metrics.values()} == {"target_fn: OSError: down"}


def test_a_threshold_that_an_objective_takes_the_place_of_is_not_told() -> None:
    config = {"levenshtein": {"objective": {"direction": "minimize", "threshold": 0.3}}}
    result = case_result("c1", "abcde", "abcxx", planned(chosen(["levenshtein"]), config))
    assert result.details == {"levenshtein": "score is 0.6; objective: minimize, score <= 0.3"}
