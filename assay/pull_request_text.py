"""The text of a pull request, line by line, with what a reader does not take as said: code fences and HTML comments."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

FENCE, COMMENT = "a code fence", "an HTML comment"
_MARKERS = re.compile(r"^(?:\s|>|[-*+]\s|\d{1,9}[.)]\s)*")
"""What a line of a list or a quotation begins with."""
_FENCE = re.compile(r"(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_OPEN, _CLOSE = "<!--", "-->"


@dataclass(frozen=True)
class Line:
    """A line or a part of one, and what hides it."""

    text: str
    hidden_in: str | None = None


def lines_of(text: str) -> Iterator[Line]:
    """Every line in order; one that is partly a comment comes in parts. A fence or comment left open hides all that follows."""
    fence, depth, in_comment = "", 0, False
    for line in text.splitlines():
        rest = _MARKERS.sub("", line)
        quoted = line[: len(line) - len(rest)].count(">")
        marked = None if in_comment else _FENCE.fullmatch(rest.rstrip())
        if fence:
            yield Line(line, FENCE)
            if marked and marked["fence"].startswith(fence) and not marked["info"].strip() and quoted == depth:
                fence = ""
        elif marked and not (marked["fence"][0] == "`" and "`" in marked["info"]):
            fence, depth = marked["fence"], quoted
            yield Line(line, FENCE)
        else:
            in_comment = yield from _parts(line, in_comment)


def _parts(line: str, in_comment: bool) -> Generator[Line, None, bool]:
    """The line's parts inside and outside of comments; returns whether a comment is open at its end."""
    mark = "start"
    while mark:
        part, mark, line = line.partition(_CLOSE if in_comment else _OPEN)
        yield Line(part, COMMENT if in_comment else None)
        in_comment = in_comment != bool(mark)
    return in_comment
