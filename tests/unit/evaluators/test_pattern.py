"""regex_match searches with the expected pattern."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluators.pattern import regex_match


@pytest.mark.parametrize(
    ("pattern", "text", "span"),
    [("b+", "abbc", (1, 3)), ("^b", "abc", None), ("(?i)ABC", "xabcx", (1, 4)), ("", "abc", (0, 0)), ("คำ", "หนึ่งคำ", (5, 7))],
)
def test_search_anywhere(pattern: str, text: str, span: tuple[int, int] | None) -> None:
    metric = regex_match(text, pattern)
    assert metric.passed is (span is not None)
    assert metric.score == float(metric.passed)
    assert metric.meta.get("span") == span


def test_a_bad_pattern_could_not_run() -> None:
    assert regex_match("x", "[invalid").error == (
        "expected: is no regular expression (unterminated character set at position 0), got '[invalid'."
    )


@pytest.mark.parametrize(("actual", "expected"), [(None, "a"), ("a", None), (1, "1"), ("1", 1), (b"a", "a")])
def test_only_texts_are_searched(actual: object, expected: object) -> None:
    assert "is not text" in (regex_match(actual, expected).error or "")


@given(st.text(), st.text())
def test_an_escaped_pattern_is_found_where_the_text_is(pattern: str, text: str) -> None:
    assert regex_match(text, re.escape(pattern)).passed is (pattern in text)
