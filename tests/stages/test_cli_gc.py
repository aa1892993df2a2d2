"""`assay cache gc`: sweeping costs time later and loses nothing, and spares what a run is just writing."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from tests.stages.copies import COLD, PASS, USAGE, command, ran, temporary_files, tree

TOLD = re.compile(r"^(removed|would remove) (\d+) stage results, (\d+) artifacts, (\d+) runs; ([\d,]+) bytes\n$")
DAY_S = 86_400


def swept(project: Path, *options: str) -> tuple[str, int, int, int]:
    """(verb, stage results, artifacts, runs) as the command tells them."""
    done = command(project, "cache", "gc", *options)
    told = TOLD.match(done.stdout)
    assert done.returncode == 0
    assert told, done.stdout + done.stderr
    return told[1], int(told[2]), int(told[3]), int(told[4])


def aged(folder: Path, days: float) -> None:
    """Everything below the folder, as if last used that many days ago."""
    then = time.time() - days * DAY_S
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (then, then))


def left(project: Path) -> list[str]:
    return sorted(str(path) for path in (project / ".assay").rglob("*") if path.is_file())


def test_what_was_used_lately_is_kept(warm: Path) -> None:
    before = left(warm)
    assert swept(warm)[:3] == ("removed", 0, 0)
    assert left(warm) == before
    assert ran(warm).computed == []


def test_what_was_not_used_for_long_goes_and_is_computed_again(warm: Path) -> None:
    first = ran(warm)
    aged(warm / ".assay", 31)
    verb, results, artifacts, runs = swept(warm)
    assert (verb, results, runs) == ("removed", len(COLD), 0)
    assert artifacts > 0
    again = ran(warm)
    assert (again.code, again.computed, again.files) == (PASS, COLD, first.files)


def test_using_a_result_keeps_it(warm: Path) -> None:
    aged(warm / ".assay", 31)
    assert ran(warm).computed == []
    assert swept(warm)[1] == 0
    assert ran(warm).computed == []


def test_a_dry_run_only_tells(warm: Path) -> None:
    aged(warm / ".assay", 31)
    before = left(warm)
    told = swept(warm, "--dry-run")
    assert left(warm) == before
    assert told == ("would remove", *swept(warm)[1:])


def test_the_newest_runs_are_kept(warm: Path) -> None:
    names = sorted([path.name for path in (warm / ".assay/runs").iterdir() if path.is_dir()] + [ran(warm).run_id for _ in "12"])
    assert swept(warm, "--keep-runs", "1")[3] == len(names) - 1
    assert [path.name for path in (warm / ".assay/runs").iterdir() if path.is_dir()] == names[-1:]


def test_everything_can_go_and_nothing_outside_the_cache_does(warm: Path) -> None:
    first, before = ran(warm), tree(warm)
    swept(warm, "--days", "0", "--keep-runs", "0")
    assert tree(warm) == before
    assert ran(warm).files == first.files


def test_an_empty_or_missing_cache_is_no_error(small: Path) -> None:
    assert swept(small) == ("removed", 0, 0, 0)


@pytest.mark.parametrize("place", ["keys/load/.tmp-abc", "artifacts/00/.tmp-abc", "runs/.tmp-abc/report.json", "runs/.tmp-def"])
def test_a_temporary_file_that_a_run_may_be_writing_is_spared(warm: Path, place: str) -> None:
    path = warm / ".assay" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b'{"key"')
    swept(warm)
    assert path.exists()


@pytest.mark.parametrize("place", ["keys/load/.tmp-abc", "artifacts/00/.tmp-abc", "runs/.tmp-abc/report.json", "runs/.tmp-def"])
def test_a_temporary_file_that_a_dead_run_left_is_swept(warm: Path, place: str) -> None:
    path = warm / ".assay" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b'{"key"')
    aged(warm / ".assay", 31)
    swept(warm)
    assert temporary_files(warm / ".assay") == []


def test_a_negative_age_is_a_usage_error(warm: Path) -> None:
    before = left(warm)
    assert command(warm, "cache", "gc", "--days", "-1").returncode == USAGE
    assert left(warm) == before
