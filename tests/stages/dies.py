"""`python dies.py N ARGUMENTS`: the command line, killed with SIGKILL just before its N-th step that changes a disk.

Between two such steps nothing on disk differs, so these are all the moments there are. N = 0 lives, and counts the steps.
"""

from __future__ import annotations

import os
import signal
import sys

from assay.cli import entry

STEPS = {"os.mkdir", "os.rename", "os.remove", "os.chmod", "tempfile.mkstemp", "tempfile.mkdtemp"}
"""What the audit hooks of Python call them; `os.rename` is also what replaces a file."""


def main() -> int:
    last, taken = int(sys.argv.pop(1)), 0

    def watch(event: str, _: object) -> None:
        nonlocal taken
        if event in STEPS:
            taken += 1
            if taken == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    code = entry()
    print(f"steps {taken}", file=sys.stderr)  # for the test that started it
    return code


if __name__ == "__main__":
    sys.exit(main())
