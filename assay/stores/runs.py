"""Finished runs: a folder each under `$ASSAY_HOME/runs`, and the name of the latest."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from assay.errors import InputError, Problem, UsageError
from assay.model.report import Report
from assay.reading import json_value, text_of, validated
from assay.stores.files import read_file, write_atomically

LATEST, PAGE = "latest", "report.html"


def new_run_id(suite: str, now: datetime) -> str:
    """A name for a run that sorts by time and is never given twice."""
    return f"{now:%Y%m%dT%H%M%SZ}-{suite}-{secrets.token_hex(3)}"


def materialise(home: Path, run_id: str, files: Mapping[str, bytes], out: Path | None) -> Path:
    """Write a run's files to `out`, or to its own folder, which appears whole or not at all. Returns the folder."""
    runs = home / "runs"
    if out is None:
        latest = run_id
        runs.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=runs, prefix=".tmp-"))
        _write_all(temporary, files)
        temporary.chmod(0o755)
        temporary.replace(runs / run_id)
        folder = runs / run_id
    else:
        _write_all(out, files)
        folder, latest = out, str(out.resolve())
    write_atomically(runs / LATEST, f"{latest}\n".encode())
    return folder


def run_folder(home: Path, run: str) -> Path:
    """The folder of a run given as id, folder or `latest`. Raises UsageError."""
    runs = home / "runs"
    if run == LATEST:
        return _latest(runs)
    for folder in (runs / run, Path(run)):
        with suppress(OSError, ValueError):  # a name that no file can have
            if run and (folder / "report.json").is_file():
                return folder
    raise UsageError(Problem("RUN", "no such run", run, "a run id, a folder with report.json, or latest"))


def read_report(folder: Path) -> Report:
    """A run's report, without its timing block. Raises InputError."""
    where = f"{folder}/report.json"
    value = json_value(text_of(read_file(folder / "report.json", where), where), where)
    if not isinstance(value, dict):
        raise InputError(Problem(where, "is not a report"))
    return validated({key: item for key, item in value.items() if key != "timing"}, where, Report)


def page_of(folder: Path) -> Path:
    """Where a run's page lies, absolute. Raises UsageError where the run has none."""
    page = folder.resolve() / PAGE
    if not page.is_file():
        raise UsageError(Problem(str(page), "is not there", remedy="Run the suite again; that makes one."))
    return page


def _latest(runs: Path) -> Path:
    remedy = "Make one with `assay run SUITE`."
    try:
        name = (runs / LATEST).read_text(encoding="utf-8").strip()
    except OSError:
        raise UsageError(Problem("RUN", "there is no run yet", remedy=remedy)) from None
    except ValueError:
        name = ""
    if not name:
        raise UsageError(Problem("RUN", "the name of the latest run is damaged", remedy=remedy))
    return runs / name


def _write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in sorted(files.items()):
        write_atomically(folder / name, data)
