"""Text from outside as it may stand in the terminal."""

from __future__ import annotations

_STEERING = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160)], "\ufffd")
"""Characters that could steer the terminal: all controls but tab and the ends of lines."""


def harmless(text: str) -> str:
    """The text with nothing in it that could steer the terminal."""
    return text.translate(_STEERING)


def one_line(text: str) -> str:
    """The same in one line, its whitespace folded."""
    return harmless(" ".join(text.split()))
