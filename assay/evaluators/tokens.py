"""The tokens that rouge counts."""

from __future__ import annotations

import re

from assay.evaluators.characters import ALONE, MARK, WORD, roles

_TOKEN = re.compile(f"{ALONE}{MARK}*|[{WORD}{MARK}]+")
_ASCII = bytes(ord(chr(i).lower()) if i < ord("\x80") and chr(i).isalnum() else ord(" ") for i in range(256))
"""Each byte of an ASCII text as a lower-case letter, a digit or a space."""


def tokens(text: str) -> list[str]:
    """The case-folded tokens of a text, in order; [] when it has no letter or digit.

    A token is a maximal run of letters, digits and their marks, or one letter with its marks in a script without spaces. On
    ASCII these are exactly the tokens of rouge-score 0.1.2 without stemming.
    """
    if text.isascii():
        return text.encode().translate(_ASCII).decode().split()
    folded = text.casefold()
    return [folded[found.start() : found.end()] for found in _TOKEN.finditer(roles(folded))]
