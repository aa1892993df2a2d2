"""The sweep takes what is old and unnamed, and nothing that a run needs or is writing."""

from __future__ import annotations

import os
from pathlib import Path

from assay.stores.artifacts import Artifacts, Body, Ref
from assay.stores.index import Index
from assay.stores.sweep import GRACE_S, Swept, sweep

NOW = 1_000_000_000.0
DAY_S = 86_400.0


def aged(path: Path, age_s: float) -> Path:
    """The file, last used `age_s` before NOW."""
    os.utime(path, (NOW - age_s, NOW - age_s))
    return path


def stage(home: Path, name: str, age_s: float) -> tuple[Path, Path]:
    """A finished stage of some age: (entry, artifact)."""
    artifacts = Artifacts(home)
    ref = artifacts.put(Body("json", name, 1))
    Index(home, artifacts).keep(f"score/{name}", ref)
    return aged(home / "keys" / "score" / f"{name}.json", age_s), aged(artifacts.path(ref), age_s)


def artifact(home: Path, name: str, age_s: float) -> Path:
    """A body that no stage names."""
    artifacts = Artifacts(home)
    ref: Ref = artifacts.put(Body("json", name, 1))
    return aged(artifacts.path(ref), age_s)


def file(path: Path, age_s: float, data: bytes = b"body") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return aged(path, age_s)


def swept(home: Path, *, days: float = 30, keep_runs: int = 20, dry_run: bool = False) -> Swept:
    return sweep(home, now=NOW, max_age_s=days * DAY_S, keep_runs=keep_runs, dry_run=dry_run)


def test_an_empty_or_absent_cache_is_swept_to_nothing(tmp_path: Path) -> None:
    assert swept(tmp_path / "none") == Swept(0, 0, 0, 0)


def test_results_go_by_last_use_and_take_their_artifacts_with_them(tmp_path: Path) -> None:
    old, young = stage(tmp_path, "old", 31 * DAY_S), stage(tmp_path, "young", 29 * DAY_S)
    size = sum(path.stat().st_size for path in old)
    assert swept(tmp_path) == Swept(entries=1, artifacts=1, runs=0, bytes=size)
    assert not any(path.exists() for path in old)
    assert all(path.exists() for path in young)


def test_an_old_artifact_stays_while_a_result_names_it(tmp_path: Path) -> None:
    entry, body = stage(tmp_path, "a", 1.0)
    aged(body, 400 * DAY_S)
    swept(tmp_path)
    assert entry.exists()
    assert body.exists()


def test_an_artifact_that_nothing_names_goes_after_the_grace(tmp_path: Path) -> None:
    young, old = artifact(tmp_path, "young", GRACE_S - 1), artifact(tmp_path, "old", GRACE_S + 1)
    assert swept(tmp_path).artifacts == 1
    assert (young.exists(), old.exists()) == (True, False)


def test_a_damaged_entry_goes_and_no_longer_holds_its_artifact(tmp_path: Path) -> None:
    entry, body = stage(tmp_path, "a", 2 * GRACE_S)
    file(entry, 2 * GRACE_S, b"{")
    swept(tmp_path)
    assert not entry.exists()
    assert not body.exists()


def test_a_temporary_file_that_may_still_be_written_stays(tmp_path: Path) -> None:
    names = ("keys/score/.tmp-a", "artifacts/ab/.tmp-b", "prefect/.tmp-c")
    young = [file(tmp_path / name, 1.0) for name in names]
    swept(tmp_path)
    assert [path.exists() for path in young] == [True, True, True]


def test_a_temporary_file_of_a_killed_run_goes(tmp_path: Path) -> None:
    names = ("keys/score/.tmp-a", "artifacts/ab/.tmp-b")
    old = [file(tmp_path / name, 31 * DAY_S) for name in names]
    swept(tmp_path)
    assert [path.exists() for path in old] == [False, False]


def test_the_half_written_folder_of_a_killed_run_goes(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / ".tmp-x"
    file(folder / "report.json", 31 * DAY_S)
    aged(folder, 31 * DAY_S)
    swept(tmp_path)
    assert not folder.exists()


def test_the_folder_that_a_run_is_writing_stays(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / ".tmp-x"
    file(folder / "report.json", 1.0)
    aged(folder, 1.0)
    swept(tmp_path, keep_runs=0)
    assert folder.exists()


def test_only_the_newest_runs_are_kept(tmp_path: Path) -> None:
    for hour in ("10", "12", "11"):
        file(tmp_path / "runs" / f"20261130T{hour}0000Z-x-abc" / "report.json", 1.0)
    file(tmp_path / "runs" / "latest", 1.0)
    assert swept(tmp_path, keep_runs=2) == Swept(entries=0, artifacts=0, runs=1, bytes=4)
    left = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert left == ["20261130T110000Z-x-abc", "20261130T120000Z-x-abc", "latest"]


def test_prefects_own_results_go_by_age(tmp_path: Path) -> None:
    old, young = file(tmp_path / "prefect" / "a", 31 * DAY_S), file(tmp_path / "prefect" / "b", DAY_S)
    swept(tmp_path)
    assert (old.exists(), young.exists()) == (False, True)


def test_a_dry_run_counts_the_same_and_removes_nothing(tmp_path: Path) -> None:
    stage(tmp_path, "old", 31 * DAY_S)
    artifact(tmp_path, "unnamed", 2 * GRACE_S)
    file(tmp_path / "runs" / "run" / "report.json", 1.0)
    before = sorted(tmp_path.rglob("*"))
    counted = swept(tmp_path, keep_runs=0, dry_run=True)
    assert sorted(tmp_path.rglob("*")) == before
    assert swept(tmp_path, keep_runs=0) == counted
    assert (counted.entries, counted.artifacts, counted.runs) == (1, 2, 1)


def test_what_is_swept_is_missing_and_no_wrong_answer(tmp_path: Path) -> None:
    stage(tmp_path, "old", 31 * DAY_S)
    swept(tmp_path)
    assert Index(tmp_path, Artifacts(tmp_path)).find("score/old") is None


def test_a_second_sweep_finds_nothing(tmp_path: Path) -> None:
    stage(tmp_path, "old", 31 * DAY_S)
    swept(tmp_path)
    assert swept(tmp_path) == Swept(0, 0, 0, 0)
