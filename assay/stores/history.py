"""The history on disk: `<evidence>/<suite>/history.jsonl`, one line per subject and run, only ever appended to.

Writers take an exclusive lock on the file, readers a shared one; the kernel drops either when its holder dies. So a killed
writer leaves at most one torn line, the last, which the next writer closes and never deletes. Assumed is a file system whose
`flock` holds between all processes that write: a local one, or a network one that passes locks on. One without is refused.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from assay.digest import canonical
from assay.errors import InputError, Problem, UsageError
from assay.model.history import History, HistoryLine

HISTORY = "history.jsonl"
_CHUNK = 1 << 20


def history_file(folder: Path, suite: str) -> Path:
    """Where the history of a suite lies below the evidence folder."""
    return folder / suite / HISTORY


def append(folder: Path, lines: Iterable[HistoryLine]) -> int:
    """Add the lines whose keys are not there yet; returns how many those were. When it returns, they survive a crash.

    `folder` is the evidence folder. Raises UsageError where it cannot be written; then no line is there in part.
    """
    by_suite: dict[str, list[HistoryLine]] = {}
    for line in lines:
        by_suite.setdefault(line.suite, []).append(line)
    try:
        return sum(_append(history_file(folder, suite), found) for suite, found in by_suite.items())
    except OSError as error:
        what = f"history cannot be written ({error.strerror or error})"
        raise UsageError(Problem(str(folder), what, remedy="Set ASSAY_EVIDENCE to a folder that can be.")) from None


def read(folder: Path, suite: str, newest: int | None = None) -> History:
    """The history of a suite, or the newest lines of it; empty where there is none. Lines that mean nothing are counted.

    Raises InputError.
    """
    path = history_file(folder, suite)
    try:
        with _held(path, os.O_RDONLY | os.O_NONBLOCK, fcntl.LOCK_SH) as file:
            return _parsed(_content(file), suite, newest)
    except FileNotFoundError:
        return History()
    except OSError as error:
        raise InputError(Problem(str(path), f"history cannot be read ({error.strerror or error})")) from None


def _append(path: Path, lines: Sequence[HistoryLine]) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    with _held(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK, fcntl.LOCK_EX) as file:
        content = _content(file)
        known = set(_keys_near(lines, content))
        before = b"" if not content or content.endswith(b"\n") else b"\n"
        new = 0
        for line in lines:
            if line.key not in known:
                _write(file, before + canonical(line.model_dump(mode="json")) + b"\n")
                known.add(line.key)
                before, new = b"", new + 1
        if new:
            os.fsync(file)
        return new


def _keys_near(lines: Sequence[HistoryLine], content: bytes) -> Iterator[tuple[str, ...]]:
    """The keys of all lines that could be equal to one of these. Only they are parsed, so that a long history costs little."""
    marks = {(line.commit or line.recording).encode() for line in lines}
    for text in content.split(b"\n"):
        line = _line(text) if any(mark in text for mark in marks) else None
        if line is not None:
            yield line.key


def _write(file: int, data: bytes) -> None:
    """The whole text in one write, or as if nothing had been written."""
    start = os.fstat(file).st_size
    try:
        written = os.write(file, data)
        while written < len(data):  # a full disk takes a part; the next write says why
            written += os.write(file, data[written:])
    except OSError:
        os.ftruncate(file, start)
        raise


@contextmanager
def _held(path: Path, flags: int, lock: int) -> Iterator[int]:
    """The open and locked file that lies at `path`, also when another was put in its place while this one was waited for."""
    while True:
        file = os.open(path, flags | os.O_CLOEXEC, 0o644)
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise OSError(None, "is not a regular file")
            fcntl.flock(file, lock)
            if _lies_at(path, file):
                yield file
                return
        finally:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)  # closing alone keeps it while a forked process has the file too
            os.close(file)


def _lies_at(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


def _content(file: int) -> bytes:
    return b"".join(iter(lambda: os.read(file, _CHUNK), b""))


def _parsed(content: bytes, suite: str, newest: int | None) -> History:
    """Every line that means something, the first of each key."""
    texts = [text for text in content.split(b"\n") if text.strip()]
    before = max(len(texts) - newest, 0) if newest else 0
    found: dict[tuple[str, ...], HistoryLine] = {}
    unreadable = repeated = 0
    for text in texts[before:]:
        line = _line(text)
        if line is None or line.suite != suite:
            unreadable += 1
        elif line.key in found:
            repeated += 1
        else:
            found[line.key] = line
    return History(tuple(found.values()), unreadable, repeated, before)


def _line(text: bytes) -> HistoryLine | None:
    try:
        return HistoryLine.model_validate_json(text)
    except ValidationError:
        return None
