"""Many queries at once come to the same rows, to the last bit, as the plain functions do one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.ranking import Ties
from assay.metrics.ranking_batch import evaluate, evaluate_arrays
from assay.metrics.ranking_measures import RankingMeasure, rows_of

TEXTS = (
    "R@1",
    "R@3",
    "P@3",
    "RR",
    "RR@2",
    "nDCG",
    "nDCG@3",
    "AP",
    "AP@2",
    "Success@2",
    "R(rel=2)@3",
    "AP(rel=2)",
    "separation",
)
MEASURES = [RankingMeasure.parse(text) for text in (*TEXTS, "separation(rel=2)")]
TIES = st.sampled_from(("id-ascending", "trec_eval"))
SCORE = st.sampled_from((-2.0, -0.0, 0.0, 0.1, 0.5, 0.5 + 2**-53, 1e300, -1e300, 5e-324)) | st.floats(-1e6, 1e6)
IDS = st.sampled_from("abcdefghi")
QUERIES = st.sampled_from(("q1", "q2", "q3", "q4"))
QRELS = st.dictionaries(QUERIES, st.dictionaries(IDS, st.integers(-1, 3)))
RUNS = st.dictionaries(QUERIES, st.dictionaries(IDS, SCORE))


@settings(deadline=None, max_examples=100)
@given(QRELS, RUNS, TIES)
def test_rows_and_means_are_those_of_the_plain_functions(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], ties: Ties
) -> None:
    plain, found = rows_of(MEASURES, qrels, run, ties=ties), evaluate(MEASURES, qrels, run, ties=ties)
    assert {measure: found.rows(measure) for measure in MEASURES} == plain
    assert {measure: found.mean(measure) for measure in MEASURES} == {m: m.aggregate(plain[m]) for m in MEASURES}


@settings(deadline=None, max_examples=50)
@given(QRELS, RUNS, st.randoms())
def test_order_of_queries_and_documents_never_changes_a_bit(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], chance: random.Random
) -> None:
    def shuffled(table: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        queries = list(table)
        chance.shuffle(queries)
        return {query: dict(reversed(table[query].items())) for query in queries}

    found, other = evaluate(MEASURES, qrels, run), evaluate(MEASURES, shuffled(qrels), shuffled(run))
    assert found.queries == other.queries
    assert [found.rows(measure) for measure in MEASURES] == [other.rows(measure) for measure in MEASURES]


@settings(deadline=None, max_examples=100)
@given(st.data(), st.integers(0, 4), st.integers(0, 9), TIES)
def test_arrays_give_what_dictionaries_of_their_numbers_give(
    data: st.DataObject, queries: int, documents: int, ties: Ties
) -> None:
    size = queries * documents
    scores = np.array(data.draw(st.lists(SCORE, min_size=size, max_size=size)), np.float64).reshape(queries, documents)
    gains = data.draw(st.lists(st.integers(-1, 3), min_size=size, max_size=size))
    relevance = np.array(gains, np.int64).reshape(queries, documents)
    found = evaluate_arrays(MEASURES, scores=scores, relevance=relevance, ties=ties)
    qrels = {str(q): {str(d): int(relevance[q, d]) for d in range(documents)} for q in range(queries)}
    run = {str(q): {str(d): float(scores[q, d]) for d in range(documents)} for q in range(queries)}
    expected = rows_of(MEASURES, qrels, run, ties=ties)
    values = {m: [None if np.isnan(value) else value for value in found[m].tolist()] for m in MEASURES}
    assert values == {measure: [row.value for row in expected[measure]] for measure in MEASURES}


def test_long_and_short_answers_are_evaluated_together() -> None:
    # Every length from 0 to 40; the only relevant document has the lowest score, so that its rank is the length.
    run = {f"q{n:02}": {f"d{i:02}": float(-i) for i in range(n)} for n in range(41)}
    qrels = {query: {f"d{max(len(scores) - 1, 0):02}": 1} for query, scores in run.items()}
    measure = RankingMeasure("RR")
    assert evaluate([measure], qrels, run).values[measure].tolist() == [0.0, *(1 / n for n in range(1, 41))]


def test_scores_that_differ_in_the_last_bit_are_in_order() -> None:
    higher = np.nextafter(0.5, 1.0)
    scores = np.array([[0.5, higher, 0.5, np.nextafter(higher, 1.0)]])
    measure = RankingMeasure("RR")
    for column, rank in enumerate((3, 2, 4, 1)):
        relevance = np.zeros((1, 4), np.int64)
        relevance[0, column] = 1
        assert evaluate_arrays([measure], scores=scores, relevance=relevance)[measure].tolist() == [1 / rank]


def test_more_rows_than_are_ordered_at_a_time_stay_in_order() -> None:
    chance = np.random.default_rng(0)
    scores, relevance = chance.random((3, 60_000)).astype(np.float32), chance.random((3, 60_000)) < 0.001
    measures = [RankingMeasure.parse(text) for text in ("AP", "nDCG@100", "RR")]
    found = evaluate_arrays(measures, scores=scores, relevance=relevance)
    for q in range(3):
        ranks = 1 + np.flatnonzero(relevance[q][np.argsort(-scores[q], kind="stable")])
        assert found[measures[0]][q] == pytest.approx(np.mean(np.arange(1, len(ranks) + 1) / ranks), rel=1e-12)
        assert found[measures[2]][q] == 1 / ranks[0]


def test_each_measure_is_there_once() -> None:
    measure = RankingMeasure("RR")
    assert list(evaluate([measure, measure], {}, {}).values) == [measure]
    assert list(evaluate_arrays([measure, measure], scores=np.zeros((0, 3)), relevance=np.zeros((0, 3), np.int64))) == [measure]


def test_nothing_to_evaluate_is_undefined() -> None:
    measure = RankingMeasure("R", 5)
    mean = evaluate([measure], {}, {}).mean(measure)
    assert (mean.value, mean.n, mean.reason) == (None, 0, "no query")


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_scores_that_are_no_finite_numbers_are_refused(score: float) -> None:
    measures = [RankingMeasure("RR")]
    with pytest.raises(ValueError, match=r"document 'b' has the score .*; expected a finite number"):
        evaluate(measures, {"q": {"a": 1}}, {"q": {"a": 0.5, "b": score}})
    with pytest.raises(ValueError, match=r"document 1 has the score .* for query 0; expected a finite number"):
        evaluate_arrays(measures, scores=np.array([[0.5, score]]), relevance=np.array([[1, 0]]))


@pytest.mark.parametrize(("scores", "relevance"), [((2, 3), (3, 2)), ((2, 3), (2, 4)), ((3,), (3,)), ((1, 2, 3), (1, 2, 3))])
def test_arrays_of_other_shapes_are_refused(scores: tuple[int, ...], relevance: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"expected one shape \(queries, documents\)"):
        evaluate_arrays([RankingMeasure("RR")], scores=np.zeros(scores), relevance=np.zeros(relevance, np.int64))


def test_arrays_that_were_passed_in_are_left_as_they_were() -> None:
    scores, relevance = np.array([[0.5, 0.25, 0.5]]), np.array([[0, 1, 1]])
    copies = scores.copy(), relevance.copy()
    evaluate_arrays(MEASURES, scores=scores, relevance=relevance)
    assert (scores == copies[0]).all()
    assert (relevance == copies[1]).all()
