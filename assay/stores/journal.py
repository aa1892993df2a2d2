"""The journal of a recording in progress: each outcome is on disk before the next is asked, and one process holds it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from assay.digest import canonical
from assay.errors import Problem, Refused
from assay.model.exchange import Exchange


class Journal:
    """Append-only, one exchange a line, fsynced. Holds a lock that the kernel drops when its holder dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock_path = path.with_suffix(".lock")

    def __enter__(self) -> Self:
        """Take the lock. Raises Refused, naming the holder's pid, when another process records the same cassette."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._lock, 32).decode(errors="replace").strip() or "unknown"
            os.close(self._lock)
            raise Refused(
                Problem(self._path.name, f"is being recorded by process {holder}", remedy="Wait for it, or stop it.")
            ) from None
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)
        try:
            self._found = self._recovered()
        except BaseException:
            os.close(self._lock)
            raise
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Let go of file and lock; the journal itself stays."""
        os.close(self._file)
        os.close(self._lock)

    @property
    def found(self) -> tuple[Exchange, ...]:
        """What an interrupted recording left."""
        return self._found

    def append(self, exchange: Exchange) -> None:
        """Write one line; when this returns, it survives a crash."""
        line = canonical(exchange.model_dump(mode="json")) + b"\n"
        start = os.fstat(self._file).st_size
        written = 0
        try:
            while written < len(line):
                written += os.write(self._file, line[written:])
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, start)
            raise

    def remove(self) -> None:
        """Delete the journal once the cassette holds all of it."""
        self._path.unlink(missing_ok=True)

    def _recovered(self) -> tuple[Exchange, ...]:
        """The whole lines; a last line that a crash tore is cut off, so that the next append starts a line."""
        if not self._path.exists():
            return ()
        data = self._path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) != len(data):
            os.truncate(self._path, len(whole))
        try:
            return tuple(Exchange.model_validate_json(line) for line in whole.splitlines() if line.strip())
        except ValidationError:
            raise Refused(
                Problem(str(self._path.name), "is damaged", remedy=f"Move {self._path} away to record from the start.")
            ) from None
