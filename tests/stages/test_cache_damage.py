"""Whatever is damaged in a cache is computed again, never served: the report does not change."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stages.copies import COLD, PASS, Ran, label, ran_here

KINDS = {".bytes", ".json", ".jsonl", ".arrow", ".zip"}
NOT_UTF8 = b"\xff\xfe\x00"


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def truncated(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


DAMAGES: dict[str, Callable[[Path], object]] = {
    "flipped": flipped,
    "truncated": truncated,
    "emptied": lambda path: path.write_bytes(b""),
    "overwritten": lambda path: path.write_bytes(NOT_UTF8),
    "deleted": Path.unlink,
}


@dataclass(frozen=True)
class Cache:
    """A full cache of the small suite, and what a run over it says."""

    project: Path
    home: Path
    first: Ran

    def again(self) -> Ran:
        return ran_here(self.project, self.home)

    def copied(self, home: Path) -> Cache:
        shutil.copytree(self.home, home)
        return Cache(self.project, home, self.first)

    @property
    def files(self) -> list[Path]:
        folders = (self.home / "artifacts", self.home / "keys")
        return sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())

    def entry(self, stage: str) -> Path:
        """The stage's file in the index: that of its name whose result has as many rows as the stage told."""
        told = {label(done): done["rows"] for done in self.first.summary["timing"]["stages"]}
        entries = (self.home / "keys" / stage.split(maxsplit=1)[0]).glob("*.json")
        (found,) = [path for path in entries if json.loads(path.read_bytes())["ref"]["rows"] == told[stage]]
        return found

    def result(self, stage: str) -> Path:
        """The stage's artifact."""
        ref = json.loads(self.entry(stage).read_bytes())["ref"]
        return self.home / "artifacts" / ref["digest"][:2] / f"{ref['digest']}.{ref['kind']}"


@pytest.fixture(scope="module")
def full_cache(small_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Cache:
    home = tmp_path_factory.mktemp("full") / "cache"
    first = ran_here(small_template, home)
    assert (first.code, first.computed) == (PASS, COLD)
    return Cache(small_template, home, first)


@pytest.fixture
def cache(full_cache: Cache, tmp_path: Path) -> Cache:
    return full_cache.copied(tmp_path / "cache")


def test_every_kind_of_artifact_is_in_the_cache(cache: Cache) -> None:
    assert {path.suffix for path in cache.files if "artifacts" in path.parts} == KINDS


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_artifact_is_made_whole_again_and_never_reaches_the_report(cache: Cache, damage: str) -> None:
    for path in (path for path in cache.files if "artifacts" in path.parts):
        whole = path.read_bytes()
        DAMAGES[damage](path)
        found = cache.again()
        assert (found.code, found.files) == (PASS, cache.first.files), path.name
        assert path.read_bytes() == whole


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_stage_whose_result_is_damaged_is_computed_again(cache: Cache, damage: str) -> None:
    for stage in COLD:
        DAMAGES[damage](cache.result(stage))
        found = cache.again()
        assert (found.computed, found.files) == ([stage], cache.first.files)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_entry_is_no_answer(cache: Cache, damage: str) -> None:
    for stage in COLD:
        DAMAGES[damage](cache.entry(stage))
        found = cache.again()
        assert (found.computed, found.files) == ([stage], cache.first.files)


@pytest.mark.parametrize("stage", COLD)
def test_an_index_entry_with_a_wrong_row_count_is_no_answer(cache: Cache, stage: str) -> None:
    value = json.loads(cache.entry(stage).read_bytes())
    value["ref"]["rows"] += 1
    cache.entry(stage).write_bytes(json.dumps(value).encode())
    found = cache.again()
    assert (found.computed, found.files) == ([stage], cache.first.files)


@pytest.mark.parametrize("stage", COLD)
def test_an_index_entry_under_another_key_is_no_answer(cache: Cache, stage: str) -> None:
    other = COLD[COLD.index(stage) - 1]
    shutil.copyfile(cache.entry(other), cache.entry(stage))
    found = cache.again()
    assert (found.computed, found.files) == ([stage], cache.first.files)


def test_whole_json_under_the_name_of_another_body_is_no_answer(cache: Cache) -> None:
    for path in (path for path in cache.files if "artifacts" in path.parts):
        path.write_bytes(b'{"verdict": "PASS"}')
    found = cache.again()
    assert (found.computed, found.files) == (COLD, cache.first.files)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_any_damage_to_any_files_changes_no_byte_of_the_report(full_cache: Cache, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cache = full_cache.copied(Path(folder) / "cache")
        files = cache.files
        for number in data.draw(st.sets(st.integers(0, len(files) - 1), min_size=1, max_size=6)):
            DAMAGES[data.draw(st.sampled_from(sorted(DAMAGES)))](files[number])
        found = cache.again()
    assert (found.code, found.files) == (PASS, cache.first.files)
