"""The memo: bytes by digest, kept for ever, private to its owner, and never a way to run code."""

from __future__ import annotations

import os
import pickle
import sqlite3
import stat
from pathlib import Path

import pytest
from diskcache.core import MODE_PICKLE

from assay.stores.memo import Memo


class Planted:
    """Makes a folder when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.marker),)


def rows(home: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """Runs one statement on the memo's database, as anyone with the file could."""
    connection = sqlite3.connect(home / "memo" / "cache.db")
    try:
        with connection:
            return connection.execute(statement, values).fetchall()
    finally:
        connection.close()


def kept(home: Path, digest: str) -> bytes | None:
    with Memo(home) as memo:
        return memo.find(digest)


def remembering(home: Path, **entries: bytes) -> None:
    with Memo(home) as memo:
        for digest, data in entries.items():
            memo.keep(digest, data)


def test_what_was_never_kept_is_not_found(tmp_path: Path) -> None:
    assert kept(tmp_path, "a") is None


@pytest.mark.parametrize("data", [b"", b"\x80\x04N.", b"\x00" * 10, b"reply " * 20_000])
def test_any_bytes_survive_a_reopening(tmp_path: Path, data: bytes) -> None:
    remembering(tmp_path, a=data)
    assert kept(tmp_path, "a") == data


def test_the_latest_bytes_of_a_digest_count(tmp_path: Path) -> None:
    remembering(tmp_path, a=b"old")
    remembering(tmp_path, a=b"new")
    assert kept(tmp_path, "a") == b"new"


@pytest.mark.parametrize("value", ["text", 1, None, {"a": 1}, bytearray(b"x"), [b"x"]])
def test_anything_but_bytes_is_refused(tmp_path: Path, value: object) -> None:
    with Memo(tmp_path) as memo:
        with pytest.raises(TypeError, match="values are bytes"):
            memo.keep("a", value)  # type: ignore[arg-type]  # the mistake
        assert memo.find("a") is None


def test_anything_but_a_text_is_refused_as_a_digest(tmp_path: Path) -> None:
    with Memo(tmp_path) as memo, pytest.raises(TypeError, match="keys are texts"):
        memo.keep(("a", 1), b"x")  # type: ignore[arg-type]  # the mistake


def test_a_planted_pickle_would_run_where_nothing_refuses_it(tmp_path: Path) -> None:
    """The positive control of the tests below."""
    pickle.loads(pickle.dumps(Planted(tmp_path / "ran")))  # noqa: S301  # that it runs is the point
    assert (tmp_path / "ran").is_dir()


def test_a_planted_pickle_is_absent_and_never_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    remembering(tmp_path, a=b"paid", b=b"paid too")
    pickled = pickle.dumps(Planted(marker))
    rows(tmp_path, "UPDATE Cache SET mode = ?, value = ? WHERE key = 'a'", MODE_PICKLE, pickled)
    assert (kept(tmp_path, "a"), kept(tmp_path, "b")) == (None, b"paid too")
    assert not marker.exists()


def test_a_planted_pickle_in_a_file_is_absent_and_never_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    remembering(tmp_path, a=b"x" * 100_000)
    ((name,),) = rows(tmp_path, "SELECT filename FROM Cache WHERE key = 'a'")
    assert name, "large values are expected to lie in files of their own"
    (tmp_path / "memo" / str(name)).write_bytes(pickle.dumps(Planted(marker)))
    rows(tmp_path, "UPDATE Cache SET mode = ? WHERE key = 'a'", MODE_PICKLE)
    assert kept(tmp_path, "a") is None
    assert not marker.exists()


def test_a_planted_pickle_as_a_key_is_never_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    remembering(tmp_path, a=b"paid", b=b"paid too")
    rows(tmp_path, "UPDATE Cache SET key = ?, raw = 0 WHERE key = 'a'", pickle.dumps(Planted(marker)))
    assert (kept(tmp_path, "a"), kept(tmp_path, "b")) == (None, b"paid too")
    assert not marker.exists()


@pytest.mark.parametrize("mode", [0, 3, MODE_PICKLE, 5])
def test_a_row_of_any_kind_but_bytes_is_absent(tmp_path: Path, mode: int) -> None:
    remembering(tmp_path, a=b"paid")
    rows(tmp_path, "UPDATE Cache SET mode = ? WHERE key = 'a'", mode)
    assert kept(tmp_path, "a") is None


def test_a_refused_row_can_be_kept_anew(tmp_path: Path) -> None:
    remembering(tmp_path, a=b"paid")
    rows(tmp_path, "UPDATE Cache SET mode = ? WHERE key = 'a'", MODE_PICKLE)
    remembering(tmp_path, a=b"paid again")
    assert kept(tmp_path, "a") == b"paid again"


def test_nothing_is_evicted_even_where_the_folder_says_so(tmp_path: Path) -> None:
    """The settings of diskcache live in its database; these would throw nearly everything out."""
    remembering(tmp_path, first=b"x")
    for key, value in (("eviction_policy", "least-recently-stored"), ("size_limit", 1), ("cull_limit", 10)):
        rows(tmp_path, "UPDATE Settings SET value = ? WHERE key = ?", value, key)
    entries = {f"d{number}": b"%d" % number for number in range(250)}
    remembering(tmp_path, **entries)
    with Memo(tmp_path) as memo:
        assert {digest: memo.find(digest) for digest in entries} == entries
        assert memo.find("first") == b"x"


def test_only_its_owner_may_look_into_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "memo"
    folder.mkdir(mode=0o755)
    remembering(tmp_path, a=b"paid")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_reply_in_the_memo_is_on_disk_before_the_next_is_asked(tmp_path: Path) -> None:
    """Level 2 of SQLite is FULL: a commit returns when it is synced."""
    with Memo(tmp_path):
        assert rows(tmp_path, "SELECT value FROM Settings WHERE key = 'sqlite_synchronous'") == [(2,)]
