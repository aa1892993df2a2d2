"""A look that was taken before is believed while files, release and code of others are what they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.stores.seen import Seen, keep, key_of, recall
from assay.stores.targets import target_digest

FOUND = Seen(("goldsets/a/v1/x: is wrong.",), ("A_KEY",))
FILES = {"goldsets/a/v1/x": b"one"}


def test_what_was_kept_is_recalled_by_name_and_key(tmp_path: Path) -> None:
    key = key_of(FILES, gold="goldsets/a/v1")
    assert recall(tmp_path, "goldsets/a/v1.all", key, tmp_path) is None
    keep(tmp_path, "goldsets/a/v1.all", key, FOUND)
    assert recall(tmp_path, "goldsets/a/v1.all", key, tmp_path) == FOUND
    assert recall(tmp_path, "goldsets/a/v1.audit", key, tmp_path) is None
    assert [path.name for path in (tmp_path / "seen").iterdir()] == ["goldsets-a-v1.all.json"]


def test_a_key_names_every_path_content_and_parameter() -> None:
    key = key_of(FILES, gold="a")
    assert key == key_of(dict(FILES), gold="a")
    others = {key_of({name: data}, gold="a") for name, data in (("goldsets/a/v1/x", b"two"), ("goldsets/a/v1/y", b"one"))}
    assert len({key, *others, key_of(FILES, gold="b")}) == 4


def test_a_later_look_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    keep(tmp_path, "a", "1" * 64, FOUND)
    keep(tmp_path, "a", "2" * 64, Seen(()))
    assert recall(tmp_path, "a", "1" * 64, tmp_path) is None
    assert recall(tmp_path, "a", "2" * 64, tmp_path) == Seen(())


@pytest.mark.parametrize("damage", ["", "null", "[1]", "{}", '{"value": {}}', "{" * 100_000, "\x00"])
def test_a_damaged_file_is_no_memory(tmp_path: Path, damage: str) -> None:
    keep(tmp_path, "a", "1" * 64, FOUND)
    (tmp_path / "seen" / "a.json").write_text(damage, encoding="utf-8")
    assert recall(tmp_path, "a", "1" * 64, tmp_path) is None


def test_an_edited_file_is_no_memory(tmp_path: Path) -> None:
    keep(tmp_path, "a", "1" * 64, FOUND)
    path = tmp_path / "seen" / "a.json"
    kept = json.loads(path.read_bytes())
    path.write_text(json.dumps({**kept, "value": {**kept["value"], "refused": []}}), encoding="utf-8")
    assert recall(tmp_path, "a", "1" * 64, tmp_path) is None


def test_what_does_not_last_is_not_kept_nor_what_cannot_be_written(tmp_path: Path) -> None:
    keep(tmp_path, "a", "1" * 64, Seen((), lasts=False))
    (tmp_path / "file").write_text("", encoding="utf-8")
    keep(tmp_path / "file", "a", "1" * 64, FOUND)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_look_that_ran_code_of_others_lasts_as_long_as_that_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "others_evaluator.py"
    module.write_text("def judge(value):\n    return 1\n", encoding="utf-8")
    seen = Seen((), others={"others_evaluator:judge": target_digest(tmp_path, "options", "others_evaluator:judge")})
    keep(tmp_path, "a", "1" * 64, seen)
    assert recall(tmp_path, "a", "1" * 64, tmp_path) == seen
    module.write_text("def judge(value):\n    return 2\n", encoding="utf-8")
    assert recall(tmp_path, "a", "1" * 64, tmp_path) is None
    module.unlink()
    assert recall(tmp_path, "a", "1" * 64, tmp_path) is None
