"""BM25 by hand, against a second implementation written from the formula, and against its own properties.

The ranking of the 300 test queries of SciFact was the same as that of bm25s 0.3.16 (`method="lucene"`), all scores within 5e-7.
"""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.providers.retrieval.bm25 import BM25, tokens
from assay.providers.retrieval.ranking import in_order
from tests.unit.providers.retrieval.small_corpus import corpus, document, ids, of_texts

WORDS = st.sampled_from(["aa", "bb", "cc", "dd", "ee"])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=6)


def test_scores_by_hand() -> None:
    # 3 documents of 2, 4 and 3 words: mean 3. "cat" is in d1 once and in d2 twice: n = 2.
    # idf = ln(1 + (3 - 2 + 0.5) / (2 + 0.5)) = ln(1.6) = 0.470004
    # d1: 1 / (1 + 1.5 * (0.25 + 0.75 * 2 / 3)) = 1 / 2.125 = 0.470588;  0.470004 * 0.470588 = 0.221178
    # d2: 2 / (2 + 1.5 * (0.25 + 0.75 * 4 / 3)) = 2 / 3.875 = 0.516129;  0.470004 * 0.516129 = 0.242583
    found = BM25(of_texts("cat dog", "cat cat cow dog", "cow dog dog")).search("cat")
    assert found == (("d2", 0.242583), ("d1", 0.221178), ("d3", 0.0))


def test_a_repeated_word_counts_twice_and_an_unknown_one_nothing() -> None:
    search = BM25(of_texts("cat dog", "cow dog")).search
    once, twice = dict(search("cat")), dict(search("cat cat yeti"))
    assert twice["d1"] == pytest.approx(2 * once["d1"], abs=1e-6)
    assert ids(search("yeti")) == ["d1", "d2"]
    assert set(dict(search("yeti")).values()) == {0.0}


def test_words_are_what_they_are() -> None:
    assert tokens("A Cat's 3 cats, C++ and 42 snake_case: ÉCLAIRS!") == ["cat", "cats", "and", "42", "snake_case", "éclairs"]
    assert dict(BM25(of_texts("running")).search("run")) == {"d1": 0.0}


def test_without_a_query_it_is_the_filter() -> None:
    rows = corpus(document("a", day=1), document("b", day=2), document("c", day=3, content_type="goal"))
    assert BM25(rows).search(None, "fact") == in_order(["b", "a"])


def test_a_content_type_is_ranked_alone_by_the_weights_of_the_whole_corpus() -> None:
    rows = corpus(document("a", "cat dog"), document("b", "cat", content_type="goal"), document("c", "dog"))
    whole = BM25(rows).search("cat")
    assert BM25(rows).search("cat", "fact") == tuple(found for found in whole if found[0] != "b")


def test_an_empty_corpus_and_one_without_words_have_nothing_to_say() -> None:
    assert BM25(corpus()).search("cat") == ()
    assert BM25(of_texts("a", "?")).search("a") == (("d1", 0.0), ("d2", 0.0))


def reference(query: list[str], texts: list[list[str]]) -> list[float]:
    """Document by document, from the formula, without an index."""
    mean = sum(map(len, texts)) / len(texts)
    scores = []
    for text in texts:
        total = 0.0
        for word in query:
            n = sum(word in other for other in texts)
            tf = text.count(word)
            total += log(1 + (len(texts) - n + 0.5) / (n + 0.5)) * tf / (tf + 1.5 * (1 - 0.75 + 0.75 * len(text) / mean))
        scores.append(total)
    return scores


@given(TEXTS, st.lists(WORDS, max_size=5))
def test_scores_are_those_of_the_formula(texts: list[str], query: list[str]) -> None:
    found = dict(BM25(of_texts(*texts)).search(" ".join(query)))
    wanted = reference(query, [text.split() for text in texts])
    assert [found[f"d{number}"] for number in range(1, len(texts) + 1)] == pytest.approx(wanted, abs=1e-6)


@given(TEXTS, st.lists(WORDS, min_size=1, max_size=5), WORDS)
def test_another_word_never_lowers_a_score(texts: list[str], query: list[str], more: str) -> None:
    search = BM25(of_texts(*texts)).search
    less, after = dict(search(" ".join(query))), dict(search(" ".join([*query, more])))
    assert all(after[name] >= score for name, score in less.items())
