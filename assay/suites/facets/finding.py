"""load, score: is a facet in a text? A substring, whatever the case; nothing is understood."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from assay.metrics.text import runs

NORMALISER = "nfc-casefold/1"
"""Composed and decomposed accents are the same, as are upper and lower case."""
JOINTS = frozenset(".,-/")
"""What makes one number or id of two runs of letters and digits."""
WORDS = frozenset({"letter", "digit"})
BOTH = 2


def folded(text: str) -> str:
    """The text in NFC, case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def is_found(facet: str, texts: Iterable[str]) -> bool:
    """Whether the facet is a substring of any of the texts. A blank one is never found."""
    wanted = folded(facet)
    return bool(wanted.strip()) and any(wanted in folded(text) for text in texts)


def found_among(facets: Sequence[str], texts: Iterable[str]) -> list[str]:
    """The facets that are found, in their order."""
    read = list(texts)
    return [facet for facet in facets if is_found(facet, read)]


def cut_words(facet: str, text: str) -> list[str]:
    """The words of the text that an occurrence of the facet holds only a part of, in order; [] where each stands free.

    A run of letters and digits is a word, with the next one where a full stop, comma, hyphen or slash stands beside a digit:
    `W-17` cuts `W-17-B`, and `2.4` cuts `2.4.1`. Scripts that are written without spaces have no words to cut.
    """
    wanted, read = folded(facet), folded(text)
    words = list(_words(read))
    ends = [(at, at + len(wanted)) for at in _places(wanted, read)]
    return [read[start:end] for at, to in ends for start, end in words if start < at < end or start < to < end]


def _places(wanted: str, text: str) -> Iterator[int]:
    at = text.find(wanted) if wanted.strip() else -1
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Where each word starts and ends."""
    start, at = None, 0
    for script, run in runs(text):
        end = at + len(run)
        if start is None and script in WORDS:
            start = at
        elif start is not None and script not in WORDS and not _is_join(text, at, end):
            yield start, at
            start = None
        at = end
    if start is not None:
        yield start, at


def _is_join(text: str, at: int, end: int) -> bool:
    """Whether one joint stands between letters and digits, beside a digit at least."""
    sides = text[at - 1] + text[end : end + 1]
    return text[at:end] in JOINTS and len(sides) == BOTH and sides.isalnum() and any(side.isdecimal() for side in sides)
