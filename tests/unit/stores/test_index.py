"""A finished stage is found under its key, while its body is whole."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.stores.artifacts import Artifacts, Body, Ref
from assay.stores.index import Index

KEY = "score/" + "a" * 64


def kept(home: Path) -> tuple[Index, Artifacts, Ref]:
    """An index with one finished stage."""
    artifacts = Artifacts(home)
    index = Index(home, artifacts)
    ref = artifacts.put(Body("json", {"recall": 1.0}, 1))
    index.keep(KEY, ref)
    return index, artifacts, ref


def entry_file(home: Path) -> Path:
    return home / "keys" / f"{KEY}.json"


def test_what_was_kept_is_found_also_by_another_process(tmp_path: Path) -> None:
    index, _, ref = kept(tmp_path)
    assert index.find(KEY) == ref
    assert Index(tmp_path, Artifacts(tmp_path)).find(KEY) == ref


def test_an_unknown_key_finds_nothing(tmp_path: Path) -> None:
    index, _, _ = kept(tmp_path)
    assert index.find("score/" + "b" * 64) is None
    assert Index(tmp_path / "none", Artifacts(tmp_path / "none")).find(KEY) is None


def test_an_entry_whose_body_is_deleted_is_no_answer(tmp_path: Path) -> None:
    index, artifacts, ref = kept(tmp_path)
    artifacts.path(ref).unlink()
    assert index.find(KEY) is None


def test_an_entry_whose_body_is_damaged_is_no_answer(tmp_path: Path) -> None:
    index, artifacts, ref = kept(tmp_path)
    artifacts.path(ref).write_bytes(b'{"recall":0.0}')
    assert index.find(KEY) is None


def test_an_entry_under_another_key_is_no_answer(tmp_path: Path) -> None:
    index, _, _ = kept(tmp_path)
    other = "score/" + "b" * 64
    shutil.copy(entry_file(tmp_path), tmp_path / "keys" / f"{other}.json")
    assert index.find(other) is None


@pytest.mark.parametrize("size", [0, 1, 40, -1])
def test_a_truncated_entry_is_no_answer(tmp_path: Path, size: int) -> None:
    index, _, _ = kept(tmp_path)
    path = entry_file(tmp_path)
    path.write_bytes(path.read_bytes()[:size])
    assert index.find(KEY) is None


@pytest.mark.parametrize(
    "change", [{"digest": "\x00"}, {"digest": "x" * 300}, {"digest": "../../x"}, {"kind": "pickle"}, {"rows": None}]
)
def test_an_entry_that_makes_no_sense_is_no_answer(tmp_path: Path, change: dict[str, Any]) -> None:
    index, _, ref = kept(tmp_path)
    entry_file(tmp_path).write_text(json.dumps({"key": KEY, "ref": {**ref.model_dump(), **change}}), encoding="utf-8")
    assert index.find(KEY) is None


def test_keeping_again_replaces_the_answer(tmp_path: Path) -> None:
    index, artifacts, _ = kept(tmp_path)
    newer = artifacts.put(Body("json", {"recall": 0.5}, 1))
    index.keep(KEY, newer)
    assert index.find(KEY) == newer


def test_finding_an_entry_counts_as_its_use(tmp_path: Path) -> None:
    index, _, _ = kept(tmp_path)
    os.utime(entry_file(tmp_path), (1, 1))
    index.find(KEY)
    assert entry_file(tmp_path).stat().st_mtime > 1


def test_an_entry_that_is_no_answer_is_not_counted_as_used(tmp_path: Path) -> None:
    index, artifacts, ref = kept(tmp_path)
    artifacts.path(ref).unlink()
    os.utime(entry_file(tmp_path), (1, 1))
    index.find(KEY)
    assert entry_file(tmp_path).stat().st_mtime == 1


def test_an_entry_that_leads_out_of_the_store_removes_nothing(tmp_path: Path) -> None:
    home, victim = tmp_path / "a" / "home", tmp_path / "victim.json"
    index, _, ref = kept(home)
    victim.write_bytes(b"{}")
    changed = {**ref.model_dump(), "digest": "../../victim"}
    entry_file(home).write_text(json.dumps({"key": KEY, "ref": changed}), encoding="utf-8")
    assert index.find(KEY) is None
    assert victim.read_bytes() == b"{}"
