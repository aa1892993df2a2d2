"""What a gate can see, in exact counts and tails; by hand, against enumeration, and as rules."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.metrics.power import (
    Part,
    absorbed,
    absorbed_values,
    cases_needed,
    chance_seen,
    false_alarm,
    rejects_from,
    restored,
    rows_that_do,
    scaled,
    share_right,
    tail,
    turned,
    value_of,
)
from assay.metrics.significance import paired_test
from assay.model.score import Direction

DIRECTIONS: tuple[Direction, Direction] = ("higher", "lower")
parts = st.integers(1, 7).flatmap(lambda n: st.builds(Part, right=st.integers(0, n), n=st.just(n)))
few_parts = st.lists(parts, min_size=1, max_size=3)
profiles = st.dictionaries(st.integers(1, 4), st.integers(1, 3), max_size=3).map(lambda found: tuple(sorted(found.items())))


def over(limit: float, direction: Direction = "higher"):
    """A gate that keeps silent up to a limit."""
    return lambda value: value >= limit - 1e-12 if direction == "higher" else value <= limit + 1e-12


def compositions(found: list[Part], rows: int) -> list[list[Part]]:
    """The parts after so many rows turned wrong, in every way that they can fall on the parts."""
    ways = product(*[range(min(part.right, rows) + 1) for part in found])
    return [[Part(part.right - k, part.n) for part, k in zip(found, way, strict=True)] for way in ways if sum(way) == rows]


@given(few_parts, st.sampled_from(DIRECTIONS), st.floats(0, 1))
def test_absorbed_is_what_every_composition_of_rows_over_the_classes_says(
    found: list[Part], direction: Direction, limit: float
) -> None:
    is_kept, right = over(limit, direction), sum(part.right for part in found)
    silent = [[is_kept(value_of(way, direction)) for way in compositions(found, rows)] for rows in range(right + 1)]
    every = max((rows for rows in range(right + 1) if all(silent[rows])), default=0)
    some = max((rows for rows in range(right + 1) if any(silent[rows])), default=0)
    assert absorbed(found, direction, is_kept, hurts_most=True) == every
    assert absorbed(found, direction, is_kept, hurts_most=False) == some


def test_rows_hurt_most_in_the_smallest_class() -> None:
    # two classes of 10 and 40 rows: a row costs 1/20 = 5 pp or 1/80 = 1.25 pp; of 6 pp the gate absorbs 1 to 4
    found = [Part(40, 40), Part(10, 10)]
    assert absorbed(found, "higher", over(0.94), hurts_most=True) == 1
    assert absorbed(found, "higher", over(0.94), hurts_most=False) == 4


def test_one_row_is_absorbed_only_by_a_gate_that_absorbs_everything() -> None:
    assert absorbed([Part(1, 1)], "higher", over(0.97), hurts_most=True) == 0
    assert absorbed([Part(1, 1)], "higher", over(0.0), hurts_most=True) == 1
    assert absorbed([Part(0, 1)], "higher", over(0.0), hurts_most=True) == 0


@given(few_parts, st.integers(-30, 30), st.booleans())
def test_rows_that_turn_stay_rows(found: list[Part], rows: int, hurts_most: bool) -> None:
    after = turned(found, rows, hurts_most=hurts_most)
    right, wrong = sum(part.right for part in found), sum(part.n - part.right for part in found)
    assert [part.n for part in after] == [part.n for part in found]
    assert all(0 <= part.right <= part.n for part in after)
    assert right - sum(part.right for part in after) == max(-wrong, min(rows, right))


def test_a_fired_gate_tells_how_few_rows_would_silence_it() -> None:
    assert restored([Part(7, 10)], "higher", over(0.85)) == 2  # 9 of 10 are the first over 0.85
    assert restored([Part(9, 10)], "higher", over(0.85)) is None  # it has not fired
    assert restored([Part(7, 10)], "higher", over(1.5)) is None  # nothing silences it
    assert restored([Part(3, 10)], "lower", over(0.5, "lower")) == 2  # 7 wrong of 10; 5 are kept


def test_values_fall_to_their_worst_one_after_the_other_the_dearest_first() -> None:
    losses = [0.5 / 4, 1 / 4, 0.25 / 4, 0.0]  # four rows of value 0.5, 1, 0.25 and 0; their mean is 0.4375
    assert absorbed_values(losses, 0.4375, "higher", over(0.2)) == 0
    assert absorbed_values(losses, 0.4375, "higher", over(0.18)) == 1
    assert absorbed_values(losses, 0.4375, "higher", over(0.0)) == 3
    assert absorbed_values([], 0.0, "higher", over(0.0)) == 0


@given(st.integers(1, 8), st.integers(1, 300), st.integers(1, 3))
def test_rows_that_do_are_the_most_that_do(must: int, slack_permille: int, classes: int) -> None:
    slack = Decimal(slack_permille) / 10
    found = rows_that_do(must, slack, classes)
    assert found is not None
    assert all(100 * must > slack * classes * rows for rows in range(1, found + 1))
    assert 100 * must <= slack * classes * (found + 1)
    assert rows_that_do(must, Decimal(0), classes) is None


@pytest.mark.parametrize(("level", "fewest"), [(0.4, 2), (0.05, 5), (0.03125, 5), (0.025, 6), (0.0025, 9)])
def test_the_paired_test_rejects_from_so_many_lost_cases_on(level: float, fewest: int) -> None:
    assert rejects_from(level) == fewest


def test_a_level_that_no_drawn_p_value_reaches_is_blind() -> None:
    assert rejects_from(0.0001) is not None  # 1 / (1 + 9,999) is drawn at least
    assert rejects_from(0.00009) is None


@pytest.mark.parametrize("weights", [(1,), (1, 1, 1), (3, 1, 2, 1), (2,) * 7, (1, 4, 1, 1, 5, 1)])
def test_lost_cases_alone_have_the_p_value_that_the_paired_test_gives(weights: tuple[int, ...]) -> None:
    right = np.array([[float(n), float(n)] for n in weights])
    lost = right - np.array([[1.0, 0.0]] * len(weights))
    found = paired_test(right, lost, lambda totals: totals[:, 0] / totals[:, 1])
    assert found.p_value == 0.5 ** len(weights)


@given(profiles, st.integers(0, 5), st.floats(0, 1))
@settings(max_examples=60)
@example(((1, 2), (3, 1)), 1, 0.5)
@example(((1, 2), (2, 3), (3, 1)), 2, 0.3)
@example(((1, 2), (2, 3), (3, 1)), 4, 0.3)
@example((), 0, 0.5)
@example((), 1, 0.5)
def test_the_tail_is_what_every_pattern_of_differing_cases_adds_up_to(
    profile: tuple[tuple[int, int], ...], fewest: int, q: float
) -> None:
    differs = [1 - (1 - q) ** rows for rows, cases in profile for _ in range(cases)]
    patterns = product([False, True], repeat=len(differs))
    chances = (
        prod(p if is_lost else 1 - p for p, is_lost in zip(differs, way, strict=True)) for way in patterns if sum(way) >= fewest
    )
    assert tail(profile, fewest, q) == pytest.approx(sum(chances), abs=1e-9)


@pytest.mark.parametrize(("n", "fewest", "power"), [(20, 6, 0.8), (20, 6, 0.95), (160, 9, 0.8), (6, 6, 0.8), (2_000, 5, 0.95)])
def test_one_row_a_case_gives_the_binomial_of_scipy(n: int, fewest: int, power: float) -> None:
    from scipy.special import betaincinv

    assert chance_seen(((1, n),), fewest, power) == pytest.approx(float(betaincinv(fewest, n - fewest + 1, power)), abs=1e-8)


def test_too_few_cases_notice_nothing() -> None:
    assert chance_seen(((1, 5),), 6, 0.8) is None
    assert chance_seen((), 1, 0.8) is None
    assert chance_seen(((1, 1),), 2, 0.8) is None


def test_no_level_of_power_is_reached_by_a_smaller_chance() -> None:
    for profile in (((1, 40),), ((1, 3), (5, 9)), ((2, 6),)):
        for power in (0.8, 0.95):
            q = chance_seen(profile, 6, power)
            assert q is not None
            assert tail(profile, 6, q - 1e-6) < power <= tail(profile, 6, q) + 1e-9


@given(profiles, st.integers(1, 4), st.integers(1, 6), st.integers(1, 5))
def test_more_cases_never_worsen_power(profile: tuple[tuple[int, int], ...], rows: int, more: int, fewest: int) -> None:
    bigger = tuple(sorted({**dict(profile), rows: dict(profile).get(rows, 0) + more}.items()))
    before, after = chance_seen(profile, fewest, 0.8), chance_seen(bigger, fewest, 0.8)
    assert before is None or (after is not None and after <= before + 1e-8)


@pytest.mark.parametrize(
    ("profile", "of", "fewest", "q"), [(((1, 20),), 20, 6, 0.01), (((1, 9), (4, 3)), 20, 7, 0.05), (((1, 1),), 1, 5, 0.5)]
)
def test_the_cases_needed_do_and_one_fewer_does_not(
    profile: tuple[tuple[int, int], ...], of: int, fewest: int, q: float
) -> None:
    needed = cases_needed(profile, of, fewest, q)
    assert needed is not None
    assert tail(scaled(profile, needed, of), fewest, q) >= 0.8 > tail(scaled(profile, needed - 1, of), fewest, q)


def test_no_number_of_cases_finds_nothing() -> None:
    assert cases_needed((), 20, 6, 0.1) is None
    assert cases_needed(((1, 20),), 20, 6, 0.0) is None


@pytest.mark.parametrize("cases", [1, 4, 5, 6, 20, 97])
@pytest.mark.parametrize("level", [0.4, 0.05, 0.03125, 0.0025])
def test_false_alarms_are_the_largest_size_over_every_number_of_differing_cases(cases: int, level: float) -> None:
    def size(d: int) -> float:
        tails = [sum(comb(d, k) for k in range(c, d + 1)) / 2**d for c in range(d + 1)]
        return max((p for p in tails if p <= level), default=0.0)

    assert false_alarm(cases, level) == pytest.approx(max(size(d) for d in range(cases + 1)), abs=1e-12)


def test_the_share_that_is_right_is_the_mean_over_classes() -> None:
    assert share_right([Part(1, 2), Part(4, 4)]) == 0.75
    assert value_of([Part(1, 2), Part(4, 4)], "lower") == 0.25
