"""`assay run --all` and `--changed-since`: one verdict for all, and what is not run is listed with the reason."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.stages.copies import FAIL, PASS, USAGE, baseline, command, write_baseline

WHO = ("-c", "user.name=t", "-c", "user.email=t@example.com")


def git(project: Path, *arguments: str) -> None:
    subprocess.run(["git", *WHO, *arguments], cwd=project, check=True, capture_output=True)


@pytest.fixture
def two(warm: Path) -> Path:
    """A repository with a suite that passes and one that cannot be read."""
    (warm / ".gitignore").write_text(".assay/\n/evidence/\n", encoding="utf-8")
    broken = warm / "goldsets" / "torn" / "v1"
    broken.mkdir(parents=True)
    (broken / "suite.yaml").write_text("suite: [", encoding="utf-8")
    git(warm, "init", "-q", "-b", "main")
    git(warm, "add", "-A")
    git(warm, "commit", "-q", "-m", "all")
    return warm


def test_an_unreadable_suite_is_an_error_and_the_others_are_run_all_the_same(two: Path) -> None:
    done = command(two, "run", "--all", "--offline")
    assert done.returncode == USAGE
    assert "PASS extraction v1: " in done.stdout
    assert "(oracle-aligned). A perfect score proves the plumbing, not the model." in done.stdout
    assert "\nERROR torn\n  goldsets/torn/v1/suite.yaml" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("ERROR 2 suites (1 ERROR, 1 PASS): goldsets/torn/v1/suite.yaml")


def test_what_no_change_touches_is_listed_and_not_run(two: Path) -> None:
    done = command(two, "run", "--changed-since", "main", "--offline", "--json")
    found = json.loads(done.stdout)
    assert (found["verdict"], found["not_run"]) == ("ERROR", {"extraction": "unchanged since main"})
    git(two, "rm", "-q", "-r", "goldsets/torn")
    raised = baseline(two)
    raised["providers"]["openai"]["metrics"]["recall_macro"]["value"] += 0.04
    write_baseline(two, raised)
    done = command(two, "run", "--changed-since", "main", "--offline")
    assert done.returncode == FAIL
    assert "not run  torn: removed since main" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("FAIL 1 suite (1 FAIL); not run: torn: FAIL extraction v1: openai: max_drop")


def test_with_nothing_changed_nothing_is_run_and_nobody_says_pass(two: Path) -> None:
    git(two, "rm", "-q", "-r", "goldsets/torn")
    git(two, "commit", "-q", "-m", "without")
    done = command(two, "run", "--changed-since", "HEAD", "--offline")
    assert (done.returncode, "PASS" in done.stdout) == (PASS, False)
    assert done.stdout.splitlines()[-1] == "UNCHANGED 0 suites; not run: extraction"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run", "extraction", "--all"), "wants one suite or all of them, got 'extraction'"),
        (("run",), "wants one suite or all of them"),
        (("run", "--all", "--provider", "openai"), "--provider: belongs to one suite"),
        (("run", "--changed-since", "nosuch"), "nosuch"),
    ],
)
def test_what_does_not_mean_one_thing_is_refused(two: Path, arguments: tuple[str, ...], told: str) -> None:
    done = command(two, *arguments, "--offline")
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert told in done.stderr
