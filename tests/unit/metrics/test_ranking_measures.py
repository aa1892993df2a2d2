"""Measures print and parse as ir_measures writes them, refuse what makes no sense, and give each query a value or a reason."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.ranking_means import MISSING, QueryValue
from assay.metrics.ranking_measures import NAMES, NEEDS_CUTOFF, STANDARD, UNJUDGED, Formulas, RankingMeasure, rows_of

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 0, "b": -1}, "q3": {"b": 1}}
RUN = {"q1": {"a": 0.5, "b": 0.75, "c": 0.25}, "q2": {"a": 0.5}, "q4": {"a": 0.5}}
WHY = "no relevant document"
CUTOFFS, LEVELS = st.integers(1, 10**6), st.integers(1, 9)
MEASURES = st.one_of(
    st.builds(RankingMeasure, st.sampled_from(("R", "P", "Success")), CUTOFFS, LEVELS),
    st.builds(RankingMeasure, st.sampled_from(("RR", "AP")), st.none() | CUTOFFS, LEVELS),
    st.builds(RankingMeasure, st.just("nDCG"), st.none() | CUTOFFS),
    st.builds(RankingMeasure, st.just("separation"), st.none(), LEVELS),
)
WRITTEN = ("R@5", "P@5", "RR", "RR@10", "nDCG@10", "nDCG", "AP", "AP@100", "Success@5", "P(rel=2)@5", "AP(rel=3)", "separation")
OTHERS = ("set_P", "relative_P_5", "P_avgjg_5", "ndcg_rel", "ndcg_1=3,2=9", "recall", "map_5", "num_q", "gm_map", "")


def rows(text: str, **options: Any) -> list[tuple[Any, ...]]:
    measure = RankingMeasure.parse(text)
    return [tuple(row) for row in rows_of([measure], QRELS, RUN, **options)[measure]]


@pytest.mark.parametrize(
    "text",
    ["R@5", "P@5", "RR", "RR@10", "nDCG@10", "nDCG", "AP", "AP@100", "Success@5", "P(rel=2)@5", "AP(rel=3)", "separation"],
)
def test_measure_prints_as_it_is_written(text: str) -> None:
    assert str(RankingMeasure.parse(text)) == text


@pytest.mark.parametrize(
    ("plain", "printed"),
    [
        ("recall@5", "R@5"),
        ("precision@5", "P@5"),
        ("mrr", "RR"),
        ("MRR@10", "RR@10"),
        ("ndcg@10", "nDCG@10"),
        ("NDCG", "nDCG"),
        ("map", "AP"),
        ("MAP@100", "AP@100"),
        ("success@5", "Success@5"),
        ("Recall(rel=2)@20", "R(rel=2)@20"),
        ("P(rel=1)@5", "P@5"),
        (" rr ", "RR"),
    ],
)
def test_plain_words_name_the_same_measures(plain: str, printed: str) -> None:
    assert str(RankingMeasure.parse(plain)) == printed


@settings(deadline=None)
@given(MEASURES)
def test_what_is_printed_parses_to_the_same_measure(measure: RankingMeasure) -> None:
    assert RankingMeasure.parse(str(measure)) == measure


KNOWN = (
    "expected one of R@5, P@5, RR, nDCG, AP, Success@5, separation, in plain words recall@5, precision@5, mrr, map; "
    "RR, nDCG and AP take a cutoff too, such as nDCG@10."
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndgc@10", f"unknown measure 'ndgc@10'; {KNOWN} Did you mean 'ndcg@10'?"),
        ("recal@5", f"unknown measure 'recal@5'; {KNOWN} Did you mean 'recall@5'?"),
        ("recall5", f"unknown measure 'recall5'; {KNOWN} Did you mean 'recall'?"),
        ("zebra", f"unknown measure 'zebra'; {KNOWN}"),
        ("", f"unknown measure ''; {KNOWN}"),
        ("R@five", f"unknown measure 'R@five'; {KNOWN} Did you mean 'r@five'?"),
        ("R", "R has no cutoff; expected one such as R@5"),
        ("precision", "P has no cutoff; expected one such as P@5"),
        ("R@0", "R has the cutoff 0; expected 1 or more"),
        ("separation@5", "separation has the cutoff 5; expected none: it looks at the full ranking"),
        ("P(rel=0)@5", "P with rel=0; expected 1 or more, and for nDCG, which takes every gain, none"),
        ("nDCG(rel=2)@5", "nDCG with rel=2; expected 1 or more, and for nDCG, which takes every gain, none"),
    ],
)
def test_bad_spelling_lists_what_is_known_and_the_nearest(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="expected") as raised:
        RankingMeasure.parse(text)
    assert str(raised.value) == message


@settings(deadline=None)
@given(st.text(max_size=12))
def test_any_text_is_a_measure_or_a_value_error(text: str) -> None:
    try:
        measure = RankingMeasure.parse(text)
    except ValueError:
        return
    assert measure.name in NAMES
    assert (measure.k is not None) or measure.name not in NEEDS_CUTOFF


def test_digits_of_other_scripts_are_no_cutoff() -> None:
    with pytest.raises(ValueError, match="unknown measure"):
        RankingMeasure.parse("R@\u0665")


def test_measures_are_values() -> None:
    measure = RankingMeasure("R", 5)
    assert {measure: 1}[RankingMeasure.parse("recall@5")] == 1
    with pytest.raises(FrozenInstanceError):
        measure.k = 6  # type: ignore[misc]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("recall_5", "R@5"),
        ("P_10", "P@10"),
        ("recip_rank", "RR"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("success_1", "Success@1"),
    ],
)
def test_names_of_trec_eval_are_known(theirs: str, ours: str) -> None:
    assert str(RankingMeasure.from_trec_eval(theirs)) == ours


@pytest.mark.parametrize("name", OTHERS)
def test_other_measures_of_trec_eval_are_none_of_ours(name: str) -> None:
    assert RankingMeasure.from_trec_eval(name) is None


def test_level_of_trec_eval_goes_to_all_but_ndcg() -> None:
    assert str(RankingMeasure.from_trec_eval("P_5", 2)) == "P(rel=2)@5"
    assert str(RankingMeasure.from_trec_eval("ndcg_cut_5", 2)) == "nDCG@5"


def test_every_query_has_a_row_with_its_value_or_its_reason() -> None:
    # q1: ranked b, a, c. a and c are relevant: 1 of 2 within the first two.
    assert rows("R@2") == [("q1", 0.5, None), ("q2", None, WHY), ("q3", 0.0, MISSING), ("q4", None, UNJUDGED)]
    assert rows("RR") == [("q1", 0.5, None), ("q2", None, WHY), ("q3", 0.0, MISSING), ("q4", None, UNJUDGED)]


def test_level_decides_what_is_relevant() -> None:
    reason = "no document is judged 2 or more"
    assert rows("R(rel=2)@3") == [("q1", 1.0, None), ("q2", None, reason), ("q3", None, reason), ("q4", None, UNJUDGED)]


def test_separation_says_which_side_is_empty() -> None:
    # q1: (0.5 + 0.25) / 2 - 0.75. q3 has no score at all.
    assert rows("separation") == [("q1", -0.375, None), ("q2", None, WHY), ("q3", None, MISSING), ("q4", None, UNJUDGED)]
    measure = RankingMeasure("separation")
    assert measure.row("q", {"a": 1}, {"a": 0.5}) == QueryValue("q", None, "every scored document is relevant")
    assert measure.row("q", {"a": 1}, {"b": 0.5}) == QueryValue("q", None, "no relevant document has a score")


def test_query_that_returned_nothing_is_not_missing() -> None:
    assert RankingMeasure("R", 5).row("q", {"a": 1}, {}) == QueryValue("q", 0.0)


def test_ties_are_ordered_as_asked() -> None:
    measure, qrels, run = RankingMeasure("RR"), {"q": {"b": 1}}, {"q": {"a": 0.5, "b": 0.5, "c": 0.5}}
    assert rows_of([measure], qrels, run)[measure] == (QueryValue("q", 0.5),)
    assert rows_of([measure], qrels, run, ties="trec_eval")[measure] == (QueryValue("q", 0.5),)
    assert rows_of([measure], {"q": {"c": 1}}, run, ties="trec_eval")[measure] == (QueryValue("q", 1.0),)
    assert rows_of([measure], {"q": {"c": 1}}, run)[measure] == (QueryValue("q", 1 / 3),)


def test_mean_of_a_measure_shows_what_it_runs_over() -> None:
    measure = RankingMeasure("R", 2)
    mean = measure.aggregate(rows_of([measure], QRELS, RUN)[measure])
    assert (mean.value, mean.n, mean.missing, mean.left_out) == (0.25, 2, ("q3",), {"q2": WHY, "q4": UNJUDGED})


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_scores_that_are_no_finite_numbers_are_refused(score: float) -> None:
    with pytest.raises(ValueError, match="document 'a' has the score"):
        rows_of([RankingMeasure("RR")], {"q": {"a": 1}}, {"q": {"a": score}})


def _nothing(*_: object) -> float:
    return -1.0


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("R@5", "recall"),
        ("P@5", "precision"),
        ("Success@5", "success"),
        ("RR", "reciprocal_rank"),
        ("AP", "average_precision"),
        ("nDCG@5", "ndcg"),
        ("separation", "separation"),
    ],
)
def test_each_formula_can_be_replaced_on_its_own(text: str, name: str) -> None:
    changed: dict[str, Callable[..., float]] = {name: _nothing}
    measures = [RankingMeasure.parse(each) for each in ("R@5", "P@5", "Success@5", "RR", "AP", "nDCG@5", "separation")]
    right, wrong = rows_of(measures, QRELS, RUN), rows_of(measures, QRELS, RUN, formulas=replace(STANDARD, **changed))
    assert {str(measure) for measure in measures if right[measure] != wrong[measure]} == {text}
    assert {row.value for row in wrong[RankingMeasure.parse(text)]} == {-1.0}


def test_order_can_be_replaced_on_its_own() -> None:
    backwards = Formulas(ranked=lambda scores, _: tuple(sorted(scores, key=lambda document: scores[document])))
    # q1 from the worst: c, a, b.
    assert rows("RR", formulas=backwards)[0] == ("q1", 1.0, None)


def test_one_query_needs_no_numpy() -> None:
    script = (
        "import sys, assay.metrics.ranking_batch\n"
        "from assay.metrics.ranking_measures import RankingMeasure\n"
        "assert RankingMeasure.parse('ndcg@5').row('q', {'a': 1}, {'a': 0.5}).value == 1.0\n"
        "assert 'numpy' not in sys.modules, 'numpy was imported'\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
