"""A suite's run inside a test process. Imported where `flows` and `tasks` are ours (see `packages`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from assay.model.run import RunOutcome, RunRequest
from flows.suite_run import run_suite
from tasks._engine import Engine


class OneProcess(Engine):
    """An engine that begins nothing in a second process: this one is pytest's, with threads and locks of others."""

    def ahead(self, work: Callable[[Engine], object]) -> None:
        """Nothing; the run does the work when it needs it."""


def run_offline(suite: str, root: Path, home: Path, environ: Mapping[str, str]) -> RunOutcome:
    """The suite's newest version, from its recordings. Raises UserError."""
    return run_suite(RunRequest(suite), root, home, OneProcess(home), engine_name="offline", environ=environ)
