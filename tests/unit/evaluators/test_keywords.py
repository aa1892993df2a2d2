"""keyword_check: terms as whole words, in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluators.keywords import keyword_check
from assay.metrics.text import NORMALISER


@pytest.mark.parametrize(
    ("term", "text", "passes"),
    [
        ("apple", "An Apple a day", True),
        ("APPLE", "apple.", True),
        ("apple", "pineapple", False),
        ("apple", "apples", False),
        ("apple", "apple_pie", False),
        ("apple", "apple2", False),
        ("apple", "(apple)", True),
        ("machine learning", "Machine\n  learning works", True),
        ("machine learning", "machine-learning", False),
        ("machine learning", "machine learnings", False),
        ("learning machine", "machine learning", False),
        ("C++", "We write C++ here", True),
        ("C++", "We write C", False),
        ("$5", "costs $5.", True),
        ("stra\u00dfe", "Die STRASSE", True),
        ("cafe", "cafe\u0301", False),  # the mark belongs to the e
        ("cafe\u0301", "caf\u00e9", False),
        ("寿司", "私は寿司が好き", True),
        ("すし", "おすしが", True),
        ("寿司", "私は司寿が好き", False),
        ("ข้าว", "ฉันกินข้าวเช้า", True),
        ("ข", "ข้าว", False),  # a letter without its tone mark
        ("नेपाल", "म नेपाल जान्छु", True),
        ("नेपाल", "नेपाली भाषा", False),
        ("प", "नेपाल", False),
        ("می", "می\u200cخواهم", False),  # noqa: RUF001 (a non-joiner inside a Persian word)
        ("дом", "домик", False),
        ("дом", "Старый ДОМ.", True),
        ("k", "中k文", True),
    ],
)
def test_a_term_is_found_as_a_whole_word(term: str, text: str, passes: bool) -> None:
    metric = keyword_check(text, term)
    assert (metric.passed, metric.score, metric.error) == (passes, float(passes), None)


def test_every_required_term_counts_and_the_score_is_their_share() -> None:
    metric = keyword_check("apple pie", None, {"required": ["apple", "pie", "cream", "tea"]})
    # 2 of 4
    assert (metric.score, metric.passed, metric.meta) == (0.5, False, {"missing": ["cream", "tea"]})


def test_required_comes_before_expected_and_expected_may_be_a_list() -> None:
    assert keyword_check("apple pie", "cream", {"required": ["apple"]}).passed
    assert keyword_check("apple pie", ["pie", "apple"]).passed
    assert not keyword_check("apple pie", ["pie", "cream"]).passed
    assert keyword_check("apple pie", {"pie", "apple"}).passed


@pytest.mark.parametrize("terms", [None, [], "", " ", ["a", ""], ["a", 1], 5, {"a": 1}])
def test_without_a_usable_term_it_cannot_run(terms: object) -> None:
    assert keyword_check("a", terms).error
    assert terms is None or keyword_check("a", "a", {"required": terms}).error


@pytest.mark.parametrize("actual", [None, 5, ["a"]])
def test_only_text_is_searched(actual: object) -> None:
    assert "actual: is not text" in (keyword_check(actual, "a").error or "")


def test_a_named_normaliser_joins_what_is_written_otherwise() -> None:
    assert keyword_check("ein cafe\u0301", "caf\u00e9", {"normaliser": "nfc/1"}).passed
    assert keyword_check("ＷＩＤＥ words", "wide", {"normaliser": NORMALISER}).passed  # noqa: RUF001 (full width is the case)


@given(st.lists(st.text(alphabet="abcde", min_size=1, max_size=4), min_size=1, max_size=6))
def test_every_word_of_a_text_is_found_in_it(words: list[str]) -> None:
    assert keyword_check(" ".join(words), words).passed


@given(st.text(alphabet="ab c", max_size=12), st.text(alphabet="abc", min_size=1, max_size=3))
def test_single_words_are_found_as_splitting_finds_them(text: str, term: str) -> None:
    assert keyword_check(text, term).passed is (term in text.split())
