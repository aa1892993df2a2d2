"""Rounding and ties are the same for every search."""

from __future__ import annotations

from itertools import pairwise
from math import copysign, isfinite

from hypothesis import given
from hypothesis import strategies as st

from assay.providers.retrieval.ranking import by_score, in_order, newest_first, rounded
from tests.unit.providers.retrieval.small_corpus import corpus, document

SCORES = st.floats(-1e6, 1e6)


def test_scores_have_six_decimals() -> None:
    assert [rounded(score) for score in (0.1234564, 0.1234566, -0.1234566, 2.0)] == [0.123456, 0.123457, -0.123457, 2.0]


def test_there_is_no_negative_zero() -> None:
    assert copysign(1.0, rounded(-1e-9)) == 1.0


def test_equal_scores_come_by_id_and_what_rounds_to_the_same_is_equal() -> None:
    ranking = by_score([("b", 0.5000001), ("c", 0.9), ("a", 0.5)])
    assert ranking == (("c", 0.9), ("a", 0.5), ("b", 0.5))


def test_an_order_gets_scores_that_keep_it() -> None:
    assert in_order(["z", "a", "m", "b"]) == (("z", 1.0), ("a", 0.75), ("m", 0.5), ("b", 0.25))
    assert in_order([]) == ()


def test_without_a_query_the_newest_of_a_content_type_come_first() -> None:
    rows = corpus(document("a", day=1), document("b", day=3), document("c", day=2, content_type="goal"))
    assert newest_first(rows, None) == in_order(["b", "c", "a"])
    assert newest_first(rows, "fact") == in_order(["b", "a"])
    assert newest_first(rows, "none such") == ()


@given(st.dictionaries(st.text(), SCORES))
def test_a_ranking_holds_every_id_once_in_falling_order(scores: dict[str, float]) -> None:
    ranking = by_score(scores.items())
    assert sorted(name for name, _ in ranking) == sorted(scores)
    assert all((-a[1], a[0]) < (-b[1], b[0]) for a, b in pairwise(ranking))
    assert all(isfinite(score) for _, score in ranking)


@given(st.permutations([("a", 0.25), ("b", 0.25), ("c", 0.5), ("d", 0.2500004)]))
def test_a_ranking_does_not_depend_on_the_order_of_its_scores(scores: list[tuple[str, float]]) -> None:
    assert [name for name, _ in by_score(scores)] == ["c", "a", "b", "d"]


@given(st.integers(1, 6000))
def test_the_scores_of_an_order_fall_strictly(size: int) -> None:
    scores = [score for _, score in in_order([str(number) for number in range(size)])]
    assert scores == sorted(set(scores), reverse=True)
