"""Reading and writing files: whole or not at all, and never outside a given folder."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from assay.errors import InputError, Problem

FILE_LIMIT = 512 << 20
"""The largest file that is read, in bytes."""


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` so that the file is either the old one or the whole new one, also after a crash."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=_prefix(path))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def remove_leftovers(*paths: Path) -> None:
    """Remove the half-written files that a killed writer of these paths left. Only for who holds their lock."""
    for path in paths:
        for left in path.parent.glob(f"{_prefix(path)}*"):
            left.unlink(missing_ok=True)


def _prefix(path: Path) -> str:
    return f".tmp-{path.name}-"


def read_file(path: Path, shown: str, remedy: str = "") -> bytes:
    """The bytes of a regular file. Raises InputError when it is missing, not a file, unreadable or huge."""
    try:
        if path.is_dir():
            raise InputError(Problem(shown, "is a folder", expected="a file", remedy=remedy))
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise InputError(Problem(shown, "is not a regular file", expected="a file", remedy=remedy))
        size = found.st_size
        if size > FILE_LIMIT:
            raise InputError(Problem(shown, f"file of {size:,} bytes", expected=f"at most {FILE_LIMIT:,}"))
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(Problem(shown, "no such file", remedy=remedy)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(Problem(shown, f"cannot be read ({reason})", remedy=remedy)) from None


def inside(folder: Path, relative: str, shown: str) -> Path:
    """`folder / relative`, refused (InputError) when it leads out of the folder, also by a link."""
    path = folder / relative
    try:
        resolved = path.resolve()
    except (OSError, ValueError, RuntimeError):
        resolved = None
    if resolved is None or not resolved.is_relative_to(folder.resolve()):
        raise InputError(Problem(shown, "leads out of its folder", relative, f"a path below {folder.name}/"))
    return path
