"""The sweep of `$ASSAY_HOME`: index entries by last use, artifacts that no entry names, old runs, stray temporary files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from assay.stores.index import Entry

GRACE_S = 3_600.0
"""Artifacts and temporary files younger than this are left: a run may be about to name them."""


@dataclass(frozen=True)
class Swept:
    """What was removed."""

    entries: int
    artifacts: int
    runs: int
    bytes: int


def sweep(home: Path, *, now: float, max_age_s: float, keep_runs: int, dry_run: bool) -> Swept:
    """Remove what was not used within `max_age_s`; a `dry_run` only counts. Nothing that a later run needs is lost for good."""
    live: set[str] = set()
    entries: list[Path] = []
    for path in _files(home / "keys"):
        if path.name.startswith(".tmp-") and now - path.stat().st_mtime <= GRACE_S:
            continue
        digest = _artifact_of(path)
        if digest is None or now - path.stat().st_mtime > max_age_s:
            entries.append(path)
        else:
            live.add(digest)
    entries += [path for path in _files(home / "prefect") if now - path.stat().st_mtime > max_age_s]
    artifacts = [
        path
        for path in _files(home / "artifacts")
        if path.name.split(".")[0] not in live and now - path.stat().st_mtime > min(GRACE_S, max_age_s)
    ]
    folders = sorted(path for path in (home / "runs").glob("*") if path.is_dir() and not path.name.startswith("."))
    runs = folders[: max(0, len(folders) - keep_runs)]
    runs += [path for path in (home / "runs").glob(".tmp-*") if now - path.stat().st_mtime > GRACE_S]
    size = sum(path.stat().st_size for path in [*entries, *artifacts, *(f for run in runs for f in _files(run))])
    if not dry_run:
        for path in [*entries, *artifacts]:
            path.unlink(missing_ok=True)
        for run in runs:
            if run.is_dir():
                shutil.rmtree(run, ignore_errors=True)
            else:
                run.unlink(missing_ok=True)
    return Swept(len(entries), len(artifacts), len(runs), size)


def _files(folder: Path) -> Iterator[Path]:
    yield from (path for path in sorted(folder.rglob("*")) if path.is_file())


def _artifact_of(entry: Path) -> str | None:
    try:
        return Entry.model_validate_json(entry.read_bytes()).ref.digest
    except (OSError, ValidationError):
        return None
