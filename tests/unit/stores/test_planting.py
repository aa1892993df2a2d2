"""Several new files: all of them, or nothing that was not there before."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.stores.planting import plant


def tree(root: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in root.rglob("*")}


def test_every_file_is_written_with_its_folders(tmp_path: Path) -> None:
    plant(tmp_path, {"a/b/one": b"1", "two": b"2"})
    assert tree(tmp_path) == {"a": None, "a/b": None, "a/b/one": b"1", "two": b"2"}


def test_what_is_there_already_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "two").write_bytes(b"mine")
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(UsageError) as raised:
        plant(tmp_path, {"a/one": b"1", "two": b"2", "link": b"3"})
    assert str(raised.value) == "\n".join(
        f"{name}: is in the way; expected nothing there. Nothing was written." for name in ("two", "link")
    )
    assert tree(tmp_path) == {"two": b"mine", "link": None}


def test_a_file_that_may_be_replaced_is(tmp_path: Path) -> None:
    (tmp_path / "list").write_bytes(b"old\n")
    plant(tmp_path, {"list": b"old\nnew\n"}, replacing=["list"])
    assert tree(tmp_path) == {"list": b"old\nnew\n"}


def test_a_link_to_a_file_that_may_be_replaced_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "shared").write_bytes(b"old\n")
    (tmp_path / "list").symlink_to("shared")
    plant(tmp_path, {"list": b"old\nnew\n"}, replacing=["list"])
    assert (tmp_path / "list").is_symlink()
    assert (tmp_path / "shared").read_bytes() == b"old\nnew\n"


def test_a_failure_in_the_middle_takes_all_of_it_away_again(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "list").write_bytes(b"old\n")
    before = tree(tmp_path)
    files = {"list": b"new\n", "kept/x/one": b"1", "deep/er/two": b"2", "deep/er/two/three": b"3"}  # a file is no folder
    with pytest.raises(UsageError, match=r"^deep/er/two/three: cannot be written \(.+\)\. Nothing was written\.$"):
        plant(tmp_path, files, replacing=["list"])
    assert tree(tmp_path) == before
