"""The rules of scoring, worked by hand: what each metric counts."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import InputError
from assay.model.score import CaseScore
from assay.model.verdict import Metric
from assay.scoring import metrics_of
from assay.suites.extraction.requests import oracle_reply
from assay.suites.extraction.schema import CATEGORIES
from assay.suites.extraction.scoring import FILES, MEASURES, measures, metrics, score_case, scorer
from tests.builders import calibration, case, extracted, memory, reply

THRESHOLD = 0.6
LYON, TEA, DENTIST = "The user lives in Lyon.", "Green tea is preferred over coffee.", "A molar was pulled by Dr Okafor."
NURSE, TRAINS, DOUGH = "The user works as a nurse.", "Driving underground trains pays the bills.", "Dough rests overnight."
CHESS, PARIS = "Chess club meets on Fridays.", "A trip to Paris is planned."
DAY, NEXT = "2026-03-20", "2026-03-21"


def want(name: str, content: str, *categories: str, **changes: Any) -> dict[str, Any]:
    return memory(name, content=content, categories=list(categories), **changes)


def got(content: str, *categories: str, **changes: Any) -> dict[str, Any]:
    return extracted(content=content, categories=list(categories), **changes)


def when(kind: str, start: str | None = None, end: str | None = None) -> dict[str, Any]:
    return {"temporal_kind": kind, "valid_from": start, "valid_until": end}


def scored(expected: list[dict[str, Any]], predicted: list[dict[str, Any]]) -> CaseScore:
    return score_case(case("c1", *expected), [reply(*predicted)], THRESHOLD)


def measured(*rows: CaseScore) -> dict[str, Metric]:
    return metrics_of(rows, MEASURES)


def fractions(found: dict[str, Metric]) -> dict[str, tuple[float | None, float | None]]:
    return {name: (metric.numerator, metric.denominator) for name, metric in found.items()}


def replaced(text: str | None, kind: str = "supersession") -> CaseScore:
    """The score of a case in which trains replaced nursing, as answered."""
    old, new = want("m1", NURSE, "factual"), want("m2", TRAINS, "factual", temporal_kind="supersession", supersedes="m1")
    return scored([old, new], [got(NURSE, "factual"), got(TRAINS, "factual", temporal_kind=kind, supersedes=text)])


def corpus() -> list[CaseScore]:
    three = [
        want("m1", LYON, "factual"),
        want("m2", TEA, "preference", "behavioral"),
        want("m3", DENTIST, "episodic", **when("point", DAY, DAY)),
    ]
    four = [
        got(LYON, "factual"),
        got(TEA, "preference"),
        got(DENTIST, "episodic", **when("bounded", DAY, NEXT)),
        got(CHESS, "factual"),
    ]
    return [
        scored(three, four),
        replaced(NURSE),
        scored([want("m6", DOUGH, "procedural", "behavioral")], [got(DOUGH, "behavioral", "procedural")]),
        scored([], []),
        scored([], [got(PARIS, "episodic")]),
        score_case(case("c6", want("m7", PARIS, "episodic")), [reply(text="Sorry.")], THRESHOLD),
    ]


def test_every_metric_of_a_small_corpus_by_hand() -> None:
    # Six replies over six cases; 7 expected memories (3 + 2 + 1 + 0 + 0 + 1), of which 6 are matched.
    # Hits are matched pairs that share the category. Expected per category: factual m1 and the two jobs = 3,
    # procedural m6, preference m2, behavioral m2 and m6, episodic m3 and m7. Predicted: factual Lyon, chess, two jobs = 4,
    # procedural 1, preference 1, behavioral 1 (dough), episodic dentist and Paris = 2.
    assert fractions(measured(*corpus())) == {
        "precision_factual": (3, 4),
        "precision_procedural": (1, 1),
        "precision_preference": (1, 1),
        "precision_behavioral": (1, 1),
        "precision_episodic": (1, 2),
        "precision_macro": (4.25, 5),  # 0.75 + 1 + 1 + 1 + 0.5
        "recall_factual": (3, 3),
        "recall_procedural": (1, 1),
        "recall_preference": (1, 1),
        "recall_behavioral": (1, 2),
        "recall_episodic": (1, 2),
        "recall_macro": (4, 5),  # 1 + 1 + 1 + 0.5 + 0.5
        "category_assignment_accuracy": (5, 6),  # all but the tea
        "temporal_field_accuracy": (16, 18),  # 6 pairs x 3 fields; the dentist's kind and end are wrong
        "multi_label_exact": (1, 2),  # dough, not tea
        "supersession_recall": (1, 1),
        "full_match_rate": (4, 7),  # Lyon, two jobs, dough
        "abstention_accuracy": (1, 2),  # one silent, one not
        "malformed_response_rate": (1, 6),
    }


def test_value_is_numerator_over_denominator_and_n_says_over_what() -> None:
    for metric in measured(*corpus()).values():
        assert metric.value == pytest.approx(metric.numerator / metric.denominator, abs=1e-12)
        assert metric.n == metric.denominator
        assert metric.low < metric.value or metric.value == 0
        assert metric.value < metric.high or metric.value == 1


def test_every_metric_is_declared_with_how_it_is_read() -> None:
    assert list(measured(*corpus())) == list(MEASURES)
    lower = [name for name, measure in MEASURES.items() if measure.direction == "lower"]
    assert lower == ["malformed_response_rate"]


def test_rows_say_how_right_each_case_is() -> None:
    # F1 of full matches, 2 * full / (expected + predicted): 2 * 1 / (3 + 4), 4/4, 2/2, nothing to find, 0/1, 0/1.
    rows = corpus()
    assert [row.score for row in rows] == pytest.approx([2 / 7, 1.0, 1.0, 1.0, 0.0, 0.0])
    assert [row.passed for row in rows] == [False, True, True, True, False, False]
    assert [row.status for row in rows] == ["scored"] * 5 + ["malformed"]


def test_perfect_reply_to_every_case_gives_all_ones() -> None:
    cases = [
        case(
            "c1",
            *[want(f"m{i}", text, name) for i, (text, name) in enumerate(zip((LYON, DOUGH, TEA), CATEGORIES, strict=False))],
        ),
        case("c2", want("m1", CHESS, "behavioral"), want("m2", DENTIST, "episodic", "factual", **when("point", DAY, DAY))),
        case("c3", want("m1", NURSE, "factual"), want("m2", TRAINS, "factual", temporal_kind="supersession", supersedes="m1")),
        case("c4"),
    ]
    rows = [score_case(gold, [reply(text=oracle_reply(gold))], THRESHOLD) for gold in cases]
    found = {name: metric.value for name, metric in measured(*rows).items()}
    assert found == {**dict.fromkeys(MEASURES, 1.0), "malformed_response_rate": 0.0}
    assert all(row.passed and row.score == 1.0 and row.detail["difference"] == [] for row in rows)


def test_class_without_rows_is_undefined_and_left_out_of_the_macro() -> None:
    found = measured(scored([want("m1", LYON, "factual")], [got(LYON, "factual")]))
    undefined = {name: metric.reason for name, metric in found.items() if metric.value is None}
    assert undefined == {
        **{f"precision_{c}": f"no memories predicted as {c}" for c in CATEGORIES[1:]},
        **{f"recall_{c}": f"no expected {c} memories" for c in CATEGORIES[1:]},
        "multi_label_exact": "no expected memories with several categories",
        "supersession_recall": "no expected supersessions",
        "abstention_accuracy": "no cases that expect nothing",
    }
    assert (found["precision_macro"].value, found["precision_macro"].n) == (1.0, 1)
    assert (found["recall_macro"].value, found["recall_macro"].n) == (1.0, 1)


def test_no_rows_at_all_leave_every_metric_undefined() -> None:
    assert {metric.value for metric in metrics({}).values()} == {None}
    assert list(metrics({})) == list(MEASURES)


def test_swapped_categories_cost_labels_and_both_categories_but_no_time() -> None:
    found = measured(
        scored([want("m1", LYON, "factual"), want("m2", TEA, "preference")], [got(LYON, "preference"), got(TEA, "factual")])
    )
    assert [found[f"{m}_{c}"].value for m in ("precision", "recall") for c in ("factual", "preference", "macro")] == [0.0] * 6
    assert found["category_assignment_accuracy"].value == 0.0
    assert found["temporal_field_accuracy"].value == 1.0
    assert found["full_match_rate"].value == 0.0


def test_extra_category_costs_precision_of_that_category_and_the_label_set() -> None:
    found = measured(scored([want("m1", LYON, "factual")], [got(LYON, "factual", "episodic")]))
    assert (found["precision_factual"].value, found["recall_factual"].value) == (1.0, 1.0)
    assert (found["precision_episodic"].value, found["recall_episodic"].value) == (0.0, None)
    assert found["category_assignment_accuracy"].value == 0.0


def test_category_named_twice_counts_once() -> None:
    found = measured(scored([want("m1", LYON, "factual")], [got(LYON, "factual", "factual")]))
    assert fractions(found)["precision_factual"] == (1, 1)
    assert found["category_assignment_accuracy"].value == 1.0


@pytest.mark.parametrize(
    ("answered", "right"),
    [
        (when("bounded", DAY, NEXT), 3),
        (when("bounded", DAY), 2),
        (when("bounded", None, NEXT), 2),
        (when("bounded", NEXT, DAY), 1),
        (when("point", DAY, DAY), 1),
        (when("indefinite"), 0),
    ],
)
def test_each_time_field_counts_for_itself_and_all_must_be_right_for_a_full_match(answered: dict[str, Any], right: int) -> None:
    row = scored([want("m1", PARIS, "episodic", **when("bounded", DAY, NEXT))], [got(PARIS, "episodic", **answered)])
    found = fractions(measured(row))
    assert found["temporal_field_accuracy"] == (right, 3)
    assert found["full_match_rate"] == (int(right == 3), 1)
    assert row.passed == (right == 3)


@pytest.mark.parametrize(
    ("row", "right"),
    [
        (replaced(NURSE), 1),
        (replaced("  the user works as a NURSE."), 1),
        (replaced(CHESS), 0),
        (replaced(""), 0),
        (replaced(None), 0),
        (replaced(NURSE, "indefinite"), 0),
        (replaced(TRAINS), 0),
    ],
    ids=["right", "other form", "other text", "empty", "null", "other kind", "itself"],
)
def test_supersession_is_found_only_with_its_kind_and_the_text_it_replaces(row: CaseScore, right: int) -> None:
    assert fractions(measured(row))["supersession_recall"] == (right, 1)
    assert row.passed == bool(right)


def test_missed_supersession_stays_in_the_denominator() -> None:
    new = want("m2", TRAINS, "factual", temporal_kind="supersession", supersedes="m1")
    row = scored([want("m1", NURSE, "factual"), new], [got(NURSE, "factual")])
    assert fractions(measured(row))["supersession_recall"] == (0, 1)


def calibration_file(threshold: float | None) -> dict[str, tuple[str, bytes]]:
    found = calibration(constants={} if threshold is None else {"threshold": threshold})
    return {FILES[0]: ("calibration.json", found.model_dump_json().encode())}


def test_scorer_takes_its_threshold_from_the_calibration_file() -> None:
    half = "The user bakes rye bread every sunday in a stone oven.", "The user bakes rye bread."
    for threshold, pairs in ((0.05, 1), (1.0, 0)):
        rule = scorer(calibration_file(threshold), {})
        row = rule(case("c1", want("m1", half[0], "factual")), [reply(got(half[1], "factual"))])
        assert row.counts.get("pairs", 0) == pairs


@pytest.mark.parametrize("threshold", [0.0, -0.5, 1.5, None])
def test_threshold_that_is_no_similarity_is_refused_with_its_place(threshold: float | None) -> None:
    with pytest.raises(InputError, match=r"^calibration\.json: constants\.threshold: is no similarity.*; expected a number"):
        scorer(calibration_file(threshold), {})


def test_no_option_changes_what_is_measured() -> None:
    assert measures({}) == measures({"top_k": 7}) == MEASURES
