"""The written form of a text: what counts as the same characters, and where its words are.

Texts come in as a provider or an annotator wrote them; out go a normal form, words and stems.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import Literal

NORMALISER = "nfkc-casefold-space/1"

Script = Literal["letter", "digit", "hiragana", "katakana", "single", "other"]
_HIRAGANA = range(0x3041, 0x30A0)
_KATAKANA = range(0x30A1, 0x3100)
_SINGLE = (
    range(0x0E00, 0x0F00),
    range(0x1000, 0x10A0),
    range(0x1780, 0x1800),
    range(0x3400, 0xA000),
    range(0x20000, 0x40000),
)
"""Thai and Lao, Burmese, Khmer, Han: written without spaces, so a character stands for a word."""

_SPELT = (
    ("'", re.compile("(ca)n't", re.IGNORECASE), r"\1n not"),
    ("", re.compile("cannot", re.IGNORECASE), "can not"),
    ("'", re.compile("won't", re.IGNORECASE), "will not"),
    ("'", re.compile("n't", re.IGNORECASE), " not"),
    ("$", re.compile(r"\$"), " dollar "),
    ("\u20ac", re.compile("\u20ac"), " euro "),
    ("\u00a3", re.compile("\u00a3"), " pound "),
    ("%", re.compile("%"), " percent "),
    (".", re.compile(r"\b([ap])\.\s?m\b", re.IGNORECASE), r"\1m"),
    (":", re.compile(r"\b(\d\d?):00\b"), r"\1"),
    (":", re.compile(r"\b(\d\d?):([0-5]\d)\b"), r"\1.\2"),
    (",", re.compile(r"(\d),(?=\d{3}(?!\d))"), r"\1"),
)
"""Contractions, money, shares and figures, and how they are read; each after a mark without which there is none."""
_DIGIT = re.compile(r"\d")
_COUNTS = (
    (re.compile(r"(\d)(?:st|nd|rd|th)\b"), r"\1"),
    (re.compile(r"(\d)k\b", re.IGNORECASE), r"\g<1>000"),
)
"""What may follow a digit, and how it is read."""
_ASCII_RUNS = re.compile("[A-Za-z]+|[0-9]+|[^A-Za-z0-9]+")

_APOSTROPHES = dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u2032`"), "'")
_SPELLINGS = (("our", "or"), ("oe", "e"), ("ae", "e"), ("lys", "lyz"))
_BRITISH = re.compile("is(e|ed|es|ing|ation)$")
_VOWELS = frozenset("aeiouy")
_NOT_ADVERB = re.compile("ply$|^(?:ear|fami|ju|ita|re|al|ral|bul|bel|jel|hol|li|assemb|on)ly$")
_LONG = 6
_MIN_STEM = 3


@lru_cache(maxsize=8192)
def normalise(text: str) -> str:
    """The text in NFKC and case-folded, each run of white space one space, none at the ends.

    Idempotent: folding can undo NFKC and the reverse, so both repeat until nothing changes.
    """
    folded = _folded(text)
    if text.isascii():
        return folded
    while folded != text:
        text, folded = folded, _folded(folded)
    return text


def runs(text: str) -> list[tuple[Script, str]]:
    """The text's maximal runs of one script; one of an unspaced script is a run of its own."""
    if text.isascii():
        return [(_script(run[0]), run) for run in _ASCII_RUNS.findall(text)]
    found: list[tuple[Script, str]] = []
    for script, group in groupby(text, _script):
        if script == "single":
            found.extend((script, character) for character in group)
        else:
            found.append((script, "".join(group)))
    return found


def words(text: str) -> list[str]:
    """The words of a text in NFKC and their own case; `3.5` and `C++` are words, `-` is not."""
    text = unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)
    for mark, pattern, spelt in _SPELT:
        if mark in text:
            text = pattern.sub(spelt, text)
    if _DIGIT.search(text):
        for pattern, spelt in _COUNTS:
            text = pattern.sub(spelt, text)
    found: list[str] = []
    is_decimal = False
    for script, run in runs(text):
        if script == "other":
            is_decimal = run == "." and bool(found) and found[-1].isdecimal()
            if found and run[0] in "+#" and found[-1][-1].isalpha():
                found[-1] += run.strip()
        elif is_decimal and script == "digit":
            found[-1] += f".{run}"
            is_decimal = False
        else:
            found.append(run)
            is_decimal = False
    return found


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A rough English stem in one spelling; a word not of ASCII letters comes back as it is."""
    if len(word) <= _MIN_STEM or not (word.isascii() and word.isalpha()):
        return word
    if len(word) >= _LONG:
        for british, american in _SPELLINGS:
            word = word.replace(british, american)
        word = _BRITISH.sub(r"iz\1", word) if "is" in word else word
    return _without_ending(_singular(word))


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return word[:-3] + "y" if word.endswith("ies") else word[:-1]


def _without_ending(word: str) -> str:
    if word.endswith("ied") and len(word) > _MIN_STEM + 1:
        word = word[:-3] + "y"
    for ending in ("ing", "ed", "ly"):
        root = word.removesuffix(ending)
        is_ending = root != word and len(root) >= _MIN_STEM and not _VOWELS.isdisjoint(root)
        if is_ending and not (ending == "ly" and _NOT_ADVERB.search(word)):
            word = root if ending == "ly" else _with_one_consonant(root)
            break
    if len(word) <= _MIN_STEM:
        return word
    return word[:-1] + "i" if word.endswith("y") else word.removesuffix("e")


def _with_one_consonant(root: str) -> str:
    """The root of `stopped` as `stop`; that of `filled` and `missed` keeps both letters."""
    kept = "sz" if len(root) >= _LONG else "lsz"
    is_doubled = len(root) > _MIN_STEM and root[-1] == root[-2] and root[-1] not in kept
    return root[:-1] if is_doubled else root


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@lru_cache(maxsize=4096)
def _script(character: str) -> Script:
    category, point = unicodedata.category(character)[0], ord(character)
    if point in _HIRAGANA:
        return "hiragana"
    if point in _KATAKANA:
        return "katakana"
    if any(point in block for block in _SINGLE):
        return "single"
    if character.isdecimal():
        return "digit"
    return "letter" if category in "LM" else "other"
