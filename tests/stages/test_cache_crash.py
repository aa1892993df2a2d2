"""Runs that share a cache, and runs that die: what stays behind is whole or is not believed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.stages.copies import COLD, PASS, RUN, Ran, command, finished, ran, ran_as, started, temporary_files

DIES = str(Path(__file__).with_name("dies.py"))
MOMENTS = 12
SIGKILL = -9


def entries(home: Path) -> dict[str, object]:
    """What the index answers, by key."""
    found = (json.loads(path.read_bytes()) for path in (home / "keys").rglob("*.json"))
    return {entry["key"]: entry["ref"] for entry in found}


@pytest.fixture(scope="module")
def undisturbed(small_template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, dict[str, object], int]:
    """A cold run of the small suite: what it says, its index, and how many steps on disk it takes."""
    home = tmp_path_factory.mktemp("undisturbed")
    done = finished(started(small_template, DIES, "0", *RUN, ASSAY_HOME=str(home)))
    steps = re.search(r"^steps (\d+)$", done.stderr, re.MULTILINE)
    assert steps, done.stderr
    return ran_as(done, home), entries(home), int(steps[1])


@pytest.mark.parametrize("count", [2, 4])
def test_runs_at_once_on_one_empty_cache_all_end_right(project: Path, count: int) -> None:
    home = project / ".assay"
    together = [started(project, "-m", "assay", *RUN) for _ in range(count)]
    runs = [ran_as(finished(process), home) for process in together]
    assert [run.code for run in runs] == [PASS] * count
    assert len({run.run_id for run in runs}) == count
    assert all(run.files == runs[0].files for run in runs)
    assert temporary_files(home) == []
    later = ran(project)
    assert (later.code, later.computed, later.files) == (PASS, [], runs[0].files)


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_run_killed_between_two_writes_leaves_nothing_wrong(
    moment: int, small: Path, undisturbed: tuple[Ran, dict[str, object], int]
) -> None:
    expected, index, steps = undisturbed
    last = 1 + moment * (steps - 1) // (MOMENTS - 1)
    killed = finished(started(small, DIES, str(last), *RUN))
    assert killed.returncode == SIGKILL
    left = entries(small / ".assay")
    assert left.items() <= index.items()
    later = ran(small)
    assert (later.code, later.files) == (PASS, expected.files)
    assert len(later.computed) == len(COLD) - len(left)
    assert entries(small / ".assay") == index


@pytest.mark.parametrize("lines", range(1, len(COLD) + 1))
def test_a_run_killed_after_a_stage_is_taken_up_there(
    lines: int, small: Path, undisturbed: tuple[Ran, dict[str, object], int]
) -> None:
    process = started(small, "-m", "assay", "run", "extraction", "--offline")
    assert process.stdout
    for _ in range(lines):
        assert "computed" in process.stdout.readline()
    process.kill()
    finished(process)
    latest = small / ".assay" / "runs" / "latest"
    assert not latest.exists() or (latest.parent / latest.read_text(encoding="utf-8").strip() / "report.json").exists()
    later = ran(small)
    assert (later.code, later.files) == (PASS, undisturbed[0].files)
    assert not set(later.computed) & set(COLD[:lines])


def test_a_killed_run_is_no_run(small: Path, undisturbed: tuple[Ran, dict[str, object], int]) -> None:
    steps = undisturbed[2]
    finished(started(small, DIES, str(steps - 3), *RUN))
    assert (small / ".assay" / "runs").is_dir()
    done = command(small, "gate", "latest")
    assert (done.returncode, done.stderr) == (2, "error: RUN: there is no run yet. Make one with `assay run SUITE`.\n")
