"""Runs of suites of transcripts in a project, and edits of that project."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.stages.copies import command


@dataclass(frozen=True)
class Ran:
    """A finished `assay run --json` and the files of its report."""

    code: int
    summary: dict[str, Any]
    report: dict[str, Any]
    junit: str

    @property
    def stages(self) -> set[str]:
        return {label(stage) for stage in self.summary["timing"]["stages"]}

    @property
    def computed(self) -> set[str]:
        """The stages that were not answered from the cache, with their provider."""
        return {label(stage) for stage in self.summary["timing"]["stages"] if not stage["cached"]}

    def passed(self, provider: str = "scripted") -> dict[str, bool]:
        """Each case, and whether it passed."""
        return {name: case["passed"] for name, case in self.report["providers"][provider]["cases"].items()}

    def failed(self, provider: str = "scripted") -> list[str]:
        return [name for name, passed in self.passed(provider).items() if not passed]

    def told(self, provider: str, case: str) -> str:
        """What the report says of a case that failed."""
        return json.dumps(self.report["providers"][provider]["failed"][case], ensure_ascii=False)

    def metrics(self, provider: str = "scripted") -> dict[str, Any]:
        found: dict[str, Any] = self.report["providers"][provider]["metrics"]
        return found

    def checks(self, status: str, provider: str = "scripted") -> list[str]:
        """The names of the suite's and the provider's checks with this status."""
        found = [*self.report["checks"], *self.report["providers"][provider]["checks"]]
        return [check["name"] for check in found if check["status"] == status]


def label(stage: dict[str, Any]) -> str:
    return " ".join(filter(None, (stage["stage"], stage["provider"])))


def ran(project: Path, *options: str, suite: str = "orchestration", **environ: str) -> Ran:
    """`assay run SUITE --offline --json OPTIONS` in this project."""
    done = command(project, "run", suite, "--offline", "--json", *options, **environ)
    assert done.stdout, f"exit {done.returncode}: {done.stderr}"
    summary = json.loads(done.stdout)
    folder = project / ".assay" / "runs" / summary["timing"]["run_id"]
    report = json.loads((folder / "report.json").read_text("utf-8"))
    return Ran(done.returncode, summary, report, (folder / "junit.xml").read_text("utf-8"))


def edited(project: Path, name: str, old: str, new: str) -> None:
    path = project / name
    text = path.read_text("utf-8")
    assert old in text, f"{name} does not hold {old!r}"
    path.write_text(text.replace(old, new, 1), "utf-8")


def appended(project: Path, name: str, text: str) -> None:
    path = project / name
    path.write_text(path.read_text("utf-8") + text, "utf-8")
