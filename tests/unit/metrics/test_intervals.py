"""The rules of the intervals: they agree with scipy, cover what they claim, and never claim certainty."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, t

from assay.metrics.intervals import T95, Z95, macro_mean, student_95, wilson

PARTS = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
DRAWS = 4000


def test_wilson_of_three_out_of_four() -> None:
    # z^2 = 3.841459. Centre (0.75 + 3.841459/8) / (1 + 3.841459/4) = 1.230182 / 1.960365 = 0.627527.
    # Half 1.959964 / 1.960365 * sqrt(0.1875/4 + 3.841459/64) = 0.999795 * sqrt(0.106898) = 0.326886.
    assert wilson(3, 4) == pytest.approx((0.300642, 0.954413), abs=2e-6)


@given(PARTS)
def test_wilson_is_scipys_wilson(part: tuple[int, int]) -> None:
    oracle = binomtest(*part).proportion_ci(method="wilson")
    assert wilson(*part) == pytest.approx((oracle.low, oracle.high), abs=1e-12)


@given(PARTS)
def test_wilson_holds_its_point_in_the_unit_interval(part: tuple[int, int]) -> None:
    low, high = wilson(*part)
    assert 0.0 <= low <= part[0] / part[1] <= high <= 1.0
    assert low < high


@pytest.mark.parametrize("n", [1, 2, 35, 100_000])
def test_interval_at_zero_and_one_touches_the_end_and_has_width(n: int) -> None:
    assert wilson(0, n)[0] == 0.0 < wilson(0, n)[1]
    assert wilson(n, n)[0] < 1.0 == wilson(n, n)[1]
    assert macro_mean([(0, n), (0, n)])[0] == 0.0 < macro_mean([(0, n), (0, n)])[1]
    assert macro_mean([(n, n), (n, n)])[0] < 1.0 == macro_mean([(n, n), (n, n)])[1]


@given(st.integers(1, 30), st.integers(2, 30))
def test_more_rows_narrow_the_interval(successes: int, times: int) -> None:
    few, many = wilson(successes, 40), wilson(successes * times, 40 * times)
    assert many[1] - many[0] < few[1] - few[0]


@given(PARTS)
def test_failures_have_the_mirrored_interval(part: tuple[int, int]) -> None:
    low, high = wilson(*part)
    assert wilson(part[1] - part[0], part[1]) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (1, 0), (-1, 5), (6, 5), (0, -1), (float("nan"), 5)])
def test_wilson_of_no_proportion_is_refused(successes: float, n: int) -> None:
    with pytest.raises(ValueError, match="is not a proportion"):
        wilson(successes, n)


@given(PARTS)
def test_macro_mean_of_one_part_is_wilson(part: tuple[int, int]) -> None:
    assert macro_mean([part]) == pytest.approx(wilson(*part), abs=1e-12)


def test_macro_mean_of_two_parts_adds_distances_in_quadrature() -> None:
    # Parts 3/4 with (0.300642, 0.954413) and 1/4 with the mirror (0.045587, 0.699358); their mean is 0.5.
    # Below: sqrt((0.75 - 0.300642)^2 + (0.25 - 0.045587)^2) / 2 = sqrt(0.201923 + 0.041785) / 2 = 0.246834; above the same.
    assert macro_mean([(3, 4), (1, 4)]) == pytest.approx((0.253166, 0.746834), abs=2e-6)


@given(st.lists(PARTS, min_size=1, max_size=6))
def test_macro_mean_holds_its_point_whatever_the_order(parts: list[tuple[int, int]]) -> None:
    low, high = macro_mean(parts)
    mean = sum(s / n for s, n in parts) / len(parts)
    assert 0.0 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1.0
    assert low < high
    assert macro_mean(sorted(parts)) == pytest.approx((low, high), abs=1e-12)
    assert macro_mean(parts[::-1]) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("parts", [[], [(0, 0)], [(1, 2), (0, 0)], [(3, 2)]])
def test_macro_mean_with_a_part_of_nothing_is_refused(parts: list[tuple[float, int]]) -> None:
    with pytest.raises(ValueError, match=r"undefined|is not a proportion"):
        macro_mean(parts)


@pytest.mark.parametrize("n", [10, 35, 150])
def test_wilson_covers_the_truth_about_nineteen_times_in_twenty(n: int) -> None:
    # For a single truth the coverage swings with n (at 0.9 of 35 it is 0.920); over all truths it averages 0.95.
    random = np.random.default_rng(20261130)
    truths = random.uniform(0.02, 0.98, DRAWS)
    intervals = [wilson(int(s), n) for s in random.binomial(n, truths)]
    covered = sum(low <= p <= high for (low, high), p in zip(intervals, truths, strict=True))
    assert 0.935 <= covered / DRAWS <= 0.965


def test_macro_mean_covers_the_truth_about_nineteen_times_in_twenty() -> None:
    truth, sizes = (0.95, 0.9, 0.8, 0.85, 0.7), (120, 40, 50, 45, 35)
    drawn = np.random.default_rng(20261130).binomial(sizes, truth, (DRAWS, len(sizes)))
    mean = sum(truth) / len(truth)
    intervals = (macro_mean([(int(s), n) for s, n in zip(row, sizes, strict=True)]) for row in drawn)
    assert 0.93 <= sum(low <= mean <= high for low, high in intervals) / DRAWS <= 0.975


@pytest.mark.parametrize("freedom", [*range(1, 201), 500, 1000, 10_000, 1_000_000])
def test_students_quantile_is_scipys_to_five_decimals(freedom: int) -> None:
    assert student_95(freedom) == pytest.approx(t.ppf(0.975, freedom), abs=5e-6)


def test_students_quantile_falls_towards_the_normal_one_also_where_the_table_ends() -> None:
    found = [student_95(freedom) for freedom in range(1, 200)]
    assert found == sorted(found, reverse=True)
    assert student_95(len(T95)) > student_95(len(T95) + 1) > Z95
    assert student_95(10**9) == pytest.approx(Z95, abs=1e-8)


@pytest.mark.parametrize("freedom", [0, -1])
def test_students_quantile_without_a_degree_of_freedom_is_refused(freedom: int) -> None:
    with pytest.raises(ValueError, match="degrees of freedom; expected 1 or more"):
        student_95(freedom)
