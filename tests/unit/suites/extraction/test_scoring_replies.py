"""The rules of replies: malformed and missing ones are failed cases, and form and order never change a number."""

from __future__ import annotations

import json
import unicodedata
from itertools import permutations
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.metrics.similarity import similarity
from assay.model.exchange import Failure
from assay.model.gold import GoldCase
from assay.model.score import CaseScore
from assay.scoring import metrics_of, score_cases
from assay.suites.extraction.schema import CATEGORIES
from assay.suites.extraction.scoring import MEASURES, score_case
from tests.builders import case, extracted, memory, reply

THRESHOLD = 0.6
CONTENTS = ("Ünal café naïve.", "Green tea overnight.", "Fridays: chess!", "7 ﬁsh swim.")
"""Unlike one another, and all of them with a form to change."""
FORMS = (str, str.upper, lambda t: unicodedata.normalize("NFD", t), lambda t: f"  {t.replace(' ', chr(9) + ' ')}\n")
TIMES = (("indefinite", None, None), ("point", "2026-03-20", "2026-03-20"), ("bounded", None, "2026-03-21"))
LABELS = st.lists(st.sampled_from(CATEGORIES), min_size=1, max_size=3, unique=True)
Row = dict[str, Any]


def row_of(content: str, labels: list[str], time: tuple[str, str | None, str | None]) -> Row:
    return {
        "content": content,
        "categories": labels,
        **dict(zip(("temporal_kind", "valid_from", "valid_until"), time, strict=True)),
    }


ROWS = st.builds(row_of, st.sampled_from(CONTENTS), LABELS, st.sampled_from(TIMES))
EXPECTED = st.lists(ROWS, max_size=4)
PREDICTED = st.lists(ROWS, max_size=5)
PLAIN = row_of(CONTENTS[0], ["factual"], TIMES[0])


def scored(expected: list[Row], predicted: list[Row]) -> CaseScore:
    gold = case("c1", *[memory(f"m{i}", **row) for i, row in enumerate(expected)])
    return score_case(gold, [reply(*[extracted(**row) for row in predicted])], THRESHOLD)


def numbers(row: CaseScore) -> tuple[dict[str, int], bool, float]:
    return {name: n for name, n in row.counts.items() if n}, row.passed, row.score


def test_the_contents_used_here_are_clearly_different() -> None:
    assert all(similarity(a, b) < 0.2 for a, b in permutations(CONTENTS, 2))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Invalid JSON"),
        ("Sorry, no.", "Invalid JSON"),
        ('```json\n{"memories": []}\n```', "Invalid JSON"),
        ('{"memories": []} Anything else?', "Invalid JSON: trailing characters"),
        ('{"memories": [{"content": "\\ud83d"}]}', "Invalid JSON"),
        ("[]", "Input should be an object"),
        ('{"memories": [], "note": 1}', "note: Extra inputs are not permitted"),
        (json.dumps({"memories": [extracted(valid_from="2026-02-30")]}), "memories.0.valid_from: "),
        (json.dumps({"memories": [extracted(), extracted(content="")]}), "memories.1.content: "),
    ],
)
def test_reply_that_does_not_fit_is_a_failed_case_with_the_reason(text: str, reason: str) -> None:
    row = score_case(case("c1", memory()), [reply(text=text)], THRESHOLD)
    found = metrics_of([row], MEASURES)
    assert (row.status, row.passed, row.score) == ("malformed", False, 0.0)
    assert row.reason is not None
    assert row.reason.startswith(reason)
    assert found["malformed_response_rate"].value == 1.0
    assert found["recall_factual"].value == found["full_match_rate"].value == 0.0
    assert found["precision_factual"].value is None


def test_malformed_reply_is_no_abstention() -> None:
    row = score_case(case("c1"), [reply(text="")], THRESHOLD)
    assert (row.passed, row.score) == (False, 0.0)
    assert metrics_of([row], MEASURES)["abstention_accuracy"].value == 0.0


@pytest.mark.parametrize("gold", [case("c1"), case("c1", memory())], ids=["nothing expected", "a memory expected"])
def test_missing_reply_is_a_failed_case_that_stays_in_every_denominator(gold: GoldCase) -> None:
    row = score_case(gold, [], THRESHOLD)
    found = metrics_of([row], MEASURES)
    assert (row.status, row.passed, row.score, row.reason) == ("missing", False, 0.0, "no recorded reply")
    assert found["malformed_response_rate"].value is None
    name = "recall_factual" if gold.expected["memories"] else "abstention_accuracy"
    assert (found[name].value, found[name].n) == (0.0, 1)


@pytest.mark.parametrize("gold", [case("c1"), case("c1", memory())], ids=["nothing expected", "a memory expected"])
def test_failed_request_is_a_failed_case_and_no_malformed_reply(gold: GoldCase) -> None:
    row = score_case(gold, [Failure(reason="timed out", attempts=5)], THRESHOLD)
    found = metrics_of([row], MEASURES)
    assert (row.status, row.passed, row.score, row.reason) == ("unanswered", False, 0.0, "no answer: timed out")
    assert found["malformed_response_rate"].value is None
    name = "recall_factual" if gold.expected["memories"] else "abstention_accuracy"
    assert (found[name].value, found[name].n) == (0.0, 1)


def test_case_answered_in_part_counts_what_came_and_fails() -> None:
    gold = case("c1", memory())
    row = score_case(gold, [reply(extracted()), Failure(reason="refused", attempts=1), reply(text="x")], THRESHOLD)
    assert (row.status, row.passed, row.counts["full"]) == ("unanswered", False, 1)
    assert (row.counts["responses"], row.counts["malformed"]) == (2, 1)


def test_every_reply_of_a_case_counts() -> None:
    gold = case("c1", memory("m1", content=CONTENTS[0]), memory("m2", content=CONTENTS[1]))
    halves = [reply(extracted(content=text)) for text in CONTENTS[:2]]
    assert score_case(gold, halves, THRESHOLD).passed
    broken = score_case(gold, [*halves, reply(text="oops")], THRESHOLD)
    assert (broken.status, broken.passed) == ("malformed", False)
    assert (broken.counts["malformed"], broken.counts["responses"], broken.counts["full"]) == (1, 3, 2)


def test_memory_predicted_twice_is_matched_once_and_costs_precision() -> None:
    row = scored([row_of(CONTENTS[0], ["factual"], TIMES[0])], [row_of(CONTENTS[0], ["factual"], TIMES[0])] * 3)
    found = metrics_of([row], MEASURES)
    assert (found["precision_factual"].numerator, found["precision_factual"].denominator) == (1, 3)
    assert (found["recall_factual"].value, found["full_match_rate"].value) == (1.0, 1.0)
    assert not row.passed
    assert row.score == 0.5  # 2 * 1 / (1 + 3)


def test_difference_names_what_is_missing_extra_and_unequal() -> None:
    expected = [row_of(CONTENTS[0], ["factual"], TIMES[0]), row_of(CONTENTS[1], ["preference"], TIMES[1])]
    predicted = [row_of(CONTENTS[0], ["episodic", "behavioral"], TIMES[2]), row_of(CONTENTS[2], ["factual"], TIMES[0])]
    assert scored(expected, predicted).detail["difference"] == [
        "missing: Green tea overnight.",
        "extra: Fridays: chess!",
        "m0 categories: expected ['factual'], got ['behavioral', 'episodic']",
        "m0 temporal_kind: expected indefinite, got bounded",
        "m0 valid_until: expected None, got 2026-03-21",
    ]


def test_wrong_superseded_text_is_named_in_the_difference() -> None:
    old, new = (
        memory("m1", content=CONTENTS[0]),
        memory("m2", content=CONTENTS[1], temporal_kind="supersession", supersedes="m1"),
    )
    answer = [extracted(content=CONTENTS[0]), extracted(**{**new, "supersedes": CONTENTS[2]})]
    row = score_case(case("c1", old, new), [reply(*answer)], THRESHOLD)
    assert not row.passed
    assert any("supersedes" in line and CONTENTS[2] in line for line in row.detail["difference"])


def test_huge_reply_is_scored() -> None:
    row = scored([row_of(CONTENTS[0], ["factual"], TIMES[0])], [row_of(CONTENTS[0], ["factual"], TIMES[0])] * 5_000)
    assert (row.counts["hit_factual"], row.counts["predicted_factual"]) == (1, 5_000)


@settings(deadline=None)
@given(EXPECTED, PREDICTED, st.data())
def test_order_of_predictions_and_expectations_never_changes_a_number(
    expected: list[Row], predicted: list[Row], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(expected)), data.draw(st.permutations(predicted))
    assert numbers(scored(*shuffled)) == numbers(scored(expected, predicted))


@settings(deadline=None)
@given(EXPECTED, PREDICTED)
@example([PLAIN], [PLAIN, {**PLAIN, "categories": ["factual", "procedural"]}])
def test_order_of_labels_never_changes_a_number(expected: list[Row], predicted: list[Row]) -> None:
    turned = [{**row, "categories": row["categories"][::-1]} for row in predicted]
    assert numbers(scored(expected, turned)) == numbers(scored(expected, predicted))


@settings(deadline=None)
@given(EXPECTED, PREDICTED, st.lists(st.sampled_from(FORMS), min_size=5, max_size=5))
@example([PLAIN], [PLAIN, row_of(CONTENTS[0], ["factual"], TIMES[2])], [str.upper, *[str] * 4])
def test_unicode_form_case_and_spacing_never_change_a_number(
    expected: list[Row], predicted: list[Row], forms: list[Any]
) -> None:
    written = [{**row, "content": form(row["content"])} for row, form in zip(predicted, forms, strict=False)]
    assert numbers(scored(expected, written)) == numbers(scored(expected, predicted))


@settings(deadline=None)
@given(EXPECTED, PREDICTED)
def test_metrics_lie_in_their_intervals_in_the_unit_interval(expected: list[Row], predicted: list[Row]) -> None:
    row = scored(expected, predicted)
    assert 0.0 <= row.score <= 1.0
    for metric in metrics_of([row], MEASURES).values():
        if metric.value is not None:
            assert metric.denominator is not None
            assert 0 <= metric.numerator <= metric.denominator == metric.n
            assert 0.0 <= metric.low <= metric.value <= metric.high <= 1.0


@settings(deadline=None)
@given(EXPECTED, PREDICTED)
def test_failed_case_always_says_why(expected: list[Row], predicted: list[Row]) -> None:
    row = scored(expected, predicted)
    assert row.passed == (row.detail["difference"] == [])


@settings(deadline=None)
@given(EXPECTED)
def test_expectation_given_back_is_right(expected: list[Row]) -> None:
    row = scored(expected, expected)
    assert (row.passed, row.score) == (True, 1.0)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(EXPECTED, PREDICTED), max_size=4), st.data())
def test_order_of_cases_never_changes_a_metric(corpus: list[tuple[list[Row], list[Row]]], data: st.DataObject) -> None:
    rows = [scored(*pair) for pair in corpus]
    assert metrics_of(data.draw(st.permutations(rows)), MEASURES) == metrics_of(rows, MEASURES)


def test_case_without_replies_is_still_a_row() -> None:
    cases = [case("c1", memory()), case("c2")]
    rows = score_cases(cases, {"c2": [reply()]}, lambda gold, replies: score_case(gold, replies, THRESHOLD))
    assert [(row.case_id, row.status) for row in rows] == [("c1", "missing"), ("c2", "scored")]
