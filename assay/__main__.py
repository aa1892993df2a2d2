"""`python -m assay`, the same as `assay`."""

from __future__ import annotations

import gc
import os
import sys

from assay.cli import entry


def main() -> None:
    """Run the command line and exit with its code."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.set_threshold(200_000, 50, 100)
    code = entry()
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
