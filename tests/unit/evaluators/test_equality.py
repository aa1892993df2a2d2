"""exact_match is plain equality, and another one only under a named normal form."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluators.equality import exact_match
from assay.metrics.text import NORMALISER

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


@pytest.mark.parametrize(
    ("actual", "expected", "passes"),
    [
        ("ok", "ok", True),
        ("ok", "OK", False),
        ("ok", "ok ", False),
        ("", "", True),
        (1, 1.0, True),  # as Python compares
        (1, "1", False),
        ({"b": [1], "a": 2}, {"a": 2, "b": [1]}, True),
        ([1, 2], [2, 1], False),
        (False, False, True),
        (float("nan"), float("nan"), False),
    ],
)
def test_equal_means_equal_in_python(actual: object, expected: object, passes: bool) -> None:
    metric = exact_match(actual, expected)
    assert (metric.score, metric.passed, metric.error) == (float(passes), passes, None)


@pytest.mark.parametrize(("actual", "expected"), [(None, "a"), ("a", None), (None, None)])
def test_none_cannot_be_compared(actual: object, expected: object) -> None:
    assert "is None" in (exact_match(actual, expected).error or "")


@pytest.mark.parametrize("normaliser", ["nfc/1", NORMALISER])
def test_composed_and_decomposed_are_equal_under_a_named_normaliser_only(normaliser: str) -> None:
    assert not exact_match(COMPOSED, DECOMPOSED).passed
    assert not exact_match(COMPOSED, DECOMPOSED, {"normaliser": "plain"}).passed
    assert exact_match(COMPOSED, DECOMPOSED, {"normaliser": normaliser}).passed


def test_nfc_keeps_case_and_spaces() -> None:
    assert not exact_match("A  b", "a b", {"normaliser": "nfc/1"}).passed
    assert exact_match("A  b", "a b", {"normaliser": NORMALISER}).passed


def test_an_unknown_normaliser_lists_the_known_ones() -> None:
    error = exact_match("a", "a", {"normaliser": "nfc"}).error
    assert error == f"normaliser: is unknown, got 'nfc'; expected one of plain, nfc/1, {NORMALISER}. Did you mean 'nfc/1'?"


def test_a_normaliser_needs_text() -> None:
    assert exact_match(1, 1, {"normaliser": "nfc/1"}).error == "actual: is not text, got 1; expected text."


def test_a_comparison_that_raises_could_not_run() -> None:
    class Odd:
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            raise TypeError("incomparable")

    assert exact_match(Odd(), "a").error == "TypeError: incomparable"


@given(st.text())
def test_every_text_equals_its_decomposed_form_under_nfc(text: str) -> None:
    assert exact_match(unicodedata.normalize("NFD", text), text, {"normaliser": "nfc/1"}).passed
