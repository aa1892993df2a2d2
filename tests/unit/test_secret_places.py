"""Where a file holds secrets: by line, as it stands and without its escapes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.secret_places import NOWHERE, secret_places


def search(text: str) -> list[str]:
    return ["an x"] if "XX" in text else []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("clean\nX X\n", []),
        ("one\ntwo XX\nthree XX\n", [2, 3]),
        ('{"a": 1}\n{"a": ["\\u0058X"]}\n', [2]),
        ('{"\\u0058X": 1}\n', [1]),
        ('{\n "a": "XX"\n}\n', [2]),
        ('{\n "a": "\\u0058X"\n}\n', [NOWHERE]),
        ("[" * 100_000 + "XX", [1]),
    ],
    ids=["empty", "clean", "text", "escaped", "key", "document", "escaped in a document", "too deep"],
)
def test_a_secret_is_told_by_its_line(text: str, wanted: list[int]) -> None:
    assert secret_places(text.encode(), search) == [(line, "an x") for line in wanted]


def test_bytes_that_are_no_text_are_searched_too() -> None:
    assert secret_places(b"\xff\x00XX\n", search) == [(1, "an x")]


@given(st.lists(st.text(st.sampled_from('Xx"\\\n\u00e9 ')), max_size=5), st.booleans())
def test_a_secret_is_found_however_json_writes_it(texts: list[str], ascii_only: bool) -> None:
    lines = [json.dumps({"text": text}, ensure_ascii=ascii_only) for text in texts]
    wanted = [(number, "an x") for number, text in enumerate(texts, start=1) if "XX" in text]
    assert secret_places("\n".join(lines).encode(), search) == wanted
