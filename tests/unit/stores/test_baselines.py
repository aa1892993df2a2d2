"""Baselines read back as written, from the folder and from the repository's past."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError, UsageError
from assay.model.baseline import Baseline
from assay.stores.baselines import baseline_at, read_baseline, write_baseline
from tests.builders import baseline_of, evidence, metric
from tests.unit.stores.small_suite import SHOWN, small_suite

QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
AUTHOR = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main")


def baseline(value: float) -> Baseline:
    return baseline_of(evidence({"recall": metric(value)}))


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *AUTHOR, *arguments], cwd=root, env={**os.environ, **QUIET}, capture_output=True, check=True)


def commit(root: Path, folder: Path, value: float) -> None:
    """A commit that publishes one more baseline."""
    write_baseline(folder, baseline(value))
    git(root, "add", "-A")
    git(root, "commit", "-m", f"recall {value}")


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A repository: no baseline, then 0.8 (tagged), 0.9 (on a branch), and 1.0 not committed."""
    folder = small_suite(tmp_path)
    git(tmp_path, "init")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-m", "no baseline")
    commit(tmp_path, folder, 0.8)
    git(tmp_path, "tag", "first")
    commit(tmp_path, folder, 0.9)
    git(tmp_path, "branch", "topic")
    write_baseline(folder, baseline(1.0))
    return tmp_path


def unknown(root: Path, revision: str) -> str:
    """What is said about a revision."""
    with pytest.raises(UsageError) as caught:
        baseline_at(root, SHOWN, revision)
    return str(caught.value)


@given(value=st.floats(0, 1), score=st.floats(0, 1))
@settings(max_examples=50, deadline=None)
def test_numbers_survive_to_the_last_digit(tmp_path_factory: pytest.TempPathFactory, value: float, score: float) -> None:
    folder = tmp_path_factory.getbasetemp() / "digits"
    found = evidence({"recall": metric(value), "precision": metric(None)})
    outcome = found.cases["c1"].model_copy(update={"score": score})
    written = baseline_of(found.model_copy(update={"cases": {"c1": outcome}}))
    write_baseline(folder, written)
    assert read_baseline(folder, "digits") == written


def test_equal_baselines_are_equal_bytes_that_end_with_a_newline(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_baseline(tmp_path / name, baseline(0.9))
    data = (tmp_path / "a" / "baseline.json").read_bytes()
    assert data == (tmp_path / "b" / "baseline.json").read_bytes()
    assert data.endswith(b"}\n")


def test_no_baseline_yet_is_none_and_no_error(tmp_path: Path) -> None:
    assert read_baseline(tmp_path, SHOWN) is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"value": 0.9', '"value": NaN', 'is not acceptable JSON (NaN is not a number), got \'{"format": 1, '),
        ('"value": 0.9', '"value": Infinity', "is not acceptable JSON (Infinity is not a number), got '{"),
        ('"value": 0.9', '"value": null', "providers.p.metrics.recall: is not valid (a metric has either a value or a reason"),
        ('"score": 1.0', '"score": 1.5', "providers.p.cases.c1.score: is not valid (Input should be less than or equal to 1)"),
        ('"format": 1', '"format": 2', "unknown format version, got 2; expected format 1. "),
        (
            '"n": 100',
            '"n": -1',
            "providers.p.metrics.recall.n: is not valid (Input should be greater than or equal to 0), got -1.",
        ),
        ('"2026-11-30"', '"soon"', "providers.p.last_refreshed: is not valid ("),
    ],
)
def test_a_baseline_that_makes_no_sense_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = json.dumps(baseline(0.9).model_dump(mode="json"))
    assert old in text
    (tmp_path / "baseline.json").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_baseline(tmp_path, SHOWN)
    assert str(caught.value).startswith(f"{SHOWN}/baseline.json: {said}")


@pytest.mark.parametrize(
    ("revision", "value"), [("HEAD", 0.9), ("HEAD~1", 0.8), ("first", 0.8), ("topic", 0.9), ("main", 0.9), ("HEAD^", 0.8)]
)
def test_a_baseline_is_read_as_it_was_at_a_revision(history: Path, revision: str, value: float) -> None:
    assert baseline_at(history, SHOWN, revision) == baseline(value)


def test_the_folder_holds_the_present_and_git_the_past(history: Path) -> None:
    assert read_baseline(history / SHOWN, SHOWN) == baseline(1.0)


def test_a_revision_before_the_first_baseline_has_none(history: Path) -> None:
    assert baseline_at(history, SHOWN, "HEAD~2") is None


def test_a_project_in_a_subfolder_of_the_repository_is_found(tmp_path: Path) -> None:
    folder = small_suite(tmp_path / "inner")
    git(tmp_path, "init")
    commit(tmp_path, folder, 0.7)
    assert baseline_at(tmp_path / "inner", SHOWN, "HEAD") == baseline(0.7)


@pytest.mark.parametrize("revision", ["none", "", "HEAD~9", "--output=x", "-p", "HEAD:goldsets", "0" * 40, "a b", "é"])
def test_an_unknown_revision_is_a_usage_error_and_writes_nothing(history: Path, revision: str) -> None:
    before = sorted(path for path in history.rglob("*") if ".git/" not in str(path))
    assert unknown(history, revision) == (
        f"--baseline: unknown revision, got {revision!r}; expected a commit, branch or tag of this repository."
    )
    assert sorted(path for path in history.rglob("*") if ".git/" not in str(path)) == before


def test_a_project_without_git_has_no_revisions(tmp_path: Path) -> None:
    small_suite(tmp_path)
    assert unknown(tmp_path, "HEAD").startswith("--baseline: unknown revision, got 'HEAD'")


def test_a_damaged_baseline_of_the_past_is_told_with_its_revision(history: Path) -> None:
    (history / SHOWN / "baseline.json").write_bytes(b"{")
    git(history, "commit", "-am", "damaged")
    with pytest.raises(InputError) as caught:
        baseline_at(history, SHOWN, "HEAD")
    assert str(caught.value) == (
        f"HEAD:./{SHOWN}/baseline.json:1: is not JSON "
        "(Expecting property name enclosed in double quotes at column 2), got '{'."
    )
