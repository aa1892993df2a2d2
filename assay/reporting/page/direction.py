"""Signs of direction in a text from outside: they may turn the text itself, and nothing that stands beside it.

The page's style isolates every element with such a text. A sign that is opened and never closed, or closed and never opened,
would reach through that all the same.
"""

from __future__ import annotations

import re

_REPLACED = "\ufffd"
_EMBEDS, _ISOLATES = "\u202c", "\u2069"
"""What closes an embedding, and what closes an isolate."""
_CLOSED_BY = {"\u202a": _EMBEDS, "\u202b": _EMBEDS, "\u2066": _ISOLATES, "\u2067": _ISOLATES, "\u2068": _ISOLATES}
_OVERRIDES = re.compile("[\u202d\u202e]")
"""They turn letters against their own direction, which no language needs."""
_SIGNS = re.compile("[\u202a-\u202c\u2066-\u2069]")
_LINE_ENDS = re.compile("([\n\r\u2028\u2029])")


def contained(text: str) -> str:
    """The text with no override and with its other signs of direction in pairs within each line.

    What is open at the end of a line is closed there. Overrides, and what closes nothing, become U+FFFD.
    """
    text = _OVERRIDES.sub(_REPLACED, text)
    return "".join(map(_paired, _LINE_ENDS.split(text))) if _SIGNS.search(text) else text


def _paired(line: str) -> str:
    found: list[str] = []
    awaited: list[str] = []
    for sign in line:
        left = _left(sign, awaited)
        found.append(_REPLACED if left is None else sign)
        awaited = awaited if left is None else left
    return "".join([*found, *reversed(awaited)])


def _left(sign: str, awaited: list[str]) -> list[str] | None:
    """What is awaited after the sign; None where it closes nothing. An isolate ends with all embeddings in it."""
    if sign in _CLOSED_BY:
        return [*awaited, _CLOSED_BY[sign]]
    if sign not in {_EMBEDS, _ISOLATES}:
        return awaited
    if sign not in awaited or (sign == _EMBEDS and awaited[-1] != _EMBEDS):
        return None
    return awaited[: -1 - awaited[::-1].index(sign)]
