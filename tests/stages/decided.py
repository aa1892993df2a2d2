"""Runs of the suite of decisions, and of suites of checks of a user's own, in a copy of the project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.errors import UserError
from assay.model.run import RunRequest
from assay.reporting.summary import summary_of
from flows.suite_run import run_suite
from tasks._engine import Engine
from tests.stages.conftest import copied
from tests.stages.copies import (
    FAIL,
    NO_VERDICT,
    PASS,
    USAGE,
    Ran,
    command,
    compiled,
    ran,
    written,
)


def decided(project: Path, suite: str = "decisions", goldset: Path | None = None) -> Ran:
    """The suite run in this process."""
    home = project / ".assay"
    engine = Engine(home)
    request = RunRequest(suite, goldset=str(goldset) if goldset else None)
    outcome = run_suite(request, project, home, engine, engine_name="offline", environ={})
    report = json.loads(outcome.report)
    stages = [vars(stage) for stage in engine.stages]
    summary = summary_of(outcome.parsed, report["timing"]).model_dump(mode="json") if outcome.parsed else {}
    summary |= {"timing": {"run_id": outcome.run_id, "stages": stages}}
    return Ran({"PASS": PASS, "FAIL": FAIL}.get(outcome.verdict, NO_VERDICT), summary, written(Path(outcome.folder)))


def decided_anew(project: Path) -> Ran:
    """The suite run by the copy's own code."""
    return ran(project, suite="decisions")


def values(found: Ran, provider: str = "recorded") -> dict[str, float | None]:
    return {name: metric["value"] for name, metric in found.summary["providers"][provider]["metrics"].items()}


def broken(found: Ran) -> list[str]:
    return found.checks("broken", "recorded")


def told(found: Ran, name: str, provider: str = "recorded") -> str:
    """What the provider's one check of that name says."""
    (message,) = [c["message"] for c in found.summary["providers"][provider]["checks"] if c["name"] == name]
    return str(message)


def refused(project: Path) -> str:
    """What a run says that ends as an input error."""
    with pytest.raises(UserError) as raised:
        decided(project)
    assert raised.value.exit_code == USAGE
    return str(raised.value)


def refused_anew(project: Path, *arguments: str) -> str:
    """The same of a command in a process of its own."""
    done = command(project, *arguments)
    assert (done.returncode, "Traceback" in done.stderr) == (USAGE, False), done.stdout
    return done.stderr


def copy_with_bytecode(target: Path) -> Path:
    """A copy of the project in which every process starts quicker."""
    return compiled(copied(target))
