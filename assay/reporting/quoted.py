"""Text of gold sets, models and pull requests as it may stand in a comment: no markup, nobody called, nothing linked."""

from __future__ import annotations

import re

from assay.reporting.markdown import code, plain

SHOWN = 300
_ZERO_WIDTH = "&#8203;"
_LINKING = re.compile(r"@|\\#|:(?=//)|\bwww(?=\.)|\bgh(?=-\d)", re.IGNORECASE)
"""After these a forge looks for a person, an issue or an address."""


def quiet(text: str, limit: int = SHOWN) -> str:
    """The text as words: on one line, cut at the limit, with nothing that a forge would render, link or notify."""
    escaped = plain(short(text, limit)).replace("$", "&#36;")
    return _LINKING.sub(lambda found: found[0] + _ZERO_WIDTH, escaped)


def quiet_code(text: str, limit: int = SHOWN) -> str:
    """The text as a code span, in which a forge looks for nothing. Not for a table, whose cells end at a bar."""
    return code(short(text, limit))


def short(text: str, limit: int = SHOWN) -> str:
    """The text on one line, without what cannot be seen, and at most so long."""
    line = " ".join("".join(c if c.isprintable() or c.isspace() else "\ufffd" for c in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
