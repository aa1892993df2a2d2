"""rouge: hand-worked ROUGE-1, and what holds for every text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluators.rouge import rouge, rouge_1
from assay.evaluators.tokens import tokens


def test_clipped_counts_by_hand() -> None:
    # output the the the cat (4), reference the cat the dog (4): shared = min(3, 2) the + 1 cat = 3
    assert rouge_1(["the", "the", "the", "cat"], ["the", "cat", "the", "dog"]) == (0.75, 0.75, 0.75)


def test_precision_is_of_the_output_and_recall_of_the_expectation() -> None:
    metric = rouge("testing", "testing one two")
    # shared 1; precision 1 / 1, recall 1 / 3, F1 = 2 * 1/3 / (4/3) = 0.5
    assert metric.meta == {"precision": 1.0, "recall": 1 / 3, "threshold": 0.0}
    assert metric.score == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "สวัสดีครับ ยินดีต้อนรับ",  # Thai
        "今天北京很冷",  # Chinese
        "म नेपालमा बस्छु",  # Nepali
        "नेपाल",
        "私は寿司が好きです",
        "မြန်မာဘာသာ",
        "ភាសាខ្មែរ",
        "مرحبا بالعالم",
        "שלום עולם",
        "Привет, мир",
    ],
)
def test_identical_text_in_any_script_scores_one(text: str) -> None:
    assert rouge(text, text).score == 1.0
    assert rouge(text, text).passed


def test_other_marks_are_other_words() -> None:
    assert rouge("ปี", "ปา").score == 0.0
    assert rouge("नेपाल", "नपल").score == 0.0


@pytest.mark.parametrize(
    ("actual", "options", "passes"),
    [("a x y z", {}, True), ("x y z", {}, False), ("a b", {"threshold": 1}, True), ("a", {"threshold": 2 / 3}, True)],
)
def test_it_passes_above_zero_and_from_the_threshold_on(actual: str, options: dict[str, object], passes: bool) -> None:
    # "a" against "a b": precision 1, recall 1/2, F1 2/3
    assert rouge(actual, "a b", options).passed is passes


@pytest.mark.parametrize(("actual", "expected"), [("", "a"), ("a", ""), ("", ""), ("!!", "!!"), ("\U0001f600", "\U0001f600")])
def test_a_side_without_words_never_passes(actual: str, expected: str) -> None:
    metric = rouge(actual, expected)
    assert (metric.score, metric.passed, metric.error) == (0.0, False, None)


@pytest.mark.parametrize(("actual", "expected"), [(None, "a"), ("a", None), (["a"], "a")])
def test_only_texts_are_compared(actual: object, expected: object) -> None:
    assert "is not text" in (rouge(actual, expected).error or "")


@pytest.mark.parametrize("threshold", [float("nan"), -1, 2, "0.1", None])
def test_a_threshold_is_a_fraction(threshold: object) -> None:
    assert "threshold: is" in (rouge("a", "a", {"threshold": threshold}).error or "")


def test_composed_equals_decomposed_under_a_named_normaliser_only() -> None:
    assert rouge("caf\u00e9", "cafe\u0301").score == 0.0
    assert rouge("caf\u00e9", "cafe\u0301", {"normaliser": "nfc/1"}).score == 1.0


@given(st.text())
def test_every_text_with_words_is_like_itself(text: str) -> None:
    assert rouge(text, text).score == float(bool(tokens(text)))


@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")))
def test_order_does_not_count_and_sides_swap(a: list[str], b: list[str]) -> None:
    precision, recall, f1 = rouge_1(a, b)
    assert rouge_1(sorted(a), sorted(b)) == (precision, recall, f1)
    assert rouge_1(b, a)[:2] == (recall, precision)
    assert rouge_1(b, a)[2] == pytest.approx(f1)
