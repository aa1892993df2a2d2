"""The three ranges: both bounds count, and what cannot be compared is said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluators.ranges import length_range, numeric_range, temporal_range

MIN, MAX = "2026-01-01T00:00:00+00:00", "2026-01-31T23:59:59+00:00"
INFINITY = float("inf")


@pytest.mark.parametrize(
    ("value", "passes"),
    [(1, True), (3, True), (0.999, False), (3.001, False), (Decimal("1.5"), True), (Fraction(5, 2), True), (10**400, False)],
)
def test_numeric_bounds_are_inclusive(value: object, passes: bool) -> None:
    metric = numeric_range(value, None, {"min": 1, "max": 3})
    assert (metric.passed, metric.score, metric.error) == (passes, float(passes), None)


def test_an_infinite_bound_leaves_a_side_open() -> None:
    assert numeric_range(10**9, None, {"min": 0, "max": INFINITY}).passed
    assert not numeric_range(-1, None, {"min": 0, "max": INFINITY}).passed


def test_why_a_number_is_outside() -> None:
    assert numeric_range(5, None, {"min": 1, "max": 3}).meta == {"found": 5, "reason": "5 is above max"}


@pytest.mark.parametrize(
    ("value", "options", "said"),
    [
        (1, {"min": 0}, "max: is missing"),
        (1, {"max": 0}, "min: is missing"),
        (1, {"min": None, "max": 3}, "min: is missing"),
        (1, None, "min: is missing"),
        (None, {"min": 0, "max": 1}, "actual: is not a number"),
        ("1", {"min": 0, "max": 1}, "actual: is not a number"),
        (True, {"min": 0, "max": 1}, "actual: is not a number"),
        (1j, {"min": 0, "max": 1}, "actual: is not a number"),
        (float("nan"), {"min": 0, "max": 1}, "actual: is NaN"),
        (1, {"min": float("nan"), "max": 1}, "min: is NaN"),
        (1, {"min": "0", "max": 1}, "min: is not a number"),
        (1, {"min": False, "max": 1}, "min: is not a number"),
        (1, {"min": 2, "max": 1}, "min: is above max"),
        (1, {"minimum": 2, "max": 1}, "options: unknown option"),
    ],
)
def test_what_a_numeric_range_cannot_run_on(value: object, options: dict[str, object] | None, said: str) -> None:
    metric = numeric_range(value, None, options)
    assert (metric.score, metric.passed) == (0.0, False)
    assert said in (metric.error or "")


@given(st.floats(allow_nan=False), st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_a_number_passes_when_it_is_its_own_median(value: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert numeric_range(value, None, {"min": low, "max": high}).passed is (sorted((low, value, high))[1] == value)


@pytest.mark.parametrize(
    ("value", "passes"),
    [
        ("2026-01-01T00:00:00+00:00", True),
        ("2026-01-31T23:59:59Z", True),
        ("2026-02-01T00:59:59+01:00", True),  # the same moment as max
        ("2026-02-01T00:00:00+00:00", False),
        ("2025-12-31T23:59:59+00:00", False),
        (datetime(2026, 1, 5, tzinfo=UTC), True),
        (datetime(2026, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=1))), False),
    ],
)
def test_moments_are_compared_over_offsets(value: object, passes: bool) -> None:
    metric = temporal_range(value, None, {"min": MIN, "max": MAX})
    assert (metric.passed, metric.score, metric.error) == (passes, float(passes), None)


def test_naive_times_are_compared_with_naive_ones_and_a_date_is_its_midnight() -> None:
    options = {"min": "2026-01-01", "max": "2026-01-31"}
    assert temporal_range("2026-01-31", None, options).passed
    assert not temporal_range("2026-01-31T00:00:01", None, options).passed


@pytest.mark.parametrize(
    ("value", "low"), [("2026-01-05T00:00:00", MIN), ("2026-01-05T00:00:00+00:00", "2026-01-01"), ("2026-01-05", MIN)]
)
def test_aware_against_naive_is_an_error_that_says_so(value: str, low: str) -> None:
    error = temporal_range(value, None, {"min": low, "max": MAX}).error or ""
    assert "mix aware and naive times" in error
    assert "an offset in all of them or in none" in error


@pytest.mark.parametrize(
    ("value", "options", "said"),
    [
        ("yesterday", {"min": MIN, "max": MAX}, "actual: is not a date or time, got 'yesterday'"),
        (5, {"min": MIN, "max": MAX}, "actual: is not a date or time"),
        (None, {"min": MIN, "max": MAX}, "actual: is missing"),
        (MIN, {"min": MIN}, "max: is missing"),
        (MIN, {"max": MAX}, "min: is missing"),
        (MIN, {"min": MAX, "max": MIN}, "min: is above max"),
    ],
)
def test_what_a_temporal_range_cannot_run_on(value: object, options: dict[str, object], said: str) -> None:
    assert said in (temporal_range(value, None, options).error or "")


@pytest.mark.parametrize(
    ("value", "options", "passes"),
    [
        ("abc", {"max": 3}, True),
        ("abcd", {"max": 3}, False),
        ("", {"max": 3}, True),
        ("", {"min": 1, "max": 3}, False),
        ([1, 2], {"min": 2, "max": 2}, True),
        ({"a": 1}, {"max": 0}, False),
        ("cafe\u0301", {"max": 4}, False),  # five code points
    ],
)
def test_length_is_between_zero_or_min_and_max(value: object, options: dict[str, object], passes: bool) -> None:
    metric = length_range(value, None, options)
    assert (metric.passed, metric.score, metric.error) == (passes, float(passes), None)


@pytest.mark.parametrize(
    ("value", "options", "said"),
    [
        ("a", {}, "max: is missing"),
        ("a", {"min": 1}, "max: is missing"),
        (5, {"max": 3}, "no length"),
        (None, {"max": 3}, "no length"),
    ],
)
def test_what_a_length_range_cannot_run_on(value: object, options: dict[str, object], said: str) -> None:
    assert said in (length_range(value, None, options).error or "")
