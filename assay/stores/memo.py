"""A memo of paid-for replies, by request digest: bytes only, nothing evicted, pickled rows refused even when planted."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from diskcache import Cache, Disk
from diskcache.core import MODE_BINARY, MODE_RAW, UNKNOWN

NO_LIMIT = 2**40


class BytesDisk(Disk):  # type: ignore[misc]  # diskcache ships no types
    """Text keys and bytes values; a row of any other kind is refused on the way in and on the way out."""

    def put(self, key: object) -> tuple[Any, bool]:
        """The key as it is stored."""
        if type(key) is not str:
            raise TypeError("keys are texts")
        stored: tuple[Any, bool] = super().put(key)
        return stored

    def get(self, key: object, raw: bool) -> object:  # diskcache's signature
        """The key as it was given."""
        if not raw:
            raise ValueError("a pickled key is refused")
        return super().get(key, raw)

    def store(self, value: object, read: bool, key: object = UNKNOWN) -> object:  # diskcache's signature
        """The value as it is stored."""
        if type(value) is not bytes:
            raise TypeError("values are bytes")
        return super().store(value, read, key=key)

    def fetch(self, mode: int, filename: str | None, value: object, read: bool) -> object:  # as above
        """The value as it was given."""
        if mode not in {MODE_RAW, MODE_BINARY}:
            raise ValueError(f"a row of mode {mode} is refused")
        return super().fetch(mode, filename, value, read)


class Memo:
    """Replies by request digest. Disposable: deleting it costs money, never a result."""

    def __init__(self, home: Path) -> None:
        folder = home / "memo"
        try:
            self._cache = _opened(folder)
        except sqlite3.DatabaseError:  # a damaged memo is only worth its money
            shutil.rmtree(folder)
            self._cache = _opened(folder)

    def __enter__(self) -> Self:
        """The memo itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the database."""
        self._cache.close()

    def find(self, digest: str) -> bytes | None:
        """What was kept under the digest; a row that is refused counts as absent."""
        try:
            found = self._cache.get(digest)
        except (ValueError, TypeError, sqlite3.DatabaseError):
            return None
        return found if isinstance(found, bytes) else None

    def keep(self, digest: str, data: bytes) -> None:
        """Keep it; when this returns, it survives a crash."""
        self._cache.set(digest, data)


def _opened(folder: Path) -> Cache:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    return Cache(str(folder), disk=BytesDisk, eviction_policy="none", size_limit=NO_LIMIT, cull_limit=0, sqlite_synchronous=2)
