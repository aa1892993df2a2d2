"""Files are read whole, written whole, and never outside their folder."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.stores.files import FILE_LIMIT, inside, read_file, write_atomically


def refusal(path: Path, remedy: str = "") -> str:
    """What is said about a file that cannot be read."""
    with pytest.raises(InputError) as caught:
        read_file(path, "shown.json", remedy)
    return str(caught.value)


def way_out(folder: Path, relative: str) -> str:
    """What is said about a path that leads out."""
    with pytest.raises(InputError) as caught:
        inside(folder, relative, "suite.yaml: files.x")
    return str(caught.value)


def test_what_is_written_reads_back_in_new_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c.bin"
    write_atomically(path, b"\x00body")
    assert read_file(path, "c.bin") == b"\x00body"
    assert [p.name for p in path.parent.iterdir()] == ["c.bin"]


def test_a_written_file_can_be_read_by_others(tmp_path: Path) -> None:
    write_atomically(tmp_path / "f", b"")
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o644


def test_a_file_is_replaced_and_never_changed_in_place(tmp_path: Path) -> None:
    path = tmp_path / "f"
    write_atomically(path, b"old")
    with path.open("rb") as reader:
        write_atomically(path, b"new")
        assert reader.read() == b"old"
    assert path.read_bytes() == b"new"


def test_a_failed_write_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "taken" / "inner").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        write_atomically(tmp_path / "taken", b"body")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["inner", "taken"]


def test_a_write_that_cannot_finish_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    write_atomically(path, b"old")
    with pytest.raises(TypeError):
        write_atomically(path, "not bytes")  # type: ignore[arg-type]  # the fault that is planted
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_a_missing_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none", "Record it with `assay record`.") == (
        "shown.json: no such file. Record it with `assay record`."
    )
    assert refusal(tmp_path / "none") == "shown.json: no such file."


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    assert refusal(tmp_path) == "shown.json: is a folder; expected a file."


def test_a_file_below_a_file_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"")
    assert refusal(tmp_path / "f" / "g") == "shown.json: cannot be read (Not a directory)."


def test_a_device_is_not_a_file() -> None:
    assert "/dev/null" not in refusal(Path("/dev/null"))


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "f").open("wb") as file:
        file.truncate(FILE_LIMIT + 1)
    assert refusal(tmp_path / "f") == "shown.json: file of 536,870,913 bytes; expected at most 536,870,912."


@pytest.mark.parametrize("name", ["a\x00b", "x" * 300])
def test_an_impossible_name_is_refused_as_input(tmp_path: Path, name: str) -> None:
    assert refusal(tmp_path / name).startswith("shown.json: ")


def test_a_link_in_a_circle_is_refused_as_input(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "a")
    assert refusal(tmp_path / "a") == "shown.json: cannot be read (Too many levels of symbolic links)."


@pytest.mark.parametrize("relative", ["../x", "a/../../x", "/etc/passwd", "../v10/x", "..", "a\x00b"])
def test_a_path_out_of_its_folder_is_refused(tmp_path: Path, relative: str) -> None:
    folder = tmp_path / "v1"
    (folder / "a").mkdir(parents=True)
    (tmp_path / "v10").mkdir()
    assert way_out(folder, relative) == (
        f"suite.yaml: files.x: leads out of its folder, got {relative!r}; expected a path below v1/."
    )


@pytest.mark.parametrize("relative", ["link", "links/x"])
def test_a_link_out_of_its_folder_is_refused(tmp_path: Path, relative: str) -> None:
    folder, outside = tmp_path / "v1", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "x").write_bytes(b"secret")
    (folder / "link").symlink_to(outside / "x")
    (folder / "links").symlink_to("../outside")
    assert "leads out of its folder" in way_out(folder, relative)


def test_a_link_within_its_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"body")
    (tmp_path / "link").symlink_to("x")
    assert read_file(inside(tmp_path, "link", "s"), "link") == b"body"


def test_a_folder_reached_through_a_link_is_still_the_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "x").write_bytes(b"body")
    (tmp_path / "alias").symlink_to("real")
    assert inside(tmp_path / "alias", "x", "s").read_bytes() == b"body"


@given(st.lists(st.sampled_from(["..", ".", "a", "b", "", "/", "~"]), max_size=6).map("/".join))
def test_no_accepted_path_lies_outside(relative: str) -> None:
    folder = Path("/nowhere/v1")
    try:
        path = inside(folder, relative, "s")
    except InputError:
        return
    assert path.resolve().is_relative_to(folder)
