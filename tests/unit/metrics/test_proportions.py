"""The rules of metrics made of counts: they show what they average over, and of nothing they are undefined."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.proportions import macro, proportion, undefined
from assay.model.verdict import Metric

COUNTS = st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def test_proportion_shows_value_counts_and_wilson_interval() -> None:
    # 3/4 = 0.75; its Wilson interval is worked out in test_intervals.py: 0.300642 to 0.954413.
    found = proportion(3, 4, "rows")
    assert (found.value, found.n, found.numerator, found.denominator, found.reason) == (0.75, 4, 3, 4, None)
    assert (found.low, found.high) == pytest.approx((0.300642, 0.954413), abs=2e-6)


def test_proportion_of_nothing_is_undefined_with_the_reason() -> None:
    assert proportion(0, 0, "expected procedural memories") == Metric(
        value=None, n=0, numerator=None, denominator=None, low=None, high=None, reason="no expected procedural memories"
    )


@pytest.mark.parametrize(("numerator", "denominator"), [(5, 4), (-1, 4), (0, -1), (1, 0)])
def test_counts_that_are_no_proportion_never_give_a_number(numerator: int, denominator: int) -> None:
    try:
        assert proportion(numerator, denominator, "rows").value is None
    except ValueError as error:
        assert "is not a proportion" in str(error)  # noqa: PT017  # either answer is an honest one


@given(COUNTS)
def test_proportion_lies_in_its_interval_in_the_unit_interval(counts: tuple[int, int]) -> None:
    found = proportion(*counts, "rows")
    if found.value is None:
        assert counts == (0, 0)
    else:
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high


def test_values_are_rounded_to_twelve_decimals() -> None:
    assert proportion(1, 3, "rows").value == 0.333333333333
    assert proportion(2, 3, "rows").value == 0.666666666667


def test_macro_is_the_unweighted_mean_of_the_defined_parts() -> None:
    # 1/2 and 75/100, whatever their n: (0.5 + 0.75) / 2 = 1.25 / 2 = 0.625. The empty part is left out, so n = 2.
    found = macro({"a": proportion(1, 2, "a"), "b": proportion(75, 100, "b"), "c": undefined("no c")}, "category")
    assert (found.value, found.n, found.numerator, found.denominator, found.reason) == (0.625, 2, 1.25, 2, None)


def test_macro_counts_a_part_of_zero_but_not_one_without_rows() -> None:
    # (0/5 + 5/5) / 2 = 0.5, but with 0/0 in place of 0/5 only 5/5 = 1 is left.
    whole = proportion(5, 5, "b")
    assert macro({"a": proportion(0, 5, "a"), "b": whole}, "category").value == 0.5
    assert macro({"a": proportion(0, 0, "a"), "b": whole}, "category").value == 1.0


@pytest.mark.parametrize("parts", [{}, {"a": undefined("no a"), "b": undefined("no b")}])
def test_macro_without_a_defined_part_is_undefined(parts: dict[str, Metric]) -> None:
    assert macro(parts, "category") == undefined("no category with rows")


def test_macro_of_one_part_has_its_value_and_interval() -> None:
    part = proportion(7, 9, "a")
    found = macro({"a": part}, "category")
    assert (found.value, found.low, found.high) == (part.value, part.low, part.high)
    assert found.n == 1


def test_macro_of_equal_fractions_is_that_fraction() -> None:
    assert macro({name: proportion(1, 3, name) for name in "abcde"}, "category").value == 0.333333333333


def test_macro_of_perfect_parts_is_exactly_one_and_still_uncertain() -> None:
    found = macro({name: proportion(n, n, name) for n, name in enumerate("abcde", start=1)}, "category")
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low is not None
    assert found.low < 1.0


def test_order_of_parts_never_changes_a_digit() -> None:
    parts = {"a": proportion(1, 3, "a"), "b": proportion(2, 7, "b"), "c": proportion(10, 11, "c"), "d": proportion(0, 9, "d")}
    assert len({macro(dict(order), "category").model_dump_json() for order in permutations(parts.items())}) == 1


@given(st.lists(COUNTS, min_size=1, max_size=5))
def test_macro_lies_between_its_parts_and_in_its_interval(counts: list[tuple[int, int]]) -> None:
    parts = {str(i): proportion(*pair, "rows") for i, pair in enumerate(counts)}
    values = [part.value for part in parts.values() if part.value is not None]
    found = macro(parts, "category")
    assert found.n == len(values)
    if found.value is not None:
        assert found.low is not None
        assert found.high is not None
        assert min(values) - 1e-12 <= found.value <= max(values) + 1e-12
        assert 0 <= found.low <= found.value <= found.high <= 1


def test_undefined_metric_carries_no_number() -> None:
    assert undefined("no rows").model_dump(exclude={"n", "reason"}) == dict.fromkeys(
        ("value", "numerator", "denominator", "low", "high")
    )
