"""The old search keeps its defects: that is what a control is for."""

from __future__ import annotations

import pytest

from assay.providers.retrieval.keyword import Keyword, keywords
from assay.providers.retrieval.ranking import Ranking, in_order
from tests.unit.providers.retrieval.small_corpus import corpus, document, ids, of_texts


def found(query: str, *texts: str) -> Ranking:
    return Keyword(of_texts(*texts)).search(query)


def test_what_matches_comes_newest_first_with_one_score() -> None:
    assert found("blue bicycle", "A blue bicycle.", "A red car.", "The sky is BLUE.") == (("d3", 0.5), ("d1", 0.5))


def test_equal_times_come_by_id() -> None:
    rows = corpus(document("b", "blue"), document("a", "blue"))
    assert ids(Keyword(rows).search("blue")) == ["a", "b"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What does Lena do after school?", ["lena", "after", "school"]),
        ("Which of the 3 routers is at No. 14?", ["routers"]),
        ("blue, blue BLUE", ["blue", "blue", "blue"]),
        ("Éclair au café", ["éclair", "café"]),
        ("is it on?", []),
        ("", []),
    ],
)
def test_keywords_are_words_of_three_letters_that_are_no_stop_words(query: str, words: list[str]) -> None:
    assert keywords(query) == words


def test_the_sixth_keyword_is_never_looked_at() -> None:
    texts = ["five", "six"]
    assert ids(found("one1 two2 three four five six", *texts)) == ["d1"]
    assert ids(found("six one1 two2 three four five", *texts)) == ["d2"]


def test_a_repeated_keyword_takes_the_place_of_another() -> None:
    assert found("aaa aaa aaa aaa aaa six", "six") == ()


def test_a_keyword_matches_inside_of_words_and_an_underscore_matches_anything() -> None:
    assert ids(found("cat", "Concatenation", "dog")) == ["d1"]
    assert ids(found("snake_case", "snake-case", "snake case", "snakecase")) == ["d2", "d1"]


def test_more_matches_do_not_help() -> None:
    assert ids(found("blue bicycle", "blue bicycle, blue bicycle", "blue")) == ["d2", "d1"]


def test_a_query_without_keywords_finds_nothing() -> None:
    assert found("Is it?", "It is.") == ()
    assert found("", "It is.") == ()


def test_without_a_query_it_is_the_filter() -> None:
    rows = corpus(document("a", day=1), document("b", day=2), document("c", day=3, content_type="goal"))
    assert Keyword(rows).search(None) == in_order(["c", "b", "a"])
    assert Keyword(rows).search(None, "goal") == in_order(["c"])


def test_a_content_type_is_searched_alone() -> None:
    rows = corpus(document("a", "blue"), document("b", "blue", content_type="goal"))
    assert Keyword(rows).search("blue", "goal") == (("b", 0.5),)


def test_a_dead_tokenizer_finds_nothing_at_all() -> None:
    assert Keyword(of_texts("blue", "red"), lambda query: []).search("blue red") == ()
