"""What a character does in a word: belongs to one, is one, carries on what came before, or stands between words."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

WORD, ALONE, MARK, BETWEEN = "w", "a", "m", " "

_JOINERS = "\u200c\u200d"
"""Zero-width non-joiner and joiner: inside words of Persian and the Indic scripts."""
_UNSPACED = (
    range(0x0E00, 0x0F00),  # Thai, Lao
    range(0x1000, 0x10A0),  # Burmese
    range(0x1780, 0x1800),  # Khmer
    range(0x1950, 0x19E0),  # Tai Le, New Tai Lue
    range(0x1A20, 0x1AB0),  # Tai Tham
    range(0x3005, 0x3008),  # iteration mark, closing mark and zero among Han
    range(0x3040, 0x3100),  # kana
    range(0x3100, 0x3130),  # Bopomofo
    range(0x31A0, 0x3200),  # more Bopomofo and kana
    range(0x3400, 0xA000),  # Han
    range(0xF900, 0xFB00),  # Han, compatibility forms
    range(0xFF66, 0xFFA0),  # kana, half width
    range(0x1AFF0, 0x1B170),  # kana, older forms
    range(0x20000, 0x40000),  # Han, rare
)


@lru_cache(maxsize=8192)
def role(character: str) -> str:
    """One of WORD, ALONE, MARK, BETWEEN.

    Letters and digits make words. Combining marks belong to the letter before them: they are half of what is written in Thai,
    Nepali or Arabic. Scripts written without spaces have no visible word borders and no dictionary is consulted, so there
    each letter with its marks stands alone, as Han characters do for most scorers of Chinese.
    """
    kind = unicodedata.category(character)[0]
    if kind == "M" or character in _JOINERS:
        return MARK
    if kind not in "LN":
        return BETWEEN
    point = ord(character)
    return ALONE if any(point in block for block in _UNSPACED) else WORD


def roles(text: str) -> str:
    """The role of each character, one letter for each."""
    return "".join(map(role, text))
