"""Several suites, one after the other: an error in one is its result, and the others are run all the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from assay.errors import UserError
from assay.model.run import RunOutcome, RunRequest, SuitesOutcome
from flows.suite_run import run_suite
from tasks._engine import Engine

Told = Callable[[str, RunOutcome | UserError], None]
"""(suite, its result)."""


@dataclass(frozen=True)
class Runner:
    """Where and how suites are run."""

    root: Path
    home: Path
    environ: Mapping[str, str]
    engine_name: str
    engine_of: Callable[[], Engine]
    """A new engine for each suite."""
    told: Told = lambda suite, result: None
    """Hears of each suite as it ends."""

    def run(self, request: RunRequest) -> RunOutcome:
        """One suite. Raises UserError."""
        return run_suite(request, self.root, self.home, self.engine_of(), engine_name=self.engine_name, environ=self.environ)


def run_suites(
    names: Iterable[str], request: RunRequest, runner: Runner, left_out: Mapping[str, str] | None = None
) -> SuitesOutcome:
    """Run each suite with the same request."""
    results: dict[str, RunOutcome | UserError] = {}
    for name in names:
        out = str(Path(request.out) / name) if request.out else None
        try:
            results[name] = runner.run(replace(request, suite=name, out=out))
        except UserError as error:
            results[name] = error
        runner.told(name, results[name])
    return SuitesOutcome(results, left_out or {})
