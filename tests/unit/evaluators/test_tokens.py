"""The tokens of rouge, in scripts with and without spaces."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluators.characters import BETWEEN, role
from assay.evaluators.tokens import tokens


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" -!?\n", []),
        ("Don't STOP w1_w2 3.5", ["don", "t", "stop", "w1", "w2", "3", "5"]),
        ("Stra\u00dfe CAFÉ", ["strasse", "café"]),
        ("cafe\u0301 au lait", ["cafe\u0301", "au", "lait"]),
        ("今天 ok很冷", ["今", "天", "ok", "很", "冷"]),
        ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
        ("नेपाल सुन्दर छ।", ["नेपाल", "सुन्दर", "छ"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),  # noqa: RUF001 (Persian is the case)
        ("すしABC寿司", ["す", "し", "abc", "寿", "司"]),
        ("서울은 춥다", ["서울은", "춥다"]),
        ("ဗမာ ភាសា", ["ဗ", "မာ", "ភា", "សា"]),
        ("\U0001f600", []),
    ],
)
def test_tokens_of(text: str, found: list[str]) -> None:
    assert tokens(text) == found


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_tokens_are_runs_of_letters_and_digits(text: str) -> None:
    assert tokens(text) == re.findall("[a-z0-9]+", text.lower())


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_one_foreign_letter_elsewhere_changes_no_ascii_token(text: str) -> None:
    assert tokens(f"{text} \u00e9") == [*tokens(text), "\u00e9"]


@given(st.text())
def test_no_letter_digit_or_mark_is_lost(text: str) -> None:
    folded = text.casefold()
    assert "".join(tokens(text)) == "".join(character for character in folded if role(character) != BETWEEN)


@given(st.text(alphabet=st.characters(categories=("Lo", "Mn", "Mc")), min_size=1))
def test_no_token_starts_with_a_mark_that_had_a_letter_before_it(text: str) -> None:
    for token in tokens(text)[1:]:
        assert unicodedata.category(token[0])[0] != "M"
