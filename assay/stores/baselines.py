"""Baselines on disk and in the repository's history."""

from __future__ import annotations

from pathlib import Path

from assay.model.baseline import Baseline
from assay.reading import record
from assay.stores.files import read_file, write_atomically
from assay.stores.git import commit_at, git


def read_baseline(folder: Path, shown: str) -> Baseline | None:
    """The suite's baseline, or None when there is none yet. Raises InputError."""
    path = folder / "baseline.json"
    return record(read_file(path, f"{shown}/baseline.json"), f"{shown}/baseline.json", Baseline) if path.exists() else None


def baseline_at(root: Path, shown: str, revision: str) -> Baseline | None:
    """The baseline as it was at a revision; None when it did not exist there. Raises UsageError for an unknown revision."""
    where = f"{revision}:./{shown}/baseline.json"
    found = git(root, "show", f"{commit_at(root, revision, '--baseline')}:./{shown}/baseline.json")
    return None if found is None else record(found, where, Baseline)


def write_baseline(folder: Path, baseline: Baseline) -> None:
    """Replace the suite's baseline."""
    write_atomically(folder / "baseline.json", (baseline.model_dump_json(indent=1) + "\n").encode())
