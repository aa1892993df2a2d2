"""The rules of the pattern extractor: what counts as a statement, how it is retold, and what its words say of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.suites.extraction.cases import Conversation
from assay.suites.extraction.patterns import memories, sentences, third_person
from assay.suites.extraction.schema import ExtractedMemory
from tests.builders import conversation


def found_in(*said: str, role: str = "user") -> list[ExtractedMemory]:
    turns = [{"role": role, "content": text} for text in said]
    return memories(Conversation.model_validate(conversation(turns=turns)))


def contents(*said: str) -> list[str]:
    return [memory.content for memory in found_in(*said)]


@pytest.mark.parametrize(
    ("first", "third"),
    [
        ("I live in Lyon.", "The user lives in Lyon."),
        ("I'm a nurse", "The user is a nurse"),
        ("I\u2019ve two cats", "The user has two cats"),
        ("my sister drives me home", "The user's sister drives the user home"),
        ("I never watch films", "The user never watches films"),
        ("I carry it", "The user carries it"),
        ("I play chess", "The user plays chess"),
        ("I don't smoke", "The user doesn't smoke"),
        ("I can swim", "The user can swim"),
        ("I went home", "The user went home"),
        ("I moved here", "The user moved here"),
        ("I'll go", "The user will go"),
        ("I'd go", "The user would go"),
        ("It rains in Italy.", "It rains in Italy."),
        ("", ""),
    ],
)
def test_first_person_becomes_third(first: str, third: str) -> None:
    assert third_person(first) == third


def test_sentences_end_at_stops_before_space_and_at_line_ends() -> None:
    assert sentences("One. Two! Is it 3.5?\n\nFour") == ["One.", "Two!", "Is it 3.5?", "Four"]
    assert sentences("") == sentences(" \n ") == []


def test_a_statement_is_retold_whole_and_in_clauses_each_once() -> None:
    said = "I live in Lyon, and I work as a nurse. I live in Lyon."
    assert contents(said) == [
        "The user lives in Lyon.",
        "The user works as a nurse.",
        "The user lives in Lyon, and the user works as a nurse.",
    ]


def test_words_that_only_link_are_left_out() -> None:
    assert contents("Oh, and please remember that I drink tea now.") == ["The user drinks tea."]


def test_an_occupation_alone_is_what_the_user_is() -> None:
    assert contents("Baker in a small town here.") == ["The user is a Baker in a small town."]


@pytest.mark.parametrize(
    "said", ["Do I live in Lyon?", "Tell my boss that I live in Lyon.", "Thanks!", "I think so.", "Ich wohne in Ulm."]
)
def test_questions_requests_and_talk_hold_no_statement(said: str) -> None:
    assert contents(said) == []


def test_what_the_assistant_says_is_not_read() -> None:
    assert found_in("I live in Lyon.", role="assistant") == []


@pytest.mark.parametrize(
    ("said", "category"),
    [
        ("I live in Lyon.", "factual"),
        ("I really hate onions.", "preference"),
        ("I don't like onions.", "preference"),
        ("I swim every morning.", "behavioral"),
        ("I clean it on Sundays.", "behavioral"),
        ("I bought a boat.", "episodic"),
        ("I fly to Rome on 3 May.", "episodic"),
        ("I rinse the rice, then steam it.", "procedural"),
    ],
)
def test_category_follows_the_first_cue(said: str, category: str) -> None:
    assert found_in(said)[0].categories == (category,)


@pytest.mark.parametrize(
    ("said", "kind", "start", "end"),
    [
        ("I live in Lyon.", "indefinite", None, None),
        ("I fly to Rome tomorrow.", "point", "2026-03-15", "2026-03-15"),
        ("I fly to Rome on 3 May.", "point", "2026-05-03", "2026-05-03"),
        ("I fly to Rome on the 3rd of May 2027.", "point", "2027-05-03", "2027-05-03"),
        ("I live in Rome from 3 May to 4 June.", "bounded", "2026-05-03", "2026-06-04"),
        ("I live in Rome until 4 June.", "bounded", None, "2026-06-04"),
        ("I work in Rome since 2009.", "indefinite", "2009-01-01", None),
        ("I work in Rome until 31 June.", "indefinite", None, None),
    ],
)
def test_times_are_read_against_the_day_of_the_conversation(said: str, kind: str, start: str | None, end: str | None) -> None:
    found = found_in(said)[0]
    assert (found.temporal_kind, found.valid_from, found.valid_until) == (kind, start, end)


def test_a_day_without_a_year_gets_that_of_the_conversation() -> None:
    assert contents("I fly to Rome on 3 May.") == ["The user flies to Rome on 3 May 2026."]


@given(st.lists(st.text(min_size=1), min_size=1, max_size=3))
def test_any_text_gives_valid_memories_each_content_once(said: list[str]) -> None:
    found = contents(*said)
    assert len(found) == len(set(found))
