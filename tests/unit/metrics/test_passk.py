"""pass^k by hand, by drawing every way, and at its edges; counts of cases and rules."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.passk import cases_passed, first_violation, mean_pass_k, pass_k, rules_kept
from assay.metrics.proportions import proportion, undefined

TRIALS = st.integers(1, 7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n)))


def test_pass_k_by_hand() -> None:
    # C(3, 2) / C(4, 2) = 3 / 6: of the six pairs of repeats three hold no failure.
    assert pass_k(3, 4, 2) == 0.5
    assert pass_k(3, 4, 4) == 0.0
    assert pass_k(4, 4, 4) == 1.0
    assert pass_k(1, 4, 1) == 0.25
    assert pass_k(0, 1, 1) == 0.0


@given(TRIALS)
def test_pass_k_is_the_share_of_draws_without_a_failure(trial: tuple[int, int, int]) -> None:
    successes, repeats, k = trial
    outcomes = [True] * successes + [False] * (repeats - successes)
    assert pass_k(successes, repeats, k) == pytest.approx(fmean(all(drawn) for drawn in combinations(outcomes, k)))


@given(TRIALS)
def test_pass_k_never_rises_with_k_nor_falls_with_successes(trial: tuple[int, int, int]) -> None:
    successes, repeats, k = trial
    assert 0 <= pass_k(successes, repeats, k) <= pass_k(successes, repeats, 1) == successes / repeats
    if successes < repeats:
        assert pass_k(successes, repeats, k) <= pass_k(successes + 1, repeats, k)


@pytest.mark.parametrize("trial", [(0, 0, 1), (1, 2, 3), (1, 2, 0), (3, 2, 1), (-1, 2, 1)])
def test_pass_k_of_what_cannot_be_is_an_error(trial: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match=r"repeats"):
        pass_k(*trial)


def test_mean_pass_k_is_the_unweighted_mean_over_tasks() -> None:
    # (C(3,2)/C(4,2) + C(2,2)/C(2,2) + 0) / 3 = (0.5 + 1 + 0) / 3 = 0.5.
    found = mean_pass_k([(3, 4), (2, 2), (1, 4)], 2)
    assert (found.value, found.n, found.numerator, found.denominator) == (0.5, 3, 1.5, 3)
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < 0.5 < found.high < 1


def test_mean_pass_k_is_undefined_without_enough_repeats() -> None:
    assert mean_pass_k([], 1) == undefined("no tasks")
    assert mean_pass_k([(1, 1), (4, 4)], 2) == undefined("1 of 2 tasks have fewer than 2 repeats")


@given(st.lists(TRIALS, min_size=1, max_size=6), st.randoms())
def test_mean_pass_k_does_not_hang_on_the_order_of_tasks(trials: list[tuple[int, int, int]], random: object) -> None:
    tasks = [(successes, repeats) for successes, repeats, _ in trials]
    assert mean_pass_k(tasks, 1).model_dump_json() == mean_pass_k(tasks[::-1], 1).model_dump_json()


def test_all_passed_is_one_and_still_uncertain() -> None:
    found = mean_pass_k([(4, 4)] * 7, 4)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low is not None
    assert found.low < 1


def test_counts_of_cases_and_rules_are_proportions() -> None:
    assert cases_passed(9, 10) == proportion(9, 10, "cases")
    assert cases_passed(0, 0) == undefined("no cases")
    assert rules_kept(3, 1) == proportion(3, 4, "rules")
    assert rules_kept(0, 0) == undefined("no rules that could run")


@pytest.mark.parametrize(("positions", "first"), [([], None), ([None], None), ([None, 4, 2], 2), ([0, None], 0)])
def test_first_violation_is_the_earliest_position(positions: list[int | None], first: int | None) -> None:
    assert first_violation(positions) == first
