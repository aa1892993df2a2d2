"""What a ranking counts for, worked by hand: in the means, outside them, and when there is none."""

from __future__ import annotations

from math import log2
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.exchange import Failure, Outcome
from assay.model.score import CaseScore
from assay.model.verdict import Metric
from assay.scoring import metrics_of
from assay.suites.retrieval.scoring import LEFT_OUT, TOP_SCORE, measures, scorer
from tests.builders import reply
from tests.unit.suites.retrieval.small import AT_TWO, TEXTS, case, cases, ranking

LIVE = ("recall@2", "precision@2", "mrr", "separation", "ndcg@2", "map", "success@2")


def scored(name: str, *outcomes: Outcome, **options: Any) -> CaseScore:
    return scorer({}, {**AT_TWO, **options})(case(name), outcomes)


def value(row: CaseScore, name: str) -> float | None:
    """The measure on this case; None where it adds nothing to it."""
    return row.counts[name] if row.counts.get(f"{name} of") else None


def measured(*rows: CaseScore, **options: Any) -> dict[str, Metric]:
    return metrics_of(rows, measures({**AT_TWO, **options}))


def test_a_live_query_counts_in_every_measure() -> None:
    # Relevant a and e at ranks 2 and 4 of a cutoff of 2: recall 1/2, precision 1/2, first at rank 2, AP (1/2 + 2/4) / 2.
    # nDCG: gain at rank 2, 1/log2(3), over the ideal 1 + 1/log2(3). Separation: (0.9 + 0.7) / 2 - (1.0 + 0.8) / 2 = -0.1.
    row = scored("q2", ranking("c", "a", "d", "e"))
    assert {name: value(row, name) for name in LIVE} == pytest.approx(
        {
            "recall@2": 0.5,
            "precision@2": 0.5,
            "mrr": 0.5,
            "separation": -0.1,
            "ndcg@2": (1 / log2(3)) / (1 + 1 / log2(3)),
            "map": 0.5,
            "success@2": 1.0,
        }
    )
    assert row.counts["separation_squared"] == pytest.approx(0.01)
    assert (row.status, row.passed, row.score, row.left_out, row.reason) == ("scored", False, 0.5, None, None)


def test_all_that_answers_within_the_cutoff_passes() -> None:
    row = scored("q2", ranking("e", "a", "c"))
    assert (row.passed, row.score, row.detail["difference"]) == (True, 1.0, [])


def test_the_order_is_the_ranking_whatever_the_scores() -> None:
    row = scored("q1", ranking("a", "b", scores=[0.1, 0.9]))
    assert (value(row, "mrr"), value(row, "success@2")) == (0.5, 1.0)


def test_a_short_return_divides_by_the_cutoff() -> None:
    assert value(scored("q1", ranking("b")), "precision@2") == 0.5


def test_an_empty_ranking_finds_nothing_and_separates_nothing() -> None:
    row = scored("q2", ranking())
    found = {name: value(row, name) for name in LIVE}
    assert found == {**dict.fromkeys(LIVE, 0.0), "separation": None}
    assert (row.status, row.passed) == ("scored", False)


def test_where_every_returned_document_is_relevant_separation_is_undefined() -> None:
    assert value(scored("q1", ranking("b")), "separation") is None


@pytest.mark.parametrize(
    ("outcomes", "status", "reason"),
    [
        ((), "missing", "no recorded ranking"),
        ((Failure(reason="timed out", attempts=3),), "unanswered", "no answer: timed out"),
        ((reply(text=""),), "malformed", "is not JSON"),
        ((reply(text="{"),), "malformed", "is not JSON"),
        ((reply(text="[]"),), "malformed", "Input should be"),
        ((reply(text="{}"),), "malformed", "ranking: Field required"),
        ((reply(text='{"ranking": [["a"]]}'),), "malformed", "ranking.0.1: Field required"),
        ((reply(text='{"ranking": [["a", NaN]]}'),), "malformed", "ranking.0.1: Input should be a finite number"),
        ((reply(text='{"ranking": [["a", 1e999]]}'),), "malformed", "ranking.0.1: Input should be a finite number"),
        ((reply(text='{"ranking": [["a", "much"]]}'),), "malformed", "ranking.0.1: Input should be a valid number"),
        ((reply(text='{"ranking": [], "note": 1}'),), "malformed", "note: Extra inputs are not permitted"),
        ((ranking("a", "b", "a"),), "malformed", "1 documents stand twice in the ranking"),
    ],
)
def test_a_query_without_a_ranking_counts_0_in_every_mean_and_says_why(
    outcomes: tuple[Outcome, ...], status: str, reason: str
) -> None:
    row = scored("q2", *outcomes)
    assert (row.status, row.passed, row.score) == (status, False, 0.0)
    assert reason in (row.reason or "")
    assert {name: value(row, name) for name in LIVE} == dict.fromkeys(LIVE, 0.0)


def test_a_missing_query_pulls_the_mean_down_instead_of_leaving_it() -> None:
    found = measured(scored("q1", ranking("b", "a")), scored("q2"))
    assert (found["recall@2"].value, found["recall@2"].n) == (0.5, 2)


def test_a_query_without_a_value_leaves_the_mean_and_n_shows_it() -> None:
    # q1: 1.0 - 0.9 = 0.1; q2 returned nothing that answers it.
    found = measured(scored("q1", ranking("b", "a")), scored("q2", ranking("c")))["separation"]
    assert (found.value, found.n) == (pytest.approx(0.1), 1)


@pytest.mark.parametrize(("grade", "name"), [("known_failure", "q3"), ("retired", "q5")])
def test_a_query_outside_the_means_has_a_measure_of_its_own(grade: str, name: str) -> None:
    row = scored(name, ranking("b", "f"))
    assert {key for key in row.counts if not key.endswith(" of")} == {f"{grade}_recall@2"}
    assert row.left_out == LEFT_OUT[grade]
    found = measured(row)
    assert found[f"{grade}_recall@2"].value == {"q3": 1.0, "q5": 0.5}[name]
    assert {found[measure].value for measure in LIVE} == {None}


@pytest.mark.parametrize("name", ["q3", "q5"])
def test_a_query_outside_the_means_that_went_missing_counts_0_in_its_own(name: str) -> None:
    grade = {"q3": "known_failure", "q5": "retired"}[name]
    assert measured(scored(name))[f"{grade}_recall@2"].value == 0.0


def test_a_query_that_nothing_answers_is_judged_by_its_top_score_and_passes() -> None:
    row = scored("q4", ranking("a", "b", scores=[0.3, 0.2]))
    assert row.counts == {TOP_SCORE: 0.3, f"{TOP_SCORE} of": 1, f"{TOP_SCORE}_squared": pytest.approx(0.09)}
    assert (row.passed, row.score, row.left_out) == (True, 0.7, LEFT_OUT["no_answer"])
    assert measures(AT_TWO)[TOP_SCORE].direction == "lower"


@pytest.mark.parametrize(("top", "score"), [(1.7, 0.0), (-0.4, 1.0)])
def test_the_score_of_a_case_stays_in_the_unit_interval(top: float, score: float) -> None:
    row = scored("q4", ranking("a", scores=[top]))
    assert (row.counts[TOP_SCORE], row.score) == (top, score)


def test_a_query_that_nothing_answers_and_nobody_asked_has_no_top_score() -> None:
    row = scored("q4")
    assert (row.counts, row.passed) == ({}, False)
    assert measured(row)[TOP_SCORE].value is None


def test_a_cut_ranking_has_no_separation() -> None:
    row = scored("q2", ranking("a", "c", is_cut=True), depth=2)
    assert (value(row, "separation"), value(row, "recall@2")) == (None, 0.5)


def test_what_was_missed_is_told_with_its_rank() -> None:
    row = scored("q2", ranking("c", "d", "a"))
    assert row.detail["expected"] == ["a", "e"]
    assert row.detail["difference"] == ["a stands at rank 3", "e is not in the ranking"]
    assert row.detail["predicted"][0] == ["c", 1.0]


def test_only_the_head_of_a_long_ranking_is_kept_for_people() -> None:
    names = [f"d{i}" for i in range(30)]
    assert len(scored("q1", ranking(*names, scores=[0.5] * 30)).detail["predicted"]) == 10


def test_every_declared_measure_is_one_that_cases_add_up_to() -> None:
    rows = [scored(gold.id, ranking(*TEXTS)) for gold in cases()]
    found = measured(*rows)
    assert list(found) == [*LIVE, TOP_SCORE, "known_failure_recall@2", "retired_recall@2"]
    assert {name for name, metric in found.items() if metric.value is None} == set()


def test_a_measure_may_be_named_as_ir_measures_writes_it() -> None:
    row = scored("q1", ranking("a", "b"), measures=["RR@1", "nDCG@k"])
    assert (value(row, "RR@1"), value(row, "nDCG@2")) == (0.0, pytest.approx(1 / log2(3)))


@settings(deadline=None, max_examples=60)
@given(st.permutations(list(TEXTS)), st.sampled_from(["q1", "q2"]), st.integers(1, 6))
def test_every_value_lies_in_its_range_and_recall_grows_with_the_cutoff(order: list[str], name: str, k: int) -> None:
    rows = [scorer({}, {"top_k": cutoff})(case(name), [ranking(*order)]) for cutoff in (k, k + 1)]
    shares = [v for key, v in rows[0].counts.items() if not key.startswith("separation") and not key.endswith(" of")]
    assert all(0 <= share <= 1 for share in shares)
    assert rows[0].counts[f"recall@{k}"] <= rows[1].counts[f"recall@{k + 1}"]
    assert 0 <= rows[0].score <= 1
