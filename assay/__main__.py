"""`python -m assay`, the same as `assay`."""

from __future__ import annotations

import sys

from assay.cli import entry


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(entry())


if __name__ == "__main__":
    main()
