"""The rules of distinctness: copies count once, different texts count each, and a planted twin is found."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.distinctness import alike_pairs, effective_number

FLOOR = 0.65
SENTENCES = (
    "quick brown foxes",
    "VJ 9031 zulu hut",
    "мама мыла раму",
    "北京很冷",
    "1111111111111",
    "&&&&&&&&",
)
"""Hardly a character in common."""
TEXTS = st.lists(st.text("abcd ", max_size=12), max_size=7).map(lambda found: {str(i): text for i, text in enumerate(found)})


def named(*texts: str) -> dict[str, str]:
    return {f"t{number}": text for number, text in enumerate(texts)}


def fifth(number: int) -> str:
    """One of 25 texts of a single repeated character, so that none is like another."""
    return chr(ord("a") + number) * 20


def at_likeness(twentieths: int) -> dict[str, str]:
    """Two texts of 20 characters, of which so many are shared: 2 * k / 40 = k / 20 alike."""
    return named("a" * twentieths + "b" * (20 - twentieths), "a" * twentieths + "c" * (20 - twentieths))


def test_no_texts_have_no_pairs_and_are_worth_nothing() -> None:
    assert alike_pairs({}, FLOOR) == []
    assert effective_number({}, FLOOR) == 0.0


def test_one_text_has_no_pair_and_is_worth_one() -> None:
    assert alike_pairs(named("alone"), FLOOR) == []
    assert effective_number(named("alone"), FLOOR) == 1.0


@pytest.mark.parametrize("copies", [2, 3, 50])
def test_copies_of_one_text_are_worth_one(copies: int) -> None:
    assert effective_number(named(*["the same text"] * copies), FLOOR) == pytest.approx(1.0, abs=1e-6)


def test_texts_unlike_one_another_are_worth_their_number() -> None:
    assert effective_number(named(*SENTENCES), FLOOR) == len(SENTENCES)


def test_five_copies_of_each_of_25_templates_are_worth_25() -> None:
    # Each text has 4 twins of likeness 1 and no other: 125 * 1 / (1 + 4) = 25.
    texts = named(*[fifth(number % 25) for number in range(125)])
    assert effective_number(texts, FLOOR) == pytest.approx(25.0, abs=1e-3)


def test_templates_with_a_slot_filled_in_are_worth_little_more_than_the_templates() -> None:
    # One letter of 20 differs: 38/40 = 0.95 alike, likeness (0.95 - 0.65) / 0.35 = 6/7, so 125 / (1 + 4 * 6/7) = 28.2.
    texts = named(*[fifth(number % 25)[:19] + str(number // 25) for number in range(125)])
    assert effective_number(texts, FLOOR) == pytest.approx(125 / (1 + 24 / 7), abs=1e-3)


def test_halfway_between_floor_and_one_counts_half() -> None:
    # 16/20 = 0.8 alike, floor 0.6: likeness (0.8 - 0.6) / 0.4 = 1/2, so each of the two is worth 1 / 1.5.
    assert effective_number(at_likeness(16), 0.6) == pytest.approx(2 / 1.5, abs=1e-6)


def test_likeness_below_the_floor_does_not_count() -> None:
    assert effective_number(at_likeness(12), FLOOR) == 2.0


def test_at_a_floor_of_one_only_copies_share() -> None:
    assert effective_number(named("abc", "abc", "xyz"), 1.0) == pytest.approx(2.0)


def test_planted_duplicate_is_found_among_others() -> None:
    texts = named(*SENTENCES) | {"twin": "Foxes  brown QUICK"}
    assert alike_pairs(texts, 0.8) == [("t0", "twin", 1.0)]


def test_pair_is_given_once_with_its_similarity() -> None:
    # 18 of 20 characters shared: 36/40 = 0.9.
    assert alike_pairs(at_likeness(18), 0.8) == [("t0", "t1", 0.9)]


@pytest.mark.parametrize("twentieths", range(1, 20))
def test_pair_at_the_floor_is_found(twentieths: int) -> None:
    assert alike_pairs(at_likeness(twentieths), twentieths / 20) == [("t0", "t1", twentieths / 20)]


@pytest.mark.parametrize("twentieths", range(1, 20))
def test_pair_below_the_floor_is_not_found(twentieths: int) -> None:
    assert alike_pairs(at_likeness(twentieths), twentieths / 20 + 0.001) == []


def test_most_alike_pairs_come_first_and_ties_in_order_of_ids() -> None:
    texts = {"d": "a" * 18 + "bb", "c": "a" * 20, "b": "a" * 20, "a": "a" * 18 + "bb"}
    found = alike_pairs(texts, 0.8)
    assert [pair[:2] for pair in found] == [("a", "d"), ("b", "c"), ("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    assert [pair[2] for pair in found] == [1.0, 1.0, 0.9, 0.9, 0.9, 0.9]


@settings(deadline=None)
@given(TEXTS)
def test_worth_lies_between_one_and_the_number_of_texts(texts: dict[str, str]) -> None:
    worth = effective_number(texts, FLOOR)
    assert min(1, len(texts)) - 1e-6 <= worth <= len(texts)


@settings(deadline=None)
@given(TEXTS)
def test_order_of_texts_never_changes_a_number(texts: dict[str, str]) -> None:
    backwards = dict(reversed(texts.items()))
    assert effective_number(backwards, FLOOR) == effective_number(texts, FLOOR)
    assert alike_pairs(backwards, FLOOR) == alike_pairs(texts, FLOOR)


@settings(deadline=None)
@given(TEXTS)
def test_set_written_twice_is_worth_the_same(texts: dict[str, str]) -> None:
    twice = texts | {f"copy of {name}": text for name, text in texts.items()}
    assert effective_number(twice, FLOOR) == pytest.approx(effective_number(texts, FLOOR), abs=1e-5)
