"""One task's row: by hand, and what a failed or unreadable answer counts for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.ratios import measured, summed
from assay.model.exchange import Failure
from assay.suites.facets.answers import Event, kind_of
from assay.suites.facets.scoring import measures, score_case, scorer
from tests.unit.suites.facets.facet_builders import case, raw, said

EVENT = {"provider": "a", "reasons": ["latency 0.06s vs median 0.01s", "length 9 vs median 60"]}


def test_a_row_by_hand() -> None:
    # found: w-17 (answer), 40 litres (response); not: twelve. Of two forbidden facets one is found.
    asked = case("w-17", "40 litres", "twelve", forbidden_facets=["out of order", "church"])
    reply = said("Pump W-17", responses=["40 LITRES, out of order"], weighted_score=0.5, constraints_met=False, events=[EVENT])
    row = score_case(asked, [reply])
    assert (row.status, row.passed, row.score, row.reason, row.left_out) == ("scored", False, round(2 / 3, 12), None, None)
    assert row.counts == {
        "facet_recall": 2 / 3,
        "facet_recall of": 1,
        "forbidden_facets_absent": 0.5,
        "forbidden_facets_absent of": 1,
        "events_as_expected": 0,
        "events_as_expected of": 1,
        "mean_weighted_score": 0.5,
        "mean_weighted_score of": 1,
        "mean_weighted_score_squared": 0.25,
        "constraints_met_rate": 0,
        "constraints_met_rate of": 1,
        "throttle_events": 1.0,
        "throttle_events of": 1,
        "throttle_events_squared": 1.0,
    }
    assert row.detail["difference"] == [
        "'twelve' is in neither the answer nor any response",
        "'out of order' is forbidden and found",
        "events ['a: latency, length'] instead of []",
    ]


def test_a_task_passes_with_all_facets_no_forbidden_one_and_the_events_expected() -> None:
    asked = case("w-17", forbidden_facets=["church"], events=["a: latency, length"])
    assert score_case(asked, [said("W-17", events=[EVENT])]).passed
    assert not score_case(asked, [said("W-17")]).passed
    assert not score_case(asked, [said("W-17, church", events=[EVENT])]).passed
    assert not score_case(asked, [said("", events=[EVENT])]).passed


def test_a_question_without_an_answer_is_scored_by_what_is_absent() -> None:
    row = score_case(case(forbidden_facets=["a1", "b2"]), [said("b2")])
    assert (row.score, "facet_recall of" in row.counts) == (0.5, False)
    assert score_case(case(forbidden_facets=["a1"]), [said("nothing")]).passed


@pytest.mark.parametrize(
    ("outcomes", "status", "reason"),
    [
        ([], "missing", "no answer"),
        ([Failure(reason="gone", attempts=1)], "unanswered", "no answer: gone"),
        ([raw("no JSON")], "malformed", "is not JSON (Expecting value: line 1 column 1 (char 0))"),
        ([raw('{"answer": "a", "mood": 1}')], "malformed", "mood: Extra inputs are not permitted"),
        ([raw("{}")], "malformed", "answer: Field required"),
    ],
)
def test_without_an_answer_a_task_counts_0_and_its_j_is_unknown(outcomes: list[Failure], status: str, reason: str) -> None:
    row = score_case(case("w-17", forbidden_facets=["church"]), outcomes)
    assert (row.status, row.reason, row.passed, row.score) == (status, reason, False, 0.0)
    assert row.counts == {
        "facet_recall": 0.0,
        "facet_recall of": 1,
        "forbidden_facets_absent": 0.0,
        "forbidden_facets_absent of": 1,
        "events_as_expected": 0,
        "events_as_expected of": 1,
    }


@pytest.mark.parametrize(("group", "prefix"), [("live", ""), ("bundled", "bundled_"), ("degraded", "degraded_")])
def test_each_group_has_means_of_its_own(group: str, prefix: str) -> None:
    row = score_case(case("w-17", group=group), [said("W-17")])
    assert {name for name in row.counts if name.endswith("facet_recall")} == {f"{prefix}facet_recall"}
    assert (row.left_out is None) == (group == "live")


def test_means_are_over_tasks_and_not_over_facets() -> None:
    # (1/1 + 1/3) / 2, and not 2 of 4
    rows = [score_case(case("a1"), [said("a1")]), score_case(case("a1", "b2", "c3"), [said("a1")])]
    found = measured(summed(row.counts for row in rows), measures({}))
    assert found["facet_recall"].value == round(2 / 3, 12)
    assert (found["throttle_events"].value, found["mean_weighted_score"].reason) == (0.0, "no tasks with a J")
    assert found["bundled_facet_recall"].reason == "no bundled tasks with expected facets"


def test_every_count_belongs_to_a_measure_and_directions_are_right() -> None:
    known = measures({})
    for group in ("live", "degraded"):
        row = score_case(case("a1", group=group, forbidden_facets=["b2"]), [said("a1", weighted_score=1, constraints_met=True)])
        assert {name.removesuffix(" of").removesuffix("_squared") for name in row.counts} <= known.keys()
    assert {name for name, measure in known.items() if measure.direction == "lower"} == {
        "throttle_events",
        "bundled_throttle_events",
        "degraded_throttle_events",
    }


@given(
    st.lists(st.sampled_from(["a1", "b2", "c3", "d4"]), min_size=1, max_size=4, unique=True), st.sets(st.sampled_from("abcd"))
)
def test_recall_is_the_share_of_facets_in_the_answer_in_any_order(facets: list[str], letters: set[str]) -> None:
    text = " ".join(facet for facet in ("a1", "b2", "c3", "d4") if facet[0] in letters)
    expected = sum(facet[0] in letters for facet in facets) / len(facets)
    rule = scorer({}, {})
    for order in (facets, facets[::-1]):
        assert rule(case(*order), [said(text)]).counts["facet_recall"] == expected


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("latency 0.06s vs median 0.01s", "latency"),
        ("refusal", "refusal"),
        ("error: RuntimeError", "error: RuntimeError"),
        ("density 0.1 vs median 0.9", "density"),
    ],
)
def test_an_event_is_told_without_figures(reason: str, kind: str) -> None:
    assert kind_of(reason) == kind
    assert Event(provider="a", reasons=(reason, "refusal")).told == f"a: {kind}, refusal"
