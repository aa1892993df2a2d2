"""Runs of suites: one per suite and process, and one per suite and session where worker processes share a folder."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.errors import UserError
from assay.model.report import Report
from assay.pytest_plugin.packages import our_packages
from assay.stores.files import write_atomically
from assay.stores.runs import read_report


class Environment(Mapping[str, str]):
    """The variables, which no traceback shows: pytest prints the arguments of every frame."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def __getitem__(self, name: str) -> str:
        return self._variables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def __repr__(self) -> str:
        return f"<{len(self)} variables>"


@dataclass(frozen=True)
class Project:
    """Where the suites lie, where results are kept, and what the environment says."""

    root: Path
    home: Path
    environ: Mapping[str, str]
    shared: Path | None = None
    """A folder of all workers of one session, where there are several."""


@dataclass(frozen=True)
class Ran:
    """A finished run."""

    report: Report
    folder: Path


class SuiteRuns:
    """Runs a suite when it is first asked for."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._found: dict[str, Ran | Exception] = {}

    def of(self, suite: str) -> Ran | UserError:
        """The suite's run, or why there is none. Raises what a bug raised, for every item of the suite."""
        if suite not in self._found:
            self._found[suite] = self._tried(suite)
        found = self._found[suite]
        if isinstance(found, Ran | UserError):
            return found
        raise found

    def _tried(self, suite: str) -> Ran | Exception:
        shared = self._project.shared
        try:
            if shared is None or not shared.is_dir():
                return self._run(suite)
            with _alone(shared / f"{suite}.lock"):
                note = shared / f"{suite}.run"
                if note.is_file():
                    folder = Path(note.read_text(encoding="utf-8"))
                    return Ran(read_report(folder), folder)
                ran = self._run(suite)
                write_atomically(note, str(ran.folder).encode())
                return ran
        except Exception as error:  # noqa: BLE001  # whatever it is, each item of the suite shows it
            return error

    def _run(self, suite: str) -> Ran:
        project = self._project
        with our_packages():
            from assay.pytest_plugin.offline import run_offline

            outcome = run_offline(suite, project.root, project.home, project.environ)
        folder = Path(outcome.folder)
        return Ran(outcome.parsed or read_report(folder), folder)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Wait until no other worker is here; a worker that dies lets the next one in."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
