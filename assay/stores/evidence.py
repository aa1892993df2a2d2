"""Evidence of live runs: `<suite>/<version>/<provider>/<date>.json`, written once and never replaced."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from assay.errors import Problem, UsageError
from assay.model.evidence import TOO_SOON, Limits, LiveEvidence
from assay.stores.files import write_atomically

LOCK = ".live.lock"


def file_evidence(folder: Path, found: LiveEvidence) -> Path:
    """Write it under the day it was made; a second one of that day is `<date>-2.json`. Raises UsageError."""
    place = folder / found.suite / found.version / found.provider
    day = found.run.started[:10]
    data = (found.model_dump_json(indent=1) + "\n").encode()
    try:
        place.mkdir(parents=True, exist_ok=True)
        written = place / f".{found.run.run_id}.json"
        write_atomically(written, data)
        try:
            return _named(written, place, day)
        finally:
            written.unlink()
    except OSError as error:
        raise _unwritable(folder, error) from None


def measured_in(folder: Path, suite: str, version: str, provider: str, period: str, limits: Limits) -> str | None:
    """The day on which the provider was measured in this period, or None. What cannot be read counts for nothing.

    What a limit cut short counts only if its limits were at least these, those of the run that asks.
    """
    for path in sorted((folder / suite / version / provider).glob("[0-9]*.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            evidence = json.loads(path.read_bytes())
            run = evidence["run"]
            if run["period"] == period and (evidence["cut"] is None or _limits_of(run).are_at_least(limits)):
                return str(run["started"])[:10]
    return None


def skipped_in(folder: Path, suite: str, version: str, period: str, limits: Limits) -> set[str]:
    """Providers that a run of this period left out with a reason. What cannot be read counts for nothing.

    One that a limit kept from being asked counts as in `measured_in`.
    """
    found: set[str] = set()
    for path in sorted((folder / suite / version).glob("*/[0-9]*.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            evidence = json.loads(path.read_bytes())
            run, skipped = evidence["run"], evidence["skipped"]
            if run["period"] == period:
                found |= {
                    name for name, why in skipped.items() if not why.endswith(TOO_SOON) or _limits_of(run).are_at_least(limits)
                }
    return found


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Whether no other process measures into this folder; if so, none does until the end. Raises UsageError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise _unwritable(folder, error) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        yield False
        return
    try:
        yield True
    finally:
        os.close(descriptor)


def _limits_of(run: Mapping[str, Any]) -> Limits:
    """Raises KeyError or ValueError."""
    return Limits.model_validate(run["limits"])


def _named(written: Path, place: Path, day: str) -> Path:
    """Give a whole file the first name that is free; a link to a taken name fails, so none is replaced."""
    count = 1
    while True:
        path = place / (f"{day}.json" if count == 1 else f"{day}-{count}.json")
        try:
            path.hardlink_to(written)
        except FileExistsError:
            count += 1
        else:
            return path


def _unwritable(folder: Path, error: OSError) -> UsageError:
    remedy = "Name another folder in ASSAY_EVIDENCE."
    return UsageError(
        Problem(str(folder), f"cannot be written ({error.strerror})", expected="a folder for evidence", remedy=remedy)
    )
