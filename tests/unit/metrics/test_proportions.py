"""The rules of metrics made of counts: they show what they average over, and of nothing they are undefined."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.metrics.intervals import wilson
from assay.metrics.proportions import macro, mean, proportion, undefined
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


@pytest.mark.parametrize(("numerator", "denominator"), [(5, 4), (-1, 4), (0, -1), (1, 0), (5.0, 4), (4.01, 4), (-0.5, 4)])
def test_counts_that_are_no_proportion_never_give_a_number(numerator: float, denominator: int) -> None:
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


def mean_of(*numbers: float) -> Metric:
    return mean(math.fsum(numbers), math.fsum(n * n for n in numbers), len(numbers), "rows")


def test_mean_shows_value_count_and_students_interval() -> None:
    # (0.5 + 0.1 - 0.3) / 3 = 0.1; squares 0.25 + 0.01 + 0.09 = 0.35, less 3 x 0.01, is 0.32; / 2 = 0.16.
    # Standard error sqrt(0.16 / 3) = 0.230940; t with 2 degrees 4.302653: half 0.993655.
    found = mean_of(0.5, 0.1, -0.3)
    assert (found.value, found.n, found.numerator, found.denominator) == (0.1, 3, 0.3, 3)
    assert (found.low, found.high) == pytest.approx((-0.893655, 1.093655), abs=1e-6)


def test_mean_of_nothing_is_undefined_with_the_reason() -> None:
    assert mean(0.0, 0.0, 0, "queries without an answer") == undefined("no queries without an answer")


def test_mean_of_one_number_has_no_interval() -> None:
    found = mean_of(-0.25)
    assert (found.value, found.n, found.low, found.high) == (-0.25, 1, None, None)


@pytest.mark.parametrize("number", [0.1, 1 / 3, -0.7, 0.0])
def test_mean_of_equal_numbers_has_an_interval_without_width(number: float) -> None:
    found = mean_of(*[number] * 7)
    assert [found.low, found.value, found.high] == pytest.approx([number] * 3, abs=1e-7)


REALS = st.lists(st.integers(-16, 16).map(lambda k: k / 16), min_size=2, max_size=60)


@given(REALS.filter(lambda numbers: len(set(numbers)) > 1))
def test_interval_of_a_mean_is_scipys_t_interval(numbers: list[float]) -> None:
    found, oracle = mean_of(*numbers), stats.ttest_1samp(numbers, 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high), abs=1e-5)


@given(REALS)
def test_order_never_changes_a_mean(numbers: list[float]) -> None:
    assert mean_of(*numbers) == mean_of(*sorted(numbers))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_proportion_of_shares_has_the_interval_of_a_proportion_of_their_mean(shares: list[float]) -> None:
    found = proportion(math.fsum(shares), len(shares), "queries")
    assert (found.low, found.high) == pytest.approx(wilson(min(math.fsum(shares), len(shares)), len(shares)), abs=1e-12)
    assert found.value is not None
    assert 0 <= found.value <= 1


def test_shares_that_add_up_to_a_hair_over_all_of_them_are_no_error() -> None:
    # 0.1 ten times sums to a little under, 3 x (1 + 2^-52) to a little over; neither is a proportion of more than all.
    assert proportion(3 * (1 + 2**-52), 3, "queries").value == 1.0
    assert proportion(-1e-18, 3, "queries").value == 0.0
