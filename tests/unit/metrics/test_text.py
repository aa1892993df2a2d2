"""The rules of the normal form and of words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.metrics.text import normalise, runs, stem, words


@given(st.text())
@example("\u1e9e\u0345")
@example("\u0345\u0301")
@example("\u03d4\u0301")
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text())
def test_normal_form_is_nfkc_and_folded(text: str) -> None:
    normal = normalise(text)
    assert unicodedata.normalize("NFKC", normal) == normal
    assert normal.casefold() == normal


@given(st.lists(st.text(alphabet="abcé")))
def test_any_run_of_white_space_is_one_space(parts: list[str]) -> None:
    assert normalise("\u2003\n\t ".join(parts)) == normalise(" ".join(parts))


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("", ""),
        (" \n\u3000", ""),
        ("Straße", "strasse"),
        ("Cafe\u0301", "café"),
        ("Ｗｉｎｄｏｗｓ　１１", "windows 11"),  # noqa: RUF001 (full width is the case)
        ("A \u00a0\n B", "a b"),
    ],
)
def test_normal_form_of(text: str, normal: str) -> None:
    assert normalise(text) == normal


@given(st.text())
def test_runs_join_to_the_text(text: str) -> None:
    assert "".join(run for _, run in runs(text)) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The user can't pay $2,500.", ["The", "user", "can", "not", "pay", "dollar", "2500"]),
        ("20mg, 5.3 and C++", ["20", "mg", "5.3", "and", "C++"]),
        ("on May 3rd.", ["on", "May", "3"]),
        ("from 1:00 to 2:30 p.m.", ["from", "1", "to", "2.30", "pm"]),
        ("संगीत सीखता है।", ["संगीत", "सीखता", "है"]),
        ("ケーキの姉に", ["ケーキ", "の", "姉", "に"]),
        ("住在北京", ["住", "在", "北", "京"]),
        ("!?", []),
    ],
)
def test_words_of(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    "forms",
    [
        ("colour", "color", "colours"),
        ("organise", "organizes", "organising"),
        ("run", "running"),
        ("bake", "baked", "baking"),
        ("study", "studies"),
        ("travel", "travelled"),
        ("fill", "filled"),
        ("reply", "replies", "replied", "replying"),
    ],
)
def test_forms_of_a_word_share_their_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(("a", "b"), [("early", "ear"), ("apply", "app"), ("family", "famine")])
def test_other_words_have_other_stems(a: str, b: str) -> None:
    assert stem(a) != stem(b)
