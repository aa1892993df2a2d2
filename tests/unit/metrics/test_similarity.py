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
        ("The user is allergic to peanuts.", "The user has a peanut allergy."),
        ("The user studies medicine at Oxford.", "The user is a medical student at Oxford."),
        ("The user's appointment is on 5 May at 3 pm.", "The user has an appointment at 3 p.m. on May 5th."),
        ("The user gets up at 6:30.", "The user wakes up at half past six."),
        ("The user naps from one until quarter to three.", "The user naps from 1:00 to 2:45."),
        ("The user's mother died in 2010.", "The user's mum passed away in 2010."),
        ("The user replied to the offer on Monday.", "On Monday the user answered the offer."),
        ("The user has been sober for eighteen months.", "The user has been sober for the past 18 months."),
        ("The user is keen on jazz.", "The user likes jazz."),
        ("The user manages a hotel.", "The user is the manager of a hotel."),
        ("Ana lent Ben 200 euros.", "Ben was lent 200 euros by Ana."),
        ("The user got a complaint about noise from Ana.", "Ana complained to the user about noise."),
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
    ("The user never eats meat.", "The user rarely eats meat."),
    ("The user used to smoke.", "The user smokes."),
    ("L'utilisateur ne boit pas de lait.", "L'utilisateur boit du lait."),
    ("The user keeps sound off on the phone.", "The user keeps sound on on the phone."),
    ("The user drinks neither beer nor wine.", "The user drinks beer and wine."),
]
NUMBERS = [
    ("The user has three cats.", "The user has 4 cats."),
    ("The user runs once a week.", "The user runs twice a week."),
    ("The user takes 2.5 mg of it at 7 am.", "The user takes 25 mg of it at 7 am."),
    ("The user flies on 12 May.", "The user flies on 21 May."),
    ("The user has two cats and three dogs.", "The user has three cats and two dogs."),
    ("The user swims twice a week.", "The user swims every two weeks."),
    ("The user's shift is from 9 to 5.", "The user's shift is from 5 to 9."),
    ("The user's exam is on 03/12.", "The user's exam is on 12/03."),
    ("The user takes one pill twice a day.", "The user takes two pills once a day."),
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
    ("The user flies to Rome.", "The user flies from Rome."),
    ("The user was paid 200 francs.", "The user paid 200 francs."),
    ("Ana is the user's manager.", "The user is the manager of Ana."),
    ("The dog chased a cat.", "The cat chased a dog."),
    ("The dog was chased by a cat.", "The dog chased a cat."),
    ("L'utilisateur aide son voisin.", "Son voisin aide l'utilisateur."),
    ("ユーザーは姉に本を貸した。", "姉がユーザーに本を貸した。"),
]
FACTS = [
    ("The user rides horses.", "The user rides horses and races them."),
    ("The user has a dog.", "The user has a black dog."),
    ("The user cycles to work.", "The user cycles to work only in summer."),
    ("The user wants to buy a boat.", "The user bought a boat."),
    ("The user plays guitar in a band.", "In a band, the user plays drums."),
]


REWORDED = [
    ("The user gave up dairy two years ago.", "Two years ago the user began eating dairy."),
    ("The user does not need glasses to read.", "For reading, the user requires glasses."),
    ("The user is in favour of the new stadium.", "The user opposes the new stadium."),
    ("The user's application was turned down.", "The user's application has been accepted."),
    ("The user got the job at the bank.", "The user was not given the job at the bank."),
    ("The user started taking statins.", "The user came off statins."),
    ("The user doesn't smoke and doesn't drink.", "The user smokes and drinks."),
    ("The user has a 9-year-old son.", "The user's son is nineteen."),
    ("The user wakes up at quarter past seven.", "Gets up at 7:45."),
    ("The user visits the physio once a week.", "The user goes to the physio every month."),
    ("The user moved to Wales in 2009.", "The user has lived in Wales since 2019."),
    ("The user's shift starts at 6 am.", "The user starts a shift at 6 pm."),
    ("The user drives a Volvo to work.", "The user goes to work in a Honda."),
    ("The user's sister is employed as a vet.", "The user's sister works as a baker."),
    ("Each Sunday the user phones her mum.", "The user calls her father every Sunday."),
    ("The user keeps rabbits in the garden.", "In the garden the user has hens."),
    ("The user lives with her sister.", "The user works with her sister."),
    ("In May the user was sold a van by Piotr.", "The user sold Piotr a van in May."),
    ("The user's niece was taught to drive by the user.", "The user's niece taught the user how to drive."),
    ("For the podcast, the user interviewed Dana.", "The user was interviewed by Dana for the podcast."),
    ("The user switched to Firefox from Chrome.", "The user replaced Firefox with Chrome."),
    ("The user teaches Ines piano in return for Thai lessons.", "Ines gets Thai lessons for teaching the user piano."),
    ("The user teaches Eva Thai in return for Czech lessons.", "The user takes Thai lessons from Eva for teaching Czech."),
    ("Before he had kids, the user got married.", "The user married after having children."),
    ("The user is taller than his brother.", "The user's brother is taller than him."),
    ("The user likes the book more than the film.", "The user likes the film more than the book."),
    ("Der Nutzer hat seinem Bruder das Auto verkauft.", "Sein Bruder hat dem Nutzer das Auto verkauft."),
    ("The user read the letter before calling the bank.", "The user called the bank before reading the letter."),
    ("The user's sister pays the user's rent.", "The user pays his sister's rent."),
    ("The user is the tenant of Mrs Kowalski.", "Mrs Kowalski is the user's tenant."),
    ("The user left Madrid for Porto in 2011.", "In 2011 the user moved from Porto to Madrid."),
    ("The user got a loan from his uncle.", "The user's uncle got a loan from him."),
    ("The user bikes to work in summer and drives in winter.", "The user cycles to work."),
    ("The user would buy a house if prices fell.", "The user bought a house."),
    ("The user's bike was bought in Kent.", "The user needs a new bike."),
]


@pytest.mark.parametrize(("a", "b"), [*NEGATIONS, *NUMBERS, *NAMES, *ROLES, *FACTS, *REWORDED])
def test_another_statement_stays_within_the_conflict_cap(a: str, b: str) -> None:
    assert similarity(a, b) <= CONFLICT_FACTOR


@pytest.mark.parametrize("sentence", [b for pair in NUMBERS + NAMES for b in pair if b.isascii()])
def test_negating_any_sentence_stays_within_the_conflict_cap(sentence: str) -> None:
    assert similarity(sentence, f"It is not true that {sentence}") <= CONFLICT_FACTOR


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_two_numbers_are_one_statement_only_when_equal(m: int, n: int) -> None:
    score = similarity(f"The user saved {m} francs.", f"The user has saved {n} francs.")
    assert score == 1.0 if m == n else score <= CONFLICT_FACTOR
