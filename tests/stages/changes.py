"""A small project in a git repository of its own, with a branch for each change.

Two suites: `notes` (extraction, replies made from the expectations) and `letters` (checks, replies that say they were recorded
live, and answers by hand as a second subject). Both pass at `main`. The code that scores lies in the project too; what is
run in the tests is this process's own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from assay.change import ChangeOutcome
from assay.digest import sha256_hex
from assay.model.run import RunRequest
from assay.publication import updated
from assay.stores.baselines import read_baseline, write_baseline
from assay.stores.goldsets import open_suite
from assay.stores.runs import read_report
from flows.calibration import calibrated
from flows.change import Change, judge_change
from flows.recording import record_oracle
from flows.scaffold import scaffold
from flows.suite_run import run_suite
from flows.suites_run import Runner
from tasks._engine import Engine

ROOT = Path(__file__).resolve().parents[2]
MAIN = "main"
NOW, LATER = datetime(2026, 11, 30, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
AUTHOR = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
NOTES, LETTERS = "goldsets/notes/v1", "goldsets/letters/v1"
Edit = Callable[[Path], None]


@dataclass(frozen=True)
class Repository:
    """The repository and one cache for all its branches."""

    root: Path

    @property
    def home(self) -> Path:
        """Ignored by git."""
        return self.root / ".assay"

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *AUTHOR, *arguments],
            cwd=cwd or self.root,
            env={**os.environ, **QUIET},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def branch(self, name: str, *edits: Edit) -> None:
        """A branch from main with one commit of these edits, checked out."""
        self.git("checkout", "--quiet", "--force", "-B", name, MAIN)
        self.git("clean", "--quiet", "--force", "-d")
        for edit in edits:
            edit(self.root)
        self.git("add", "-A")
        self.git("commit", "--quiet", "-m", name)

    def judged(self, body: str = "", *, base: str = MAIN, every: bool = False, root: Path | None = None) -> ChangeOutcome:
        """What is checked out, judged against main in this process."""
        place = root or self.root
        evidence = {"ASSAY_EVIDENCE": str(self.home / "evidence")}
        return judge_change(Change(base, body, every), Runner(place, self.home, evidence, "offline", lambda: Engine(self.home)))


def repository(root: Path) -> Repository:
    """The project at main."""
    root.mkdir()
    found = Repository(root)
    scaffold("extraction", "notes", root, NOW)
    scaffold("checks", "letters", root, NOW)
    shutil.copytree(ROOT / "assay", root / "assay", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(root / ".github")
    declared(NOTES, "gate", "floors", to={"recall_macro": 0.9})(root)
    declared(LETTERS, "providers", "by_rote", to=BY_ROTE)(root)
    checked("mentions", config={"objective": {"direction": "maximize", "threshold": 0.5}})(root)
    recorded_live("letters", NOW)(root)
    published("notes", "openai")(root)
    published("letters", "openai", "by_rote")(root)
    found.git("init", "--quiet", "--initial-branch", MAIN)
    found.git("add", "-A")
    found.git("commit", "--quiet", "-m", "the project")
    return found


BY_ROTE = {
    "role": "subject",
    "enforcement": "ci",
    "model": "answers written by hand",
    "target": "assay.providers.outputs:recorded",
    "recorded_as": "file",
}


def declared(folder: str, *path: str, to: Any) -> Edit:
    """Set a value of suite.yaml, or take it away with None."""

    def edit(root: Path) -> None:
        file = root / folder / "suite.yaml"
        suite = yaml.safe_load(file.read_text(encoding="utf-8"))
        place = suite
        for key in path[:-1]:
            place = place.setdefault(key, {})
        if to is None:
            del place[path[-1]]
        else:
            place[path[-1]] = to
        file.write_text(yaml.safe_dump(suite, sort_keys=False, allow_unicode=True), encoding="utf-8")

    return edit


def checked(name: str, **changes: Any) -> Edit:
    """Set keys of one of the checks of letters."""

    def edit(root: Path) -> None:
        listed = yaml.safe_load((root / LETTERS / "suite.yaml").read_text(encoding="utf-8"))["options"]["checks"]
        assert any(check["name"] == name for check in listed)
        declared(LETTERS, "options", "checks", to=[c | changes if c["name"] == name else c for c in listed])(root)

    return edit


def rows(path: str, change: Callable[[list[dict[str, Any]]], Sequence[dict[str, Any]]]) -> Edit:
    """Other rows in a JSON-lines file."""

    def edit(root: Path) -> None:
        found = [json.loads(line) for line in (root / path).read_text(encoding="utf-8").splitlines()]
        text = "".join(
            json.dumps(row, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n" for row in change(found)
        )
        (root / path).write_text(text, encoding="utf-8")

    return edit


def replaced(path: str, old: str, new: str) -> Edit:
    """One text in place of another, wherever it stands."""

    def edit(root: Path) -> None:
        before = (root / path).read_text(encoding="utf-8")
        assert old in before, f"not in {path}: {old}"
        (root / path).write_text(before.replace(old, new), encoding="utf-8")

    return edit


def calibrated_anew(suite: str) -> Edit:
    """As `assay calibrate` does."""

    def edit(root: Path) -> None:
        source = open_suite(root, suite, calibrating=True)
        (root / f"goldsets/{suite}/v1/calibration.json").write_bytes(calibrated(source, root / ".assay"))

    return edit


def recorded_by_oracle(suite: str, now: datetime = LATER) -> Edit:
    """The replies of `openai` made from the expectations."""

    def edit(root: Path) -> None:
        source = open_suite(root, suite)
        record_oracle(source, "openai", source.suite.providers["openai"], root / ".assay", now)

    return edit


def recorded_live(suite: str, now: datetime = LATER) -> Edit:
    """The recording of `openai` as if its model had given the replies that it holds."""
    return recorded(suite, lambda text: text, now=now, cassette_kind="live_openai_recorded", served="gpt-4o-mini-2026")


def recorded(
    suite: str,
    change: Callable[[str], str],
    *,
    now: datetime = LATER,
    cassette_kind: str | None = None,
    served: str | None = None,
) -> Edit:
    """The recording of `openai` with other replies, its manifest in step."""

    def edit(root: Path) -> None:
        path = root / f"cassettes/{suite}/v1/openai.jsonl"
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            line["reply"]["text"] = change(line["reply"]["text"])
            line["reply"]["model_served"] = served
        text = "".join(json.dumps(line, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n" for line in lines)
        path.write_text(text, encoding="utf-8")
        manifest = json.loads(path.with_suffix(".manifest.json").read_text(encoding="utf-8"))
        manifest["cassette"]["sha256"] = sha256_hex(text.encode())
        manifest |= {"recorded_at": now.isoformat(timespec="seconds"), "model_served": served}
        manifest |= {"cassette_kind": cassette_kind} if cassette_kind else {}
        path.with_suffix(".manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False), encoding="utf-8")

    return edit


def published(suite: str, *providers: str, reason: str = "judged by the test") -> Edit:
    """The baseline of what a run comes to now, as `assay baseline update` writes it."""

    def edit(root: Path) -> None:
        home = root / ".assay"
        evidence = {"ASSAY_EVIDENCE": str(home / "evidence")}
        run = run_suite(RunRequest(suite), root, home, Engine(home), engine_name="offline", environ=evidence)
        source = open_suite(root, suite)
        gated = {name: one.enforcement for name, one in source.suite.subjects.items()}
        today, report = NOW.date().isoformat(), read_report(Path(run.folder))
        for provider in providers:
            old = read_baseline(source.folder, source.shown)
            new, _ = updated(old, report, provider, run_id=run.run_id, reason=reason, today=today, declared=gated)
            write_baseline(source.folder, new)

    return edit
