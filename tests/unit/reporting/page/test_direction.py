"""Signs of direction stay where they are in order, and end where their text ends."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.reporting.page.direction import contained

LRE, RLE, PDF, LRO, RLO = "\u202a\u202b\u202c\u202d\u202e"
LRI, RLI, FSI, PDI = "\u2066\u2067\u2068\u2069"
ALEF = "\u05d0"
TEXTS = st.text(f"a{ALEF} \n\r\u2028\u2029{LRE}{RLE}{PDF}{LRO}{RLO}{LRI}{RLI}{FSI}{PDI}")


@pytest.mark.parametrize(
    "text",
    ["", "c1", ALEF, f"{RLI}{ALEF}{PDI} (1)", f"{RLE}{ALEF}{PDF}", f"{LRI}{RLE}{ALEF}{PDF}{PDI}", f"{FSI}a{PDI}\n{FSI}b{PDI}"],
)
def test_a_text_with_its_signs_in_pairs_stays_as_it_is(text: str) -> None:
    assert contained(text) == text


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (f"a{RLO}b{PDF}", "a\ufffdb\ufffd"),
        (f"a{LRO}b", "a\ufffdb"),
        (f"a{RLI}b", f"a{RLI}b{PDI}"),
        (f"a{RLE}{LRI}b", f"a{RLE}{LRI}b{PDI}{PDF}"),
        (f"a{PDI}b{PDF}c", "a\ufffdb\ufffdc"),
        (f"{RLI}{RLE}a{PDI}b", f"{RLI}{RLE}a{PDI}b"),  # an isolate ends with the embeddings in it
        (f"{RLE}{RLI}a{PDF}b", f"{RLE}{RLI}a\ufffdb{PDI}{PDF}"),  # an embedding outside of an isolate cannot end in it
        (f"{RLI}a\nb{PDI}", f"{RLI}a{PDI}\nb\ufffd"),
    ],
)
def test_what_is_open_is_closed_and_what_closes_nothing_is_seen(text: str, made: str) -> None:
    assert contained(text) == made


@given(TEXTS)
def test_after_every_line_nothing_is_open(text: str) -> None:
    for line in contained(text).splitlines():
        assert _depth(line) == 0


@given(TEXTS)
def test_what_is_contained_stays_so_and_no_letter_is_lost(text: str) -> None:
    made = contained(text)

    assert contained(made) == made
    assert _letters(made.replace("\ufffd", "")) == _letters(text)


def _depth(line: str) -> int:
    """How many signs are open at the end of the line, by the rules of the Unicode Bidirectional Algorithm."""
    opened: list[str] = []
    for kind in map(unicodedata.bidirectional, line):
        assert kind not in {"LRO", "RLO"}
        if kind in {"LRI", "RLI", "FSI", "LRE", "RLE"}:
            opened.append(kind[-1])
        elif kind == "PDI":
            while opened.pop() != "I":
                pass
        elif kind == "PDF":
            assert opened.pop() == "E"
    return len(opened)


def _letters(text: str) -> str:
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
