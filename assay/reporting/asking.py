"""How far asking is, as lines on stderr: what a person sees of it where nothing else moves."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import ceil

LINES = 20
"""How many lines the asking of one provider takes at most."""


def told_on_stderr(provider: str) -> Callable[[int, int], None]:
    """Takes how many are done, of how many, and tells of each, or of every so many where they are more than `LINES`."""

    def tell(done: int, of: int) -> None:
        if done == of or done % max(1, ceil(of / LINES)) == 0:
            print(f"asking {provider}: {done} of {of} done", file=sys.stderr, flush=True)

    return tell
