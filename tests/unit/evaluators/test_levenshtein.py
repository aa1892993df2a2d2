"""levenshtein: hand-worked similarities, thresholds met exactly, and what holds for all texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluators.levenshtein import edit_similarity, levenshtein


@pytest.mark.parametrize(
    ("a", "b", "similarity"),
    [
        ("apple", "aple", 0.8),  # 1 deletion of 5
        ("night", "nacht", 0.6),  # 2 substitutions of 5
        ("kitten", "sitting", 4 / 7),  # 2 substitutions and 1 insertion of 7
        ("", "", 1.0),
        ("", "abc", 0.0),
        ("abc", "abc", 1.0),
        ("abcdefghij", "aZYXWVUTSR", 0.1),  # one letter of ten stays, and 1 - 9 / 10 is not 0.1
        ("caf\u00e9", "cafe\u0301", 0.6),  # 1 substitution and 1 insertion of 5
        ("\U0001f600a", "\U0001f601a", 0.5),  # code points, not bytes
    ],
)
def test_similarity_of(a: str, b: str, similarity: float) -> None:
    assert edit_similarity(a, b) == similarity
    assert levenshtein(a, b).score == similarity


def test_the_default_threshold_is_met_by_one_of_five() -> None:
    assert levenshtein("aple", "apple").passed
    assert not levenshtein("aple", "apples").passed


@pytest.mark.parametrize(("threshold", "passes"), [(0, True), (0.6, True), (0.6000001, False), (1, False)])
def test_a_threshold_is_inclusive(threshold: float, passes: bool) -> None:
    assert levenshtein("night", "nacht", {"threshold": threshold}).passed is passes


@pytest.mark.parametrize("threshold", [float("nan"), float("inf"), -0.1, 1.5, 80, "0.8", True, None])
def test_a_threshold_is_a_fraction(threshold: object) -> None:
    assert "threshold: is" in (levenshtein("a", "a", {"threshold": threshold}).error or "")


@pytest.mark.parametrize(("actual", "expected"), [(None, "a"), ("a", None), (1, "1"), ([], "")])
def test_only_texts_are_compared(actual: object, expected: object) -> None:
    assert "is not text" in (levenshtein(actual, expected).error or "")


def test_composed_equals_decomposed_under_a_named_normaliser() -> None:
    assert levenshtein("caf\u00e9", "cafe\u0301", {"normaliser": "nfc/1"}).score == 1.0


@given(st.text(), st.text())
def test_similarity_is_symmetric_and_one_only_for_equal_texts(a: str, b: str) -> None:
    assert 0.0 <= edit_similarity(a, b) == edit_similarity(b, a) <= 1.0
    assert (edit_similarity(a, b) == 1.0) is (a == b)


@given(st.integers(1, 40), st.data())
def test_a_threshold_written_as_the_quotient_is_met(longest: int, data: st.DataObject) -> None:
    kept = data.draw(st.integers(0, longest))
    text = "a" * longest
    assert levenshtein(text, "a" * kept + "b" * (longest - kept), {"threshold": kept / longest}).passed
