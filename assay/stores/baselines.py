"""Baselines on disk and in the repository's history."""

from __future__ import annotations

import subprocess
from pathlib import Path

from assay.errors import Problem, UsageError
from assay.model.baseline import Baseline
from assay.reading import record
from assay.stores.files import read_file, write_atomically


def read_baseline(folder: Path, shown: str) -> Baseline | None:
    """The suite's baseline, or None when there is none yet. Raises InputError."""
    path = folder / "baseline.json"
    return record(read_file(path, f"{shown}/baseline.json"), f"{shown}/baseline.json", Baseline) if path.exists() else None


def baseline_at(root: Path, shown: str, revision: str) -> Baseline | None:
    """The baseline as it was at a revision; None when it did not exist there. Raises UsageError for an unknown revision."""
    where = f"{revision}:./{shown}/baseline.json"
    if revision.startswith("-") or _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}") is None:
        raise UsageError(Problem("--baseline", "unknown revision", revision, "a commit, branch or tag of this repository"))
    found = _git(root, "show", where)
    return None if found is None else record(found, where, Baseline)


def write_baseline(folder: Path, baseline: Baseline) -> None:
    """Replace the suite's baseline."""
    write_atomically(folder / "baseline.json", (baseline.model_dump_json(indent=1) + "\n").encode())


def _git(root: Path, *arguments: str) -> bytes | None:
    """A read-only git command's output, or None when it failed."""
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False)  # noqa: S603, S607  # fixed command, data as arguments
    except OSError:
        raise UsageError(Problem("--baseline", "git cannot be run", expected="git on the PATH")) from None
    return done.stdout if done.returncode == 0 else None
