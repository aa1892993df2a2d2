"""A sample is seeded, in gold order, and keeps every stratum in proportion."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.gold import GoldCase
from assay.sampling import sampled


def gold(name: str, *strata: str) -> GoldCase:
    return GoldCase(id=name, input={}, expected={}, strata=strata)


def two_strata(plain: int, hostile: int) -> list[GoldCase]:
    cases = [gold(f"p{i}", "en") for i in range(plain)] + [gold(f"h{i}", "en", "hostile") for i in range(hostile)]
    return sorted(cases, key=lambda case: case.id[::-1])


def hostile_in(cases: list[GoldCase]) -> int:
    return sum("hostile" in case.strata for case in cases)


gold_sets = st.lists(
    st.tuples(st.integers(0, 99), st.sampled_from(["a", "b", "c"])), unique_by=lambda row: row[0], max_size=40
).map(lambda rows: [gold(f"c{number}", stratum) for number, stratum in rows])
sizes, seeds = st.integers(0, 50), st.integers(0, 5)


@given(gold_sets, sizes, seeds)
def test_a_sample_has_the_size_asked_for_or_all_cases_in_gold_order(cases: list[GoldCase], size: int, seed: int) -> None:
    chosen = sampled(cases, size, seed)
    assert len(chosen) == min(size, len(cases))
    assert chosen == [case for case in cases if case in chosen]


@given(gold_sets, sizes, seeds, st.randoms(use_true_random=False))
def test_the_order_of_the_gold_set_does_not_change_the_choice(
    cases: list[GoldCase], size: int, seed: int, random: Random
) -> None:
    shuffled = random.sample(cases, len(cases))
    assert {case.id for case in sampled(shuffled, size, seed)} == {case.id for case in sampled(cases, size, seed)}


@given(gold_sets, sizes, seeds)
def test_a_larger_sample_holds_every_smaller_one(cases: list[GoldCase], size: int, seed: int) -> None:
    assert {case.id for case in sampled(cases, size, seed)} <= {case.id for case in sampled(cases, size + 1, seed)}


@settings(max_examples=60)
@given(st.integers(1, 60), st.integers(1, 60), seeds, st.data())
def test_each_of_two_strata_is_within_two_cases_of_its_share(plain: int, hostile: int, seed: int, data: st.DataObject) -> None:
    total = plain + hostile
    size = data.draw(st.integers(0, total))
    # Cut at one threshold t, each stratum is within 0.5 of t times its size, so t is within 1/total of size/total:
    # at most 0.5 + hostile/total < 1.5 cases off.
    assert abs(hostile_in(sampled(two_strata(plain, hostile), size, seed)) - hostile * size / total) <= 1.5


def test_a_tenth_of_the_cases_has_a_tenth_of_the_sample() -> None:
    cases = two_strata(plain=90, hostile=10)
    for size, expected in ((10, 1), (20, 2), (50, 5), (100, 10)):
        assert hostile_in(sampled(cases, size, seed=0)) == expected


def test_many_rare_strata_do_not_crowd_out_a_common_one() -> None:
    cases = [gold(f"p{i}", "en") for i in range(90)] + [gold(f"r{i}", f"rare {i}") for i in range(10)]
    # the common stratum has nine tenths of the cases, so at least nine of a sample of ten
    assert sum(case.strata == ("en",) for case in sampled(cases, 10, seed=0)) >= 9


def test_the_seed_decides_which_cases_and_the_same_seed_always_the_same() -> None:
    cases = two_strata(plain=90, hostile=10)
    samples = {tuple(case.id for case in sampled(cases, 10, seed)) for seed in range(10)}
    assert len(samples) == 10
    assert sampled(cases, 10, 3) == sampled(cases, 10, 3)


def test_a_sample_of_nothing_is_nothing() -> None:
    assert sampled([], 5, 0) == sampled(two_strata(3, 3), 0, 0) == []


def test_the_cases_of_a_seed_are_fixed_for_every_machine() -> None:
    cases = two_strata(plain=6, hostile=3)
    # SHA-256 of "0:<id>" begins 0e1db7 for p2, 55df89 for p4, 01c659 for h0: the first of their strata.
    # Places: p2 0.5/6 = 0.083, h0 0.5/3 = 0.167, p4 1.5/6 = 0.25, h1 1.5/3 = 0.5; the gold order has h0 before p2.
    assert [case.id for case in sampled(cases, 3, 0)] == ["h0", "p2", "p4"]
