"""Objectives: which are valid, and what they make of a metric."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UserError
from assay.evaluators.guard import could_not_run
from assay.evaluators.metric import EvalMetric
from assay.evaluators.objectives import Objective, objective_of
from assay.evaluators.refusal import InvalidCall

INVALID = [
    {"direction": "minimize"},
    {"direction": "minimize", "threshold": None},
    {"direction": "sideways", "threshold": 0.5},
    {"direction": "Maximize", "threshold": 0.5},
    {"direction": None, "threshold": 0.5},
    {"direction": ["maximize"], "threshold": 0.5},
    {"direction": "maximize", "threshold": float("nan")},
    {"direction": "maximize", "threshold": float("inf")},
    {"direction": "minimize", "threshold": float("-inf")},
    {"direction": "maximize", "threshold": 10**400},
    {"direction": "maximize", "threshold": "0.9"},
    {"direction": "maximize", "threshold": True},
    {"direction": "maximize", "threshold": None},
    {"direction": "maximize", "threshold": 1j},
    {"direction": "maximize", "threshold": Decimal("NaN")},
    {"threshold": float("nan")},
    {"expect": "false"},
    {"expect": 0},
    {"expect": None},
    {"expect": np.True_},
    {"expect": True, "direction": "maximize"},
    {"expect": True, "threshold": 0.5},
    {"expect": True, "direction": None},
    {"direction": "maximize", "treshold": 0.5},
    {},
    "maximize",
    0.9,
    True,
    ["maximize", 0.9],
]


@pytest.mark.parametrize("value", INVALID, ids=repr)
def test_an_invalid_objective_is_a_value_error_and_a_users_error(value: object) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # that it is one is the rule
        objective_of(value, "config.rouge.objective")
    assert isinstance(caught.value, UserError)
    assert str(caught.value).startswith("config.rouge.objective")


@pytest.mark.parametrize(
    ("value", "objective"),
    [
        (None, None),
        ({"direction": "maximize"}, Objective()),
        ({"direction": "maximize", "threshold": 0.9}, Objective("maximize", 0.9)),
        ({"threshold": 0.9}, Objective("maximize", 0.9)),
        ({"direction": "minimize", "threshold": -3}, Objective("minimize", -3.0)),
        ({"direction": "minimize", "threshold": Fraction(1, 2)}, Objective("minimize", 0.5)),
        ({"direction": "minimize", "threshold": np.float32(0.5)}, Objective("minimize", 0.5)),
        ({"expect": True}, Objective(expect=True)),
        ({"expect": False}, Objective(expect=False)),
    ],
)
def test_a_valid_objective(value: object, objective: Objective | None) -> None:
    assert objective_of(value, "objective") == objective


def test_a_misspelt_key_is_named_with_the_nearest() -> None:
    with pytest.raises(InvalidCall) as caught:
        objective_of({"treshold": 0.9}, "config.rouge.objective")
    assert str(caught.value) == (
        "config.rouge.objective: unknown key, got 'treshold'; expected one of direction, threshold, expect. "
        "Did you mean 'threshold'?"
    )


@given(st.floats(-2, 2), st.floats(-2, 2), st.booleans())
def test_a_threshold_decides_alone_and_is_inclusive(score: float, threshold: float, own: bool) -> None:
    metric = EvalMetric(score, own)
    assert Objective("maximize", threshold).applied(metric).passed is (score >= threshold)
    assert Objective("minimize", threshold).applied(metric).passed is (score <= threshold)


@given(st.floats(-2, 2), st.booleans(), st.booleans())
def test_an_expectation_is_of_the_scores_truth(score: float, own: bool, expect: bool) -> None:
    assert Objective(expect=expect).applied(EvalMetric(score, own)).passed is (bool(score) == expect)


@pytest.mark.parametrize("objective", [Objective("maximize", 0.0), Objective("minimize", 1.0), Objective(expect=False)])
def test_a_metric_that_carries_an_error_is_untouched(objective: Objective) -> None:
    metric = could_not_run("bad pattern")
    assert objective.applied(metric) is metric


def test_a_maximum_without_threshold_leaves_the_metric_as_it_is() -> None:
    metric = EvalMetric(0.2, passed=True)
    assert Objective("maximize").applied(metric) is metric


def test_score_and_meta_stay_and_the_objective_is_told() -> None:
    metric = EvalMetric(0.6, passed=True, meta={"threshold": 0.5})
    judged = Objective("minimize", 0.5).applied(metric)
    assert judged == EvalMetric(0.6, passed=False, meta={"threshold": 0.5, "objective": "minimize, score <= 0.5"})
    assert metric.meta == {"threshold": 0.5}
    assert Objective(expect=False).applied(metric).meta["objective"] == "expect False"
