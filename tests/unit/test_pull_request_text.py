"""Which parts of a pull request's text a reader takes as said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.pull_request_text import COMMENT, FENCE, lines_of


def said(text: str) -> str:
    return "|".join(line.text for line in lines_of(text) if line.hidden_in is None)


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("a\nb", "a|b"),
        ("a\n```\nb\n```\nc", "a|c"),
        ("a\n```python\nb\n```\nc", "a|c"),
        ("a\n~~~\nb\n```\nc\n~~~\nd", "a|d"),
        ("````\nb\n```\nc\n````\nd", "d"),
        ("```\nb\n``` c\n```\nd", "d"),
        ("- ```\n  b\n  ```\nc", "c"),
        ("> ```\n> b\n> ```\n> c", "> c"),
        ("```\n> ```\nb\n```\nc", "c"),
        ("1. ```\n   b\n   ```\nc", "c"),
        ("``` not `a` fence\nb", "``` not `a` fence|b"),
        ("``\nb\n``", "``|b|``"),
        ("a <!-- b --> c", "a | c"),
        ("a <!-- b\nc\nd --> e", "a | e"),
        ("a <!-- b --> c <!-- d", "a | c "),
        ("<!--\n```\n-->\nb", "||b"),
        ("```\n<!--\n```\nb", "b"),
        ("a <!-- b\n", "a "),
    ],
)
def test_fences_and_comments_are_not_said(text: str, visible: str) -> None:
    assert said(text) == visible


def test_what_hides_a_line_is_told() -> None:
    hidden = [line.hidden_in for line in lines_of("a\n```\nb\n```\n<!-- c -->")]
    assert hidden == [None, FENCE, FENCE, FENCE, None, COMMENT, None]


@given(st.text(alphabet="a`~<!->\n *", max_size=60))
def test_nothing_of_a_text_is_lost(text: str) -> None:
    whole = "".join(line.text for line in lines_of(text)).replace("<!--", "").replace("-->", "")
    kept = "".join(text.splitlines()).replace("<!--", "").replace("-->", "")
    assert sorted(whole.replace("-", "").replace("<!", "").replace(">", "")) == sorted(
        kept.replace("-", "").replace("<!", "").replace(">", "")
    )
