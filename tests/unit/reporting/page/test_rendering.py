"""Everything that goes into a page is cleaned and escaped, and nothing that is missing goes unnoticed."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from assay.reporting.page.rendering import constant, embedded, rendered, shown
from assay.reporting.page.sabotage import matrix_told
from tests.unit.reporting.page.pages import matrix
from tests.unit.reporting.page.tree import tree_of
from tests.unit.reporting.reports import CONTROL, HOSTILE

TEXTS = st.text(st.characters(exclude_categories=[]))
BREAKOUTS = "</script><!--<script>]]>\u2028\u2029&lt;"


@given(TEXTS)
@example(HOSTILE)
@example(BREAKOUTS)
@example(CONTROL)
@example("\ud83d")
def test_json_in_a_page_reads_back_and_cannot_end_its_element(text: str) -> None:
    found = embedded({"text": [text]})

    assert json.loads(found) == {"text": [shown(text)]}
    assert not set("<>&\u2028\u2029") & set(found)
    assert found.encode()  # no half of a surrogate pair is left


def test_json_in_a_page_is_escaped_to_the_letter() -> None:
    assert embedded({"a": ["</script>", "\u2028", 1, None]}) == r'{"a":["\u003c/script\u003e","\u2028",1,null]}'


@given(TEXTS)
@example(HOSTILE)
@example('" onload="alert(1)')
def test_text_in_a_template_stays_text(text: str) -> None:
    made = tree_of(rendered("run_stale.html.j2", ages=[_age(text)], timing={"stale_after_days": 90}).encode())

    (paragraph,) = [child for child in made.inside()]
    assert (paragraph.tag, paragraph.attributes) == ("p", {"class": "stale"})
    assert paragraph.raw == f"Stale, over 90 days old: recording of {shown(text)} (100 days)."


def _age(provider: str) -> dict[str, object]:
    return {"what": "recording", "provider": provider, "days": 100, "is_stale": True}


def test_what_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="stale_after_days"):
        rendered("run_stale.html.j2", ages=[_age("p")], timing={})


def test_controls_and_halves_of_pairs_are_seen_as_such() -> None:
    assert shown("a\x00b\x1b[31m\ud800c\ttab\nline\U0001f600") == "a\ufffdb\ufffd[31m\ufffdc\ttab\nline\U0001f600"


def test_directions_are_contained() -> None:
    assert shown("\u2067\u05d0") == "\u2067\u05d0\u2069"
    assert embedded(["c1\u202ed1"]) == '["c1\ufffdd1"]'


def test_the_constants_cannot_end_their_elements() -> None:
    for name in ("page.css", "page.js"):
        assert not any(sign in constant(name) for sign in ("</", "<!--", "innerHTML", "http", "@import"))


def test_markup_of_a_macro_is_escaped_once() -> None:
    text = rendered("run_matrix.html.j2", matrix=matrix_told(matrix(suite="<b>&")))

    assert "&lt;b&gt;&amp; v1: NOT AS DECLARED" in text
    assert "<svg" in text
