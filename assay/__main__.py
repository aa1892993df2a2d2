"""`python -m assay`, the same as `assay`."""

from __future__ import annotations

import gc
import os
import sys

from assay.cli import entry
from assay.namesakes import find_ours_here

YOUNG = 200_000
"""New objects after which garbage is looked for: a run makes few cycles, and CPython's 700 cost a tenth of its time."""


def main() -> None:
    """Run the command line and exit with its code.

    Plugins that other packages register with pydantic are not looked up, unless the user's environment says otherwise.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.set_threshold(YOUNG, 50, 100)
    find_ours_here()
    code = entry()
    gc.freeze()  # what is left goes with the process; the interpreter would search it for cycles first
    sys.exit(code)


if __name__ == "__main__":
    main()
