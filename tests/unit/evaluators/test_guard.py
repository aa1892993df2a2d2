"""An evaluator that cannot run says why and never raises."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evaluators.guard import NO_OPTIONS, CannotRun, could_not_run, guarded, told
from assay.evaluators.metric import EvalMetric
from assay.evaluators.registry import BUILT_IN

ODD = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=9),
        st.binary(max_size=4),
        st.datetimes(),
        st.decimals(),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=6,
)
OPTION_NAMES = st.sampled_from(
    [
        "min",
        "max",
        "threshold",
        "required",
        "normaliser",
        "judge_fn",
        "min_confidence",
        "provenance_key",
        "policy_id",
        "policy_engine",
        "x",
    ]
)


@pytest.mark.parametrize("name", sorted(BUILT_IN))
@settings(max_examples=30)
@given(actual=ODD, expected=ODD, options=st.one_of(st.none(), st.dictionaries(OPTION_NAMES, ODD, max_size=3), ODD))
def test_no_built_in_evaluator_raises(name: str, actual: Any, expected: Any, options: Any) -> None:
    metric = BUILT_IN[name](actual, expected, options)
    assert 0.0 <= metric.score <= 1.0
    assert metric.passed in {True, False}
    if metric.error is not None:
        assert (metric.score, metric.passed) == (0.0, False)
        assert metric.error.strip()


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_an_unknown_option_is_named_with_the_nearest(name: str) -> None:
    metric = BUILT_IN[name]("a", "a", {"treshold": 0.5})
    assert "unknown option, got 'treshold'; expected one of: " in (metric.error or "")


def test_the_nearest_option_is_suggested() -> None:
    assert BUILT_IN["rouge"]("a", "a", {"treshold": 0.5}).error == (
        "options: unknown option, got 'treshold'; expected one of: threshold, normaliser. Did you mean 'threshold'?"
    )


def test_a_crash_inside_keeps_its_type_and_text() -> None:
    def crashes(actual: object, expected: object, options: Mapping[str, object]) -> EvalMetric:
        raise RuntimeError("no luck")

    assert guarded(crashes)("a", "b") == EvalMetric(0.0, passed=False, meta={"error": "RuntimeError: no luck"})


def test_what_cannot_be_judged_is_told_without_a_type() -> None:
    def cannot(actual: object, expected: object, options: Mapping[str, object]) -> EvalMetric:
        raise CannotRun("actual", "is odd", 3, "even")

    assert guarded(cannot)("a", "b") == could_not_run("actual: is odd, got 3; expected even.")


def test_an_evaluator_is_called_by_position_or_name_and_keeps_its_name() -> None:
    def seen(actual: object, expected: object, options: Mapping[str, object]) -> EvalMetric:
        """Doc."""
        return EvalMetric(1.0, passed=options is NO_OPTIONS and expected is None)

    evaluator = guarded(seen)
    assert evaluator("a").passed
    assert evaluator(actual="a", expected=None, config=None).passed
    assert (evaluator.__doc__, getattr(evaluator, "__name__", "")) == ("Doc.", "seen")
    assert list(inspect.signature(evaluator).parameters) == ["actual", "expected", "config"]


def test_an_exception_without_text_is_told_by_its_type() -> None:
    assert told(KeyError()) == "KeyError"
