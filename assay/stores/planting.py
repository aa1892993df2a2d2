"""Several new files of a project, written all or not at all."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from assay.errors import Problem, UsageError
from assay.stores.files import write_atomically

NOTHING = "Nothing was written."


def plant(root: Path, files: Mapping[str, bytes], replacing: Collection[str] = ()) -> None:
    """Write every file, by its path relative to the root, in the given order.

    Only paths in `replacing` may be there already. When one cannot be written, what was written is taken away again, with
    the folders that were made for it. Raises UsageError; a process that is killed midway leaves what it had written.
    """
    in_the_way = [path for path in files if path not in replacing and os.path.lexists(root / path)]
    if in_the_way:
        raise UsageError([Problem(path, "is in the way", expected="nothing there", remedy=NOTHING) for path in in_the_way])
    before = {path: (root / path).read_bytes() for path in files if (root / path).exists()}
    parents = {folder for path in files for folder in (root / path).parents if folder.is_relative_to(root)}
    new_folders = sorted((folder for folder in parents if not folder.exists()), reverse=True)
    done: list[str] = []
    try:
        for path, data in files.items():
            done.append(path)
            write_atomically((root / path).resolve(), data)
    except BaseException as error:
        _take_away(root, done, before, new_folders)
        if isinstance(error, OSError):
            raise UsageError(Problem(done[-1], f"cannot be written ({error.strerror})", remedy=NOTHING)) from None
        raise


def _take_away(root: Path, paths: Collection[str], before: Mapping[str, bytes], folders: Collection[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            if path in before:
                write_atomically((root / path).resolve(), before[path])
            else:
                (root / path).unlink(missing_ok=True)
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()
