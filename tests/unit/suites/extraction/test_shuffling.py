"""The rules of the shuffle: another's reply for everyone, the same for the same seed, whatever the order."""

from __future__ import annotations

import json
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assay.model.exchange import Failure
from assay.suites.extraction.shuffling import donors, joined, parsed
from tests.builders import extracted, reply

IDS = st.lists(st.text(min_size=1, max_size=4), unique=True, max_size=12)


@given(IDS.filter(lambda ids: len(ids) > 1), st.integers())
def test_where_all_are_answered_everyone_gives_once_and_never_to_himself(ids: list[str], seed: int) -> None:
    found = donors(ids, ids, seed)
    assert sorted(found) == sorted(found.values()) == sorted(ids)
    assert all(name != giver for name, giver in found.items())


@given(IDS, st.data(), st.integers())
def test_only_the_answered_give_and_only_who_has_no_other_is_left_out(ids: list[str], data: st.DataObject, seed: int) -> None:
    answered = {name for name in ids if data.draw(st.booleans())}
    found = donors(ids, answered, seed)
    assert set(found.values()) <= answered
    assert all(name != giver for name, giver in found.items())
    assert set(found) == {name for name in ids if answered - {name}}


@given(IDS, st.data(), st.integers())
def test_order_of_the_ids_never_matters(ids: list[str], data: st.DataObject, seed: int) -> None:
    assert donors(data.draw(st.permutations(ids)), ids, seed) == donors(ids, ids, seed)


def test_every_other_case_gives_about_equally_often_over_many_seeds() -> None:
    # Four others, 2000 seeds: 500 expected each, standard deviation sqrt(2000 * 1/4 * 3/4) = 19.4; 5 of them are 97.
    counts = Counter(donors("abcde", "abcde", seed)["a"] for seed in range(2000))
    assert set(counts) == set("bcde")
    assert all(abs(count - 500) < 97 for count in counts.values())


def test_replies_of_one_case_are_joined_and_those_that_do_not_parse_left_out() -> None:
    outcomes = [
        reply(extracted(content="A.")),
        reply(text="no"),
        Failure(reason="timeout", attempts=2),
        reply(extracted(content="B.")),
    ]
    text = joined(outcomes)
    assert text is not None
    assert [memory["content"] for memory in json.loads(text)["memories"]] == ["A.", "B."]


def test_where_nothing_parses_the_first_text_stays_as_it_is() -> None:
    assert joined([Failure(reason="timeout", attempts=1), reply(text="Sorry."), reply(text="{")]) == "Sorry."


def test_without_a_reply_there_is_nothing_to_join() -> None:
    assert joined([]) is None
    assert joined([Failure(reason="timeout", attempts=1)]) is None


def test_only_what_follows_the_schema_parses() -> None:
    assert parsed('{"memories": []}') is not None
    assert parsed('{"memories": [1]}') is None
    assert parsed("") is None
