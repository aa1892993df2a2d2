"""The rules of the matcher: what keeps a statement the same, and what makes it another."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.similarity import CONFLICT_FACTOR, similarity, similarity_matrix
from assay.metrics.text import normalise

WORDS = """
The user not likes Ana lent Ben from to 3 three @ sister brother music musical musician ! twenty five
thousand no longer distrusts before und नहीं ユーザー 北京 という by was 's
"""
SENTENCES = st.lists(st.sampled_from(WORDS.split()), max_size=10).map(" ".join)
TEXTS = SENTENCES | st.text()


@given(TEXTS, TEXTS)
def test_similarity_is_symmetric_and_in_range(a: str, b: str) -> None:
    assert similarity(a, b) == similarity(b, a)
    assert 0.0 <= similarity(a, b) <= 1.0


@given(TEXTS)
def test_unicode_form_and_spacing_do_not_count(text: str) -> None:
    assert similarity(text, text) == 1.0
    assert similarity(text, unicodedata.normalize("NFD", f" {text} ")) == 1.0
    assert similarity(text, normalise(text)) == 1.0


@given(SENTENCES)
def test_case_does_not_count(text: str) -> None:
    assert similarity(text, text.upper()) == 1.0


@given(TEXTS)
def test_only_another_empty_text_is_like_an_empty_text(text: str) -> None:
    assert similarity(text, " ") == (1.0 if normalise(text) == "" else 0.0)


@given(st.lists(TEXTS, max_size=4), st.lists(TEXTS, max_size=4))
def test_matrix_holds_the_similarity_of_each_pair(rows: list[str], columns: list[str]) -> None:
    matrix = similarity_matrix(rows, columns)
    assert matrix.dtype == np.float64
    assert matrix.shape == (len(rows), len(columns))
    assert matrix.tolist() == [[similarity(a, b) for b in columns] for a in rows]


def test_score_is_the_smaller_share_of_shared_content() -> None:
    # a: bakes, rye, bread, Sunday (4 facts); b: those and stone, oven, in another order (6 facts).
    # Shares 4/4 and 4/6; nothing conflicts, for b is not a with words put in.
    a = "The user bakes rye bread every sunday."
    b = "Every sunday the user bakes rye bread in a stone oven."
    assert similarity(a, b) == pytest.approx(4 / 6)


def test_score_with_a_conflict_is_halved() -> None:
    # brother, plays, chess against plays, chess: 2/3, halved, for a relation is missing.
    a, b = "The user's brother plays chess.", "The user plays chess."
    assert similarity(a, b) == pytest.approx(CONFLICT_FACTOR * 2 / 3)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The user resides in Oslo.", "The user lives in Oslo."),
        ("In 2015, the user quit smoking.", "The user stopped smoking in 2015."),
        ("The user no longer eats meat.", "The user has stopped eating meat."),
        ("The user doesn't like horror movies.", "The user dislikes horror films."),
        ("Ben was taught chess by Ana.", "Ana taught Ben chess."),
        ("The user's best friend is Ana.", "Ana is the user's best friend."),
        ("The user runs five kilometres every day.", "Every day, the user runs 5 km."),
        ("The user owns twenty-five hats.", "The user owns 25 hats."),
        ("The user speaks Dutch and Thai.", "The user speaks Thai and Dutch."),
        ("Der Benutzer hat zwei Kinder.", "Der Nutzer hat 2 Kinder."),
        ("用户喜欢咖啡。", "用户喜欢咖啡"),
    ],
)
def test_paraphrase_is_alike(a: str, b: str) -> None:
    assert similarity(a, b) > 0.8


NEGATIONS = [
    ("The user eats meat.", "The user doesn't eat meat."),
    ("The user eats meat.", "The user no longer eats meat."),
    ("The user has been to Peru.", "The user has never been to Peru."),
    ("The user stopped running.", "The user started running."),
    ("The user likes jazz.", "The user dislikes jazz."),
    ("Der Nutzer trinkt Kaffee.", "Der Nutzer trinkt keinen Kaffee."),
    ("用户喜欢咖啡。", "用户不喜欢咖啡。"),
    ("ユーザーは肉を食べる。", "ユーザーは肉を食べない。"),
    ("Kullanıcı kahve içiyor.", "Kullanıcı kahve içmiyor."),  # noqa: RUF001 (Turkish)
    ("उपयोगकर्ता संगीत सीखता है।", "उपयोगकर्ता संगीत नहीं सीखता है।"),
]
NUMBERS = [
    ("The user has three cats.", "The user has 4 cats."),
    ("The user runs once a week.", "The user runs twice a week."),
    ("The user takes 2.5 mg of it at 7 am.", "The user takes 25 mg of it at 7 am."),
    ("The user flies on 12 May.", "The user flies on 21 May."),
    ("The user has two cats and three dogs.", "The user has three cats and two dogs."),
]
NAMES = [
    ("The user's sister lives in Rome.", "The user's brother lives in Rome."),
    ("The user met Jonas in May.", "The user met Joana in May."),
    ("The user works for Hale.", "The user works for Hall."),
    ("用户住在北京。", "用户住在上海。"),
]
ROLES = [
    ("Ana lent Ben the car.", "Ben lent Ana the car."),
    ("Ana taught Ben chess.", "Ana was taught chess by Ben."),
    ("The user's cousin owes him money.", "The user owes his cousin money."),
    ("The user eats before running.", "The user runs before eating."),
    ("The user moved from Hull to York.", "The user moved from York to Hull."),
    ("The user likes tea but not coffee.", "The user likes coffee but not tea."),
    ("他借给我钱。", "我借给他钱。"),
]
FACTS = [
    ("The user rides horses.", "The user rides horses and races them."),
    ("The user has a dog.", "The user has a black dog."),
    ("The user cycles to work.", "The user cycles to work only in summer."),
    ("The user wants to buy a boat.", "The user bought a boat."),
    ("The user plays guitar in a band.", "In a band, the user plays drums."),
]


@pytest.mark.parametrize(("a", "b"), [*NEGATIONS, *NUMBERS, *NAMES, *ROLES, *FACTS])
def test_another_statement_stays_within_the_conflict_cap(a: str, b: str) -> None:
    assert similarity(a, b) <= CONFLICT_FACTOR


@pytest.mark.parametrize("sentence", [b for pair in NUMBERS + NAMES for b in pair if b.isascii()])
def test_negating_any_sentence_stays_within_the_conflict_cap(sentence: str) -> None:
    assert similarity(sentence, f"It is not true that {sentence}") <= CONFLICT_FACTOR


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_two_numbers_are_one_statement_only_when_equal(m: int, n: int) -> None:
    score = similarity(f"The user saved {m} francs.", f"The user has saved {n} francs.")
    assert score == 1.0 if m == n else score <= CONFLICT_FACTOR
