"""Holm's correction over several tests, and what drop a test could have noticed."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom

from assay.metrics.significance import detectable_drop, holm, paired_test

Drops = NDArray[np.float64]
P_VALUES = st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1), min_size=1)
LEVELS = (0.001, 0.0025, 0.01, 0.025, 0.05, 0.1, 0.2)
nulls = st.lists(st.integers(-20, 20), min_size=1, max_size=60).map(lambda found: np.array(found) / 100)


def rejected_step_by_step(p_values: dict[str, float], level: float) -> set[str]:
    """The paper's sequentially rejective test: the smallest against level / n, the next against level / (n - 1), and so on."""
    rejected: set[str] = set()
    for name, p in sorted(p_values.items(), key=lambda item: item[1]):
        if p > level / (len(p_values) - len(rejected)):
            break
        rejected.add(name)
    return rejected


def closed_bonferroni(p_values: dict[str, float], name: str) -> float:
    """The largest Bonferroni p-value of any set of hypotheses with `name` in it: closed testing, which Holm shortens."""
    others = [other for other in p_values if other != name]
    sets = [(name, *more) for size in range(len(others) + 1) for more in combinations(others, size)]
    return max(min(1.0, len(chosen) * min(p_values[one] for one in chosen)) for chosen in sets)


def test_holm_by_hand() -> None:
    # Ordered: c 0.005, a 0.01, d 0.03, b 0.04. 4 * 0.005 = 0.02; 3 * 0.01 = 0.03; 2 * 0.03 = 0.06; 1 * 0.04 = 0.04, but never
    # less than the one before: 0.06. So at 0.05 c (0.005 <= 0.05/4) and a (0.01 <= 0.05/3) are rejected, and d stops it
    # (0.03 > 0.05/2), although b alone would pass 0.05/1.
    adjusted = holm({"a": 0.01, "b": 0.04, "c": 0.005, "d": 0.03})
    assert adjusted == pytest.approx({"c": 0.02, "a": 0.03, "d": 0.06, "b": 0.06})


@given(P_VALUES, st.sampled_from(LEVELS))
def test_holm_rejects_what_the_sequential_test_rejects(p_values: dict[str, float], level: float) -> None:
    adjusted = holm(p_values)
    unclear = {name for name, p in adjusted.items() if abs(p - level) < 1e-12}
    assert {name for name, p in adjusted.items() if p <= level} - unclear == rejected_step_by_step(p_values, level) - unclear


@settings(deadline=None)
@given(P_VALUES)
def test_holm_is_closed_testing_with_bonferroni(p_values: dict[str, float]) -> None:
    assert holm(p_values) == pytest.approx({name: closed_bonferroni(p_values, name) for name in p_values}, abs=1e-12)


@given(P_VALUES)
def test_an_adjusted_p_value_lies_between_its_own_and_bonferronis(p_values: dict[str, float]) -> None:
    adjusted = holm(p_values)
    assert set(adjusted) == set(p_values)
    for name, p in p_values.items():
        assert p <= adjusted[name] <= min(1.0, len(p_values) * p)


@given(P_VALUES, st.randoms(use_true_random=False))
def test_holm_keeps_the_order_of_p_values_and_no_order_of_names_matters(p_values: dict[str, float], random: Random) -> None:
    adjusted = holm(p_values)
    assert holm(dict(random.sample(list(p_values.items()), len(p_values)))) == adjusted
    for one, other in combinations(p_values, 2):
        if p_values[one] <= p_values[other]:
            assert adjusted[one] <= adjusted[other]


def test_holm_of_one_is_itself_and_of_none_is_empty() -> None:
    assert holm({"only": 0.03}) == {"only": 0.03}
    assert holm({}) == {}


NOTHING = 2.0
"""In place of the drop that is noticed where none is: worse than losing everything."""


def noticed(null: Drops, level: float, cases: float, power: float = 0.8) -> float:
    found = detectable_drop(null, level, cases=cases, power=power)
    return NOTHING if found is None else found


@given(nulls, st.integers(1, 400))
def test_a_stricter_level_never_notices_a_smaller_drop(null: Drops, cases: int) -> None:
    found = [noticed(null, level, cases) for level in LEVELS]
    assert found == sorted(found, reverse=True)
    assert all(0 < drop <= 1 for drop in found if drop != NOTHING)


@given(nulls, st.sampled_from(LEVELS))
def test_more_cases_never_notice_only_a_larger_drop(null: Drops, level: float) -> None:
    found = [noticed(null, level, cases) for cases in (1, 2, 3, 5, 8, 20, 150, 1000)]
    assert found == sorted(found, reverse=True)


@given(nulls)
def test_more_power_takes_a_larger_drop(null: Drops) -> None:
    found = [noticed(null, 0.05, 500, power) for power in (0.5, 0.8, 0.9, 0.99)]
    assert found == sorted(found)


@pytest.mark.parametrize(("cases", "level"), [(0, 0.05), (1, 0.05), (4, 0.05), (8, 0.0025), (9, 0.001)])
def test_no_drop_is_noticed_where_so_few_cases_can_reject_nothing(cases: int, level: float) -> None:
    # Even with all cases lost p is 2^-cases: 1/16 > 0.05, 1/256 = 0.0039 > 0.0025, 1/512 = 0.00195 > 0.001.
    assert detectable_drop(np.zeros(1), level, cases=cases) is None


def test_a_drop_is_noticed_only_if_enough_cases_are_lost_to_reject() -> None:
    # 2^-5 = 0.031 <= 0.05 < 2^-4, so five cases of 100 are the least; at 0.0025 it takes nine: 2^-9 = 0.00195.
    assert 5 / 100 <= noticed(np.zeros(1), 0.05, 100) < NOTHING
    assert 9 / 100 <= noticed(np.zeros(1), 0.0025, 100) < NOTHING


def test_a_drop_is_noticed_only_above_the_noise() -> None:
    # Even nulls from -0.50 to 0.50: the 95 % quantile is 0.45, the 20 % quantile -0.30, so a drop must be 0.75 to clear both.
    null = np.arange(-50, 51) / 100
    assert 0.75 - 1e-9 <= noticed(null, 0.05, 10_000) < NOTHING


def test_undefined_patterns_never_make_a_drop_look_detectable() -> None:
    # An undefined pattern counts as a hit, so with a tenth of them p is at least 0.1: nothing is ever rejected at 0.05.
    null = np.concatenate([np.zeros(90), np.full(10, np.nan)])
    assert detectable_drop(null, 0.05, cases=1000) is None
    assert detectable_drop(np.full(3, np.nan), 0.05, cases=1000) is None


@pytest.mark.parametrize("cases", [20, 150, 1000])
@pytest.mark.parametrize("level", [0.05, 0.0125, 0.0025])
def test_without_noise_the_detectable_drop_is_found_about_eight_times_in_ten(cases: int, level: float) -> None:
    """All cases pass in the baseline; each is then lost independently with the drop's probability, so losses are binomial."""
    same = np.ones((cases, 1))
    drop = noticed(paired_test(same, same, lambda totals: totals[:, 0] / cases).null_drops, level, cases)
    fewest = next(k for k in range(1, cases + 1) if 0.5**k <= level)
    assert binom.sf(fewest - 1, cases, drop) >= 0.8 - 0.1
