"""Which suite a file belongs to, told by its path."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.stores.suite_folders import SuiteFolders, all_folders, folders_of, project_around


def suite(root: Path, name: str, version: str = "v1") -> SuiteFolders:
    return SuiteFolders(root, f"goldsets/{name}/{version}", f"cassettes/{name}/{version}")


@pytest.mark.parametrize(
    "file",
    [
        "goldsets/a/v1/cases.jsonl",
        "cassettes/a/v1/openai.jsonl",
        "goldsets/a/v1/scenarios/one.jsonl",
        "./goldsets/b/../a/v1/gone.jsonl",
    ],
)
def test_a_file_names_its_suite_though_nothing_is_there(tmp_path: Path, file: str) -> None:
    assert folders_of([file, file], tmp_path) == [suite(tmp_path, "a")]


@pytest.mark.parametrize(
    "file", ["README.md", "goldsets/README.md", "goldsets/a/notes.txt", "goldsets/a/v1", "goldsets/a/next/cases.jsonl", "", "/"]
)
def test_a_file_elsewhere_belongs_to_no_suite(tmp_path: Path, file: str) -> None:
    assert folders_of([file], tmp_path) == []


def test_the_nearest_goldsets_folder_counts(tmp_path: Path) -> None:
    below = tmp_path / "goldsets" / "of" / "v1" / "project"
    assert folders_of(["goldsets/a/v2/x"], below) == [suite(below, "a", "v2")]
    assert folders_of(["goldsets/cassettes/v1/x"], tmp_path) == [suite(tmp_path, "cassettes")]
    assert folders_of(["app/cassettes/a/v1/x"], tmp_path) == [suite(tmp_path / "app", "a")]


def test_a_suite_of_its_own_is_the_folder_that_holds_its_declaration(tmp_path: Path) -> None:
    mine = tmp_path / "evals" / "mine"
    (mine / "cassettes").mkdir(parents=True)
    (mine / "suite.yaml").write_text("", encoding="utf-8")
    wanted = SuiteFolders(tmp_path / "evals", "mine", "mine/cassettes")
    assert folders_of(["evals/mine/cases.jsonl", "evals/mine/cassettes/p.jsonl"], tmp_path) == [wanted]
    assert wanted.is_foreign
    assert not suite(tmp_path, "a").is_foreign


def test_files_are_those_of_both_folders_without_hidden_folders(tmp_path: Path) -> None:
    for name in ("goldsets/a/v1/suite.yaml", "goldsets/a/v1/.cache/x", "cassettes/a/v1/p.jsonl", "cassettes/b/v1/p.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    (tmp_path / "goldsets/a/v1/dangling").symlink_to("nowhere")
    assert list(suite(tmp_path, "a").files()) == ["cassettes/a/v1/p.jsonl", "goldsets/a/v1/suite.yaml"]
    assert suite(tmp_path, "gone").files() == {}
    assert all_folders(tmp_path) == [suite(tmp_path, "a")]
    assert project_around(tmp_path / "cassettes" / "a") == tmp_path
