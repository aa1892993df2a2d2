"""Writes the JSON Schemas of suite.yaml and of the gold files to `schemas/`: `python tools/json_schemas.py [--check]`.

With `--check` nothing is written; files that are not what would be written are named, exit 1.
"""

from __future__ import annotations

import sys
from pathlib import Path

from assay.schemas import file_name, schemas, text_of
from assay.stores.files import write_atomically

FOLDER = Path(__file__).resolve().parent.parent / "schemas"
OTHERS = frozenset({"run-summary.schema.json", "change-summary.schema.json"})
"""Schemas of what assay prints, which are written by hand."""


def main(arguments: list[str]) -> int:
    """Write, or with `--check` only compare."""
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    stale = differing(FOLDER)
    for path, text in stale.items():
        if arguments:
            print(f"schemas/{path.name} is not what the models say. Write it with `python tools/json_schemas.py`.")
        elif text is None:
            path.unlink()
        else:
            write_atomically(path, text.encode())
            print(f"schemas/{path.name}")
    return int(bool(arguments and stale))


def differing(folder: Path) -> dict[Path, str | None]:
    """The files of a folder that are to be written, with their text; None for one that has no model any more."""
    wanted = {folder / file_name(name): text_of(schema) for name, schema in schemas().items()}
    strange = {path: None for path in folder.glob("*.schema.json") if path not in wanted and path.name not in OTHERS}
    changed = {path: text for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text}
    return {**changed, **strange}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
