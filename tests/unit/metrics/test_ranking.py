"""One query's ranking: the arithmetic done by hand, and the rules for ties, short returns, nothing relevant and bad input."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.ranking import (
    average_precision,
    distance_of_means,
    ndcg_at,
    precision_at,
    ranked_by_score,
    recall_at,
    reciprocal_rank,
    separation,
    success_at,
)

RANKED = ("a", "b", "c", "d", "e", "f")
AT_CUTOFF = (recall_at, precision_at, success_at, reciprocal_rank, average_precision)
AtCutoff = Callable[[Sequence[str], Collection[str], int], float | None]
IDS = st.sampled_from("abcdefgh")
RANKINGS = st.lists(IDS, unique=True)
RELEVANT = st.frozensets(IDS)
CUTOFFS = st.integers(1, 10)
GAINS = st.dictionaries(IDS, st.integers(-1, 3))
SCORES = st.dictionaries(IDS, st.sampled_from((-1.5, -0.0, 0.0, 0.1, 0.25, 0.5)) | st.floats(-1e6, 1e6))


def ndcg_of_ones(ranked: Sequence[str], relevant: Collection[str], k: int) -> float | None:
    return ndcg_at(ranked, dict.fromkeys(relevant, 1), k)


ALL = (*AT_CUTOFF, ndcg_of_ones)
"""Every function of a ranking, relevant documents and a cutoff."""
GROWING = (recall_at, success_at, reciprocal_rank, average_precision)
"""Those that never fall when more of the ranking is looked at."""
FUNCTIONS = st.sampled_from(ALL)


def test_recall_and_precision_differ_where_fewer_are_relevant_than_asked_for() -> None:
    # One of two relevant documents among the first five: 1/2 of them, and 1/5 of the places.
    assert recall_at(RANKED, {"b", "f"}, 5) == 0.5
    assert precision_at(RANKED, {"b", "f"}, 5) == 0.2


def test_precision_divides_by_the_cutoff_where_fewer_came_back() -> None:
    # Two of two came back right, of five asked for: 2/5, not 2/2.
    assert precision_at(("a", "b"), {"a", "b", "c"}, 5) == 0.4


def test_recall_counts_what_stands_beyond_the_cutoff_as_not_found() -> None:
    assert recall_at(RANKED, {"a", "e", "f"}, 4) == 1 / 3


def test_reciprocal_rank_counts_from_one() -> None:
    assert reciprocal_rank(RANKED, {"c", "e"}) == 1 / 3
    assert reciprocal_rank(RANKED, {"a"}) == 1.0


def test_reciprocal_rank_is_zero_where_the_first_relevant_document_stands_beyond_the_cutoff() -> None:
    assert reciprocal_rank(RANKED, {"c"}, 2) == 0.0
    assert reciprocal_rank(RANKED, {"c"}, 3) == 1 / 3


def test_average_precision_takes_the_precision_at_each_relevant_document() -> None:
    # Relevant at ranks 1, 3 and 6, and one never returned: (1/1 + 2/3 + 3/6 + 0) / 4.
    assert average_precision(RANKED, {"a", "c", "f", "x"}) == pytest.approx((1 + 2 / 3 + 3 / 6) / 4)


def test_average_precision_at_a_cutoff_still_divides_by_all_that_is_relevant() -> None:
    # Only rank 1 stands within the first two: (1/1) / 4.
    assert average_precision(RANKED, {"a", "c", "f", "x"}, 2) == 0.25


def test_success_is_one_from_the_first_hit_on() -> None:
    assert (success_at(RANKED, {"c", "d"}, 2), success_at(RANKED, {"c", "d"}, 3)) == (0.0, 1.0)


def test_ndcg_divides_linear_gains_by_the_logarithm_of_the_rank() -> None:
    # Gains 1, 0, 3 at ranks 1, 2, 3: 1/log2(2) + 3/log2(4) = 1 + 1.5. Best order 3, 2, 1: 3 + 2/log2(3) + 1/2.
    gains = {"a": 1, "c": 3, "x": 2}
    assert ndcg_at(("a", "b", "c"), gains) == pytest.approx(2.5 / (3 + 2 / math.log2(3) + 0.5))


def test_ndcg_cuts_the_best_order_too() -> None:
    # At 1 the best is the single gain 3: 1/3.
    assert ndcg_at(("a", "b", "c"), {"a": 1, "c": 3, "x": 2}, 1) == pytest.approx(1 / 3)


def test_ndcg_takes_a_negative_gain_for_none() -> None:
    assert ndcg_at(("a", "b"), {"a": -2, "b": 1}) == ndcg_at(("a", "b"), {"b": 1}) == pytest.approx(1 / math.log2(3))


def test_separation_is_the_distance_of_the_mean_scores() -> None:
    # Relevant 0.75 and 0.25, others 0.5 and 0: 0.5 - 0.25.
    assert separation({"a": 0.75, "b": 0.5, "c": 0.25, "d": 0.0}, {"a", "c", "x"}) == 0.25


@pytest.mark.parametrize("score", [0.0, 0.1, 0.5, 1 / 3, -7.7, 1e300])
def test_equal_scores_separate_to_exactly_zero(score: float) -> None:
    assert separation(dict.fromkeys(RANKED, score), {"a", "b"}) == 0.0


@pytest.mark.parametrize("relevant", [set(), {"x"}, set(RANKED)], ids=["none", "none with a score", "all"])
def test_separation_needs_both_sides(relevant: set[str]) -> None:
    assert separation(dict.fromkeys(RANKED, 0.5), relevant) is None


@pytest.mark.parametrize("function", ALL)
def test_nothing_relevant_is_undefined(function: AtCutoff) -> None:
    assert function(RANKED, set(), 5) is None
    assert function((), set(), 5) is None


@pytest.mark.parametrize("function", ALL)
def test_nothing_returned_is_zero(function: AtCutoff) -> None:
    assert function((), {"a"}, 5) == 0.0


@pytest.mark.parametrize("function", ALL)
def test_document_that_stands_twice_is_refused(function: AtCutoff) -> None:
    with pytest.raises(ValueError, match=r"document 'b' stands twice in one ranking; expected each id once"):
        function(("a", "b", "c", "b"), {"a"}, 2)


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("k", [0, -1])
def test_cutoff_below_one_is_refused(function: AtCutoff, k: int) -> None:
    with pytest.raises(ValueError, match=rf"a cutoff of {k}; expected 1 or more"):
        function(RANKED, {"a"}, k)


@pytest.mark.parametrize("function", AT_CUTOFF)
def test_relevant_document_that_is_named_twice_counts_once(function: AtCutoff) -> None:
    assert function(RANKED, ["b", "f", "b"], 5) == function(RANKED, {"b", "f"}, 5)


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_scores_that_are_no_finite_numbers_are_refused(score: float) -> None:
    scores = {"a": 0.5, "b": score}
    for function in (ranked_by_score, lambda s: separation(s, {"a"})):
        with pytest.raises(ValueError, match=r"document 'b' has the score .*; expected a finite number"):
            function(scores)
    with pytest.raises(ValueError, match=r"document 'b' has the gain .*; expected a finite number"):
        ndcg_at(RANKED, scores)


def test_equal_scores_are_ordered_by_id() -> None:
    scores = {"b": 0.5, "c": 0.5, "a": 0.5, "d": 0.75, "e": 0.25}
    assert ranked_by_score(scores) == ("d", "a", "b", "c", "e")
    assert ranked_by_score(scores, "trec_eval") == ("d", "c", "b", "a", "e")


def test_ids_are_ordered_by_code_point() -> None:
    assert ranked_by_score(dict.fromkeys(("é", "z", "Z", "10", "9"), 1.0)) == ("10", "9", "Z", "z", "é")


def test_no_scores_are_an_empty_ranking() -> None:
    assert ranked_by_score({}) == ()


@settings(deadline=None)
@given(SCORES, st.sampled_from(("id-ascending", "trec_eval")))
def test_ranking_holds_every_id_once_by_falling_score(scores: dict[str, float], ties: str) -> None:
    ranked = ranked_by_score(scores, ties)
    assert sorted(ranked) == sorted(scores)
    assert [scores[document] for document in ranked] == sorted(scores.values(), reverse=True)


@settings(deadline=None)
@given(SCORES, st.randoms())
def test_order_of_the_scores_never_changes_ranking_or_separation(scores: dict[str, float], chance: random.Random) -> None:
    items = list(scores.items())
    chance.shuffle(items)
    relevant = set("abcd")
    assert ranked_by_score(dict(items)) == ranked_by_score(scores)
    assert separation(dict(items), relevant) == separation(scores, relevant)


@settings(deadline=None)
@given(function=FUNCTIONS, ranked=RANKINGS, relevant=RELEVANT, k=CUTOFFS)
def test_every_value_lies_between_zero_and_one(function: AtCutoff, ranked: list[str], relevant: frozenset[str], k: int) -> None:
    value = function(ranked, relevant, k)
    assert (value is None) == (not relevant)
    assert value is None or 0 <= value <= 1


@settings(deadline=None)
@given(function=FUNCTIONS, ranked=RANKINGS, relevant=RELEVANT, k=CUTOFFS, chance=st.randoms())
def test_names_of_the_documents_never_change_a_value(
    function: AtCutoff, ranked: list[str], relevant: frozenset[str], k: int, chance: random.Random
) -> None:
    names = list("abcdefgh")
    chance.shuffle(names)
    renamed = dict(zip("abcdefgh", names, strict=True))
    assert function([renamed[d] for d in ranked], {renamed[d] for d in relevant}, k) == function(ranked, relevant, k)


@settings(deadline=None)
@given(function=FUNCTIONS, ranked=RANKINGS, relevant=RELEVANT, k=CUTOFFS)
def test_relevant_document_that_moves_up_never_lowers_a_value(
    function: AtCutoff, ranked: list[str], relevant: frozenset[str], k: int
) -> None:
    for place, (above, below) in enumerate(pairwise(ranked)):
        if below in relevant and above not in relevant:
            moved = [*ranked[:place], below, above, *ranked[place + 2 :]]
            assert function(moved, relevant, k) >= function(ranked, relevant, k)


@settings(deadline=None)
@given(st.sampled_from(GROWING), RANKINGS, RELEVANT.filter(bool), CUTOFFS)
def test_longer_look_never_lowers_what_was_found(
    function: AtCutoff, ranked: list[str], relevant: frozenset[str], k: int
) -> None:
    assert function(ranked, relevant, k + 1) >= function(ranked, relevant, k)


@settings(deadline=None)
@given(st.sampled_from(GROWING), RANKINGS.filter(bool), RELEVANT)
def test_cutoff_at_the_end_looks_at_everything(function: AtCutoff, ranked: list[str], relevant: frozenset[str]) -> None:
    assert function(ranked, relevant, len(ranked)) == function(ranked, relevant, len(ranked) + 5)


@settings(deadline=None)
@given(ranked=RANKINGS, relevant=RELEVANT.filter(bool), k=CUTOFFS)
def test_hits_are_the_same_for_recall_and_precision(ranked: list[str], relevant: frozenset[str], k: int) -> None:
    hits = len(set(ranked[:k]) & relevant)
    assert recall_at(ranked, relevant, k) == hits / len(relevant)
    assert precision_at(ranked, relevant, k) == hits / k
    assert success_at(ranked, relevant, k) == (hits > 0)


@settings(deadline=None)
@given(gains=GAINS, k=CUTOFFS | st.none())
def test_ndcg_of_the_best_order_is_one(gains: dict[str, int], k: int | None) -> None:
    best = sorted(gains, key=lambda document: -gains[document])
    assert ndcg_at(best, gains, k) == (1.0 if any(gain > 0 for gain in gains.values()) else None)


@settings(deadline=None)
@given(ranked=RANKINGS, gains=GAINS, k=CUTOFFS)
def test_ndcg_does_not_change_when_all_gains_double(ranked: list[str], gains: dict[str, int], k: int) -> None:
    doubled = {document: 2 * gain for document, gain in gains.items()}
    assert ndcg_at(ranked, doubled, k) == ndcg_at(ranked, gains, k)


@settings(deadline=None)
@given(SCORES, RELEVANT, st.floats(0.5, 8))
def test_separation_turns_with_the_sides_and_grows_with_the_unit(
    scores: dict[str, float], relevant: frozenset[str], factor: float
) -> None:
    value = separation(scores, relevant)
    others = separation(scores, scores.keys() - relevant)
    scaled = separation({document: factor * score for document, score in scores.items()}, relevant)
    assert (value is None) == (others is None) == (scaled is None)
    if value is not None and others is not None:
        assert others == -value
        assert scaled == pytest.approx(factor * value, rel=1e-9, abs=1e-6)


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_distance_of_means_lies_within_the_range_of_the_numbers(left: list[float], right: list[float]) -> None:
    span = max(*left, *right) - min(*left, *right)
    assert abs(distance_of_means(left, right)) <= span * (1 + 1e-12)
