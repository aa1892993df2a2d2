"""Work that a run will need soon, done in a second process meanwhile. The cache is the only channel for its results.

A child that fails, or that cannot be started, costs nothing but time: the run then finds nothing and does the work itself.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from contextlib import suppress

CAN_FORK = hasattr(os, "fork")


class Ahead:
    """At most one child at a time."""

    def __init__(self) -> None:
        self._child: tuple[int, int] | None = None

    def start(self, work: Callable[[], dict[str, float]]) -> None:
        """Begin `work` in a child; it returns the keys that it computed, with the seconds that each took."""
        is_alone = threading.active_count() == 1  # a lock that another thread holds would never be released in the child
        if not (CAN_FORK and is_alone and self._child is None and (os.cpu_count() or 1) > 1):
            return
        receiving, sending = os.pipe()
        try:
            pid = os.fork()
        except OSError:
            os.close(receiving)
            os.close(sending)
            return
        if pid == 0:
            os.close(receiving)
            _run(work, sending)
        os.close(sending)
        self._child = pid, receiving

    @property
    def is_at_work(self) -> bool:
        """Whether there is a child that has not been waited for."""
        return self._child is not None

    def finish(self) -> dict[str, float]:
        """Wait for the child, if there is one; the keys that it computed, with their seconds."""
        if self._child is None:
            return {}
        (pid, receiving), self._child = self._child, None
        with os.fdopen(receiving, "rb") as told:
            data = told.read()
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
        try:
            found = json.loads(data)
        except ValueError:
            return {}
        return {str(key): float(seconds) for key, seconds in found.items()}


def _run(work: Callable[[], dict[str, float]], sending: int) -> None:
    """In the child: do the work, tell its keys, and leave without what a process does at its end."""
    code = 1
    try:
        with os.fdopen(sending, "wb") as tell:
            tell.write(json.dumps(work()).encode())
        code = 0
    except Exception:  # noqa: BLE001, S110  # whatever it is, the parent meets it again and reports it
        pass
    finally:
        os._exit(code)
