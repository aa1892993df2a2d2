"""A copy of the project at work: its processes, a suite of two cases, and what a run computed and wrote."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from assay.model.run import RunRequest
from flows.suite_run import run_suite
from tasks._engine import Engine
from tests.builders import conversation, json_lines, memory
from tests.zygote import answered, can_be_forked

PASS, FAIL, USAGE, NO_VERDICT = 0, 1, 2, 3
COLD = [
    "load",
    "verify",
    "replay openai",
    "score self-test",
    "score openai",
    "replay controls",
    "score controls",
    "gate",
    "publish",
]
WHOLE = [*COLD[:3], "replay smollm2", *COLD[3:5], "score smollm2", *COLD[5:]]
"""The stages of the committed suite, which has one more recording than the small one."""
CONTROLS = ("pattern", "shuffled", "abstain")
"""Those that the small suite keeps: one of each role, each of which two cases can satisfy."""
GOLD = "goldsets/extraction/v1"
CASSETTE = "cassettes/extraction/v1/openai.jsonl"
GATED = ["precision_macro", "recall_macro", "full_match_rate", "supersession_recall", "malformed_response_rate"]
INHERITED = ("PATH", "HOME", "LANG", "TMPDIR")
RUN = ("run", "extraction", "--offline", "--json")


@dataclass(frozen=True)
class Ran:
    """A finished run."""

    code: int
    summary: dict[str, Any]
    files: dict[str, bytes]
    """All that it wrote into its folder, as `written` reads it."""

    @property
    def verdict(self) -> str:
        return str(self.summary["verdict"])

    @property
    def computed(self) -> list[str]:
        """The stages that were not answered from the cache, with their provider."""
        return [label(stage) for stage in self.summary["timing"]["stages"] if not stage["cached"]]

    @property
    def run_id(self) -> str:
        return str(self.summary["timing"]["run_id"])

    def checks(self, status: str, provider: str = "openai") -> list[str]:
        """The names of the suite's and the gated provider's checks with this status."""
        found = [*self.summary["checks"], *self.summary["providers"][provider]["checks"]]
        return [check["name"] for check in found if check["status"] == status]

    def message(self, name: str) -> str:
        """What the suite's one check of that name says."""
        (found,) = [check["message"] for check in self.summary["checks"] if check["name"] == name]
        return str(found)

    @property
    def report(self) -> dict[str, Any]:
        """report.json without its timing block."""
        found: dict[str, Any] = json.loads(self.files["report.json"])
        return found


def label(stage: dict[str, Any]) -> str:
    return " ".join(filter(None, (stage["stage"], stage["provider"])))


def environment(project: Path, **environ: str) -> dict[str, str]:
    """A clean environment in which the copy's own code runs."""
    clean = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return clean | {"PYTHONPATH": str(project), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"} | environ


def started(project: Path, *command: str, **environ: str) -> subprocess.Popen[str]:
    """A python process in the copy, with `command` as python's arguments."""
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=project,
        env=environment(project, **environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def compiled(project: Path) -> Path:
    """Bytecode beside the copy's code, believed only while it is that of the source: each process starts quicker."""
    folders = ("assay", "flows", "tasks")
    done = finished(started(project, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", *folders))
    assert done.returncode == 0, done.stdout
    return project


def finished(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    out, err = process.communicate(timeout=240)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def command(project: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """`assay ARGUMENTS` in the copy, in a process of its own or, where code and outcome are the same, in a quicker one."""
    if can_be_forked(project, arguments, environ):
        return answered(project, arguments, environment(project, **environ))
    return finished(started(project, "-m", "assay", *arguments, **environ))


def ran(project: Path, *options: str, suite: str = "extraction", **environ: str) -> Ran:
    """`assay run SUITE --offline --json OPTIONS` in the copy."""
    home = Path(environ.get("ASSAY_HOME", project / ".assay"))
    return ran_as(command(project, "run", suite, "--offline", "--json", *options, **environ), home)


def ran_as(done: subprocess.CompletedProcess[str], home: Path) -> Ran:
    """What a finished process of `assay run --json` did."""
    assert done.stdout, f"exit {done.returncode}: {done.stderr}"
    summary = json.loads(done.stdout)
    return Ran(done.returncode, summary, written(home / "runs" / summary["timing"]["run_id"]))


def ran_here(project: Path, home: Path) -> Ran:
    """The same run in this process, with this process's code."""
    engine = Engine(home)
    outcome = run_suite(RunRequest("extraction"), project, home, engine, engine_name="offline", environ={})
    summary = {"verdict": outcome.verdict, "timing": {"run_id": outcome.run_id, "stages": [vars(s) for s in engine.stages]}}
    return Ran({"PASS": PASS, "FAIL": FAIL}.get(outcome.verdict, NO_VERDICT), summary, written(Path(outcome.folder)))


def written(folder: Path) -> dict[str, bytes]:
    """The files of a run's folder, report.json without its timing block and report.html without what only a run knows."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    files["report.html"] = re.sub(rb"(?s)<!--run (\w+)-->.*?<!--end \1-->", rb"<!--run \1-->", files["report.html"])
    report = json.loads(files["report.json"])
    assert report.pop("timing")
    files["report.json"] = json.dumps(report, indent=2, ensure_ascii=False).encode()
    return files


@contextmanager
def edited(path: Path, edit: Callable[[str], str]) -> Iterator[None]:
    """The file after an edit that must change it; as it was again at the end."""
    before = path.read_text(encoding="utf-8")
    after = edit(before)
    assert after != before, f"nothing to edit in {path.name}"
    path.write_text(after, encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")


def swapped(old: str, new: str) -> Callable[[str], str]:
    """An edit that puts one text in place of another, which must stand there once."""

    def edit(text: str) -> str:
        assert text.count(old) == 1, f"{text.count(old)} times: {old}"
        return text.replace(old, new)

    return edit


def appended(text: str) -> Callable[[str], str]:
    """An edit that adds a text at the end."""
    return lambda before: before + text


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below `folder` but those of its cache and its history, by relative path."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {str(path): (folder / path).read_bytes() for path in paths if path.parts[0] not in {".assay", ".git", "evidence"}}


def temporary_files(home: Path) -> list[str]:
    return [str(path) for path in home.rglob(".tmp-*")]


def baseline(project: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((project / GOLD / "baseline.json").read_text(encoding="utf-8"))
    return found


def write_baseline(project: Path, value: dict[str, Any]) -> None:
    (project / GOLD / "baseline.json").write_text(json.dumps(value), encoding="utf-8")


def shrunk(project: Path) -> Path:
    """Makes extraction the copy's only suite, of two cases with a calibration, recording and baseline of their own."""
    gold = project / GOLD
    for folder in (*(project / "goldsets").iterdir(), *(project / "cassettes").iterdir()):
        if folder.name != "extraction":
            shutil.rmtree(folder)
    cases = [conversation("c1"), conversation("c2", expects_nothing=True, turns=[{"role": "user", "content": "Thanks!"}])]
    (gold / "conversations.jsonl").write_bytes(json_lines(*cases))
    (gold / "expected_memories.jsonl").write_bytes(json_lines(*_memories()))
    (gold / "matcher_pairs.jsonl").write_bytes(json_lines(*pairs()))
    suite = yaml.safe_load((gold / "suite.yaml").read_text(encoding="utf-8"))
    suite["gate"]["metrics"] = GATED
    declared = suite["providers"]
    suite["providers"] = {name: declared[name] for name in ("openai", "vllm", *CONTROLS)}
    for name in ("smollm2.jsonl", "smollm2.manifest.json"):
        (project / CASSETTE).with_name(name).unlink()
    (gold / "suite.yaml").write_text(yaml.safe_dump(suite, sort_keys=False), encoding="utf-8")
    (gold / "baseline.json").unlink(missing_ok=True)
    for arguments, code in (
        (("calibrate", "extraction"), 0),
        (("record", "extraction", "--provider", "openai", "--oracle"), 0),
        (("run", "extraction", "--offline"), NO_VERDICT),
        (("baseline", "update", "extraction", "--provider", "openai", "--reason", "the first"), 0),
    ):
        done = command(project, *arguments)
        assert done.returncode == code, f"{arguments}: {done.stdout}{done.stderr}"
    shutil.rmtree(project / ".assay")
    return project


def _memories() -> list[dict[str, Any]]:
    return [
        memory("c1-m1", content="The user lives in Lyon."),
        memory("c1-m2", content="Tomatoes are watered before sunrise.", categories=["procedural", "behavioral"]),
        memory("c1-m3", content="Jazz beats rock.", categories=["preference"]),
        memory(
            "c1-m4",
            content="A dentist visit on 2 March 2026.",
            categories=["episodic"],
            temporal_kind="point",
            valid_from="2026-03-02",
            valid_until="2026-03-02",
        ),
        memory("c1-m5", content="Home is a flat in Graz.", temporal_kind="supersession", supersedes="c1-m1"),
    ]


def pairs() -> list[dict[str, Any]]:
    """Pairs that any matcher tells apart, so that the calibration of the small suite always holds."""
    words = ("cat", "plumber", "violin", "harbour", "cheese", "glacier", "tram", "orchid", "chess", "kayak", "lamp", "soup")
    same = [{"id": f"s-{w}", "a": f"The {w} is red.", "b": f"the {w} is RED.", "same": True, "kind": "form"} for w in words]
    others = zip(words, reversed(words), strict=True)
    return same + [
        {"id": f"d-{a}", "a": f"The {a} is red.", "b": f"Nobody saw any {b} yesterday.", "same": False, "kind": "unrelated"}
        for a, b in others
    ]
