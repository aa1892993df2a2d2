"""`python recorder.py`: a process that has imported everything, and forks a command line for each line it reads.

In: `{"argv": [...], "folder": path, "environ": {...}, "out": path, "last": n}`. Out: the child's pid on a line, then its
exit code, negative for a signal.
A child is killed with SIGKILL at its n-th moment; moments lie before and within each write to a journal, before and after
each sync, and before each step that creates, renames or removes a file. Between two moments nothing on a disk differs.
n = 0 lives, and says at the end of its output how many moments there were.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable

import rich.progress  # as the rest: so that no child has to import it
from openai import AsyncOpenAI

import assay.providers.asking
import assay.suites.extraction.cases
import flows.recording
import flows.suite_run
from assay.cli import entry

LOADED = (rich.progress, assay.providers.asking, assay.suites.extraction.cases, flows.recording, flows.suite_run)
STEPS = {"os.rename", "os.remove", "tempfile.mkstemp"}
"""What the audit hooks of Python call them; `os.rename` is also what replaces a file."""


def watched(last: int) -> Callable[[], int]:
    """Die at the moment of this number; returns what tells how many there were."""
    taken, write, fsync = 0, os.write, os.fsync

    def moment() -> bool:
        nonlocal taken
        taken += 1
        return taken == last

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def torn_write(file: int, data: bytes) -> int:
        if moment():
            die()
        if moment():
            write(file, data[: len(data) // 2])
            die()
        return write(file, data)

    def observed_fsync(file: int) -> None:
        if moment():
            die()
        fsync(file)
        if moment():
            die()

    sys.addaudithook(lambda event, _: die() if event in STEPS and moment() else None)
    os.write, os.fsync = torn_write, observed_fsync
    return lambda: taken


def run(argv: list[str], out: str, last: int) -> None:
    """The child: the command line with its output in a file."""
    file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.argv = ["assay", *argv]
    taken = watched(last)
    code = entry()
    print(f"moments {taken()}", flush=True)
    sys.stderr.flush()
    os._exit(code)


def main() -> None:
    assert AsyncOpenAI(base_url="http://127.0.0.1", api_key="none").chat.completions  # its parts are imported when asked for
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            os.chdir(order["folder"])
            os.environ.update(order["environ"])
            run(order["argv"], order["out"], order["last"])
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
