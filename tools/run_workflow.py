"""Runs the `run:` steps of a workflow on this machine, in the order of the file, as the forge would.

    python tools/run_workflow.py .github/workflows/assay.yml
        --event pull_request.number=1 --event pull_request.base.ref=main --event pull_request.body=@body.md

Steps that use an action are named and skipped. `--event` fills the event's payload (`@FILE` reads the value from a file),
`--on` names the event, `--skip` leaves a step out by name. Keys and expressions that this script does not know are errors, so
that nothing passes here which it did not understand. Ends with the exit code of the first step that failed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from workflow_expressions import Job, Unknown, filled, is_run

INHERITED = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH")
"""What a step may see of this environment. Everything else would not be there on the forge."""
WORKFLOW = frozenset({"name", "on", "permissions", "concurrency", "env", "defaults", "jobs"})
JOB = frozenset({"name", "if", "runs-on", "timeout-minutes", "permissions", "concurrency", "env", "defaults", "steps"})
STEP = frozenset(
    {"name", "id", "if", "uses", "with", "run", "env", "shell", "working-directory", "timeout-minutes", "continue-on-error"}
)
SHELLS = {
    None: ["bash", "-e", "{0}"],
    "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail", "{0}"],
    "sh": ["sh", "-e", "{0}"],
    "python": [sys.executable, "{0}"],
}
"""As the forge starts them: a step that names no shell runs without pipefail."""


@dataclass
class Place:
    """Where steps run, and what the files came to that they write for the runner."""

    workspace: Path
    temporary: Path
    github: dict[str, object]
    environ: dict[str, str] = field(default_factory=dict)
    steps: dict[str, object] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, object]:
        """What expressions may name."""
        return {"github": self.github, "runner": {"temp": str(self.temporary), "os": "Linux"}, "steps": self.steps}


def main(arguments: Sequence[str]) -> int:
    """Run every job."""
    options = _options(arguments)
    workspace = Path(options.workspace).resolve()
    temporary = Path(options.temp).resolve() if options.temp else Path(tempfile.mkdtemp(prefix="workflow-"))
    temporary.mkdir(parents=True, exist_ok=True)
    try:
        workflow = loaded(Path(options.file), options.on)
        place = _place(options.on, _event(options.event), workspace, temporary)
        codes = [_job(name, job, workflow, place, options.skip) for name, job in workflow["jobs"].items()]
    except (Unknown, OSError, yaml.YAMLError) as error:
        print(f"error: {options.file}: {error}", file=sys.stderr)
        return 2
    print(f"written below {temporary}")
    return next((code for code in codes if code), 0)


def loaded(path: Path, event: str) -> dict[str, Any]:
    """The workflow, known key by key. Raises Unknown."""
    read = yaml.safe_load(path.read_text(encoding="utf-8"))
    workflow: dict[str, Any] = {"on" if key is True else key: value for key, value in read.items()}  # YAML 1.1 reads on as true
    _known("the workflow", workflow, WORKFLOW)
    for name, job in workflow["jobs"].items():
        _known(f"job {name}", job, JOB)
        for step in job["steps"]:
            _known(f"a step of job {name}", step, STEP)
            if ("run" in step) == ("uses" in step):
                raise Unknown(f"a step of job {name} has neither or both of run and uses")
    events = [workflow["on"]] if isinstance(workflow["on"], str) else list(workflow["on"])
    if event not in events:
        raise Unknown(f"is not started by {event}, but by {', '.join(events)}")
    return workflow


def _known(place: str, found: Mapping[str, object], known: frozenset[str]) -> None:
    strange = sorted(set(found) - known)
    if strange:
        raise Unknown(f"{place} has keys that are not understood here: {', '.join(strange)}")


def _job(name: str, job: Mapping[str, Any], workflow: Mapping[str, Any], place: Place, skipped: Sequence[str]) -> int:
    """Run a job's steps; returns the first exit code that failed it."""
    if not is_run(job.get("if"), place.names, Job()):
        print(f"job {name}: skipped by its condition")
        return 0
    environ = {**place.environ, **_env(workflow, place), **_env(job, place)}
    defaults = {**(workflow.get("defaults") or {}).get("run", {}), **(job.get("defaults") or {}).get("run", {})}
    first = 0
    for number, step in enumerate(job["steps"], start=1):
        title = step.get("name") or step.get("uses") or f"step {number}"
        if not is_run(step.get("if"), place.names, Job(has_failed=bool(first))):
            print(f"-- {title}: skipped by its condition", flush=True)
            continue
        code = 0 if _is_left_out(title, step, place, skipped) else _step(title, step, defaults, place, environ)
        if "id" in step:
            place.steps[step["id"]] = {"outcome": "failure" if code else "success"}
        first = first or (0 if step.get("continue-on-error") else code)
    print(f"job {name}: {'failure' if first else 'success'}")
    return first


def _is_left_out(title: str, step: Mapping[str, Any], place: Place, skipped: Sequence[str]) -> bool:
    """Whether the step is not run here. What it is given has to be known all the same."""
    if "uses" not in step and title not in skipped:
        return False
    for value in (step.get("with") or {}).values():
        filled(str(value), place.names)
    print(f"-- {title}: skipped ({'uses an action' if 'uses' in step else '--skip'})", flush=True)
    return True


def _step(title: str, step: Mapping[str, Any], defaults: Mapping[str, str], place: Place, environ: Mapping[str, str]) -> int:
    """Run the step's script; returns its exit code."""
    print(f"== {title}", flush=True)
    shell = step.get("shell") or defaults.get("shell")
    if shell not in SHELLS:
        raise Unknown(f"the shell {shell!r} of {title!r} is not known here")
    script = place.temporary / "script"
    script.write_text(filled(step["run"], place.names), encoding="utf-8")
    folder = place.workspace / filled(step.get("working-directory") or defaults.get("working-directory") or ".", place.names)
    command = [part.replace("{0}", str(script)) for part in SHELLS[shell]]
    files = {f"GITHUB_{name}": place.temporary / f"{name.lower()}.txt" for name in ("OUTPUT", "ENV", "PATH", "STEP_SUMMARY")}
    for path in files.values():
        path.touch()
    seen = {**environ, **_env(step, place), **{name: str(path) for name, path in files.items()}}
    code = subprocess.run(command, cwd=folder, env=seen, check=False).returncode  # noqa: S603  # the workflow's own steps
    if code:
        print(f"-- {title}: exit code {code}", flush=True)
    _refuse_unread(title, files)
    return code


def _refuse_unread(title: str, files: Mapping[str, Path]) -> None:
    """Values that a step hands to later ones would be lost here. Raises Unknown."""
    told = [name for name, path in files.items() if name != "GITHUB_STEP_SUMMARY" and path.stat().st_size]
    if told:
        raise Unknown(f"{title!r} writes to {', '.join(told)}, which this script does not hand on")


def _env(part: Mapping[str, Any], place: Place) -> dict[str, str]:
    return {
        name: filled(value if isinstance(value, str) else json.dumps(value), place.names)
        for name, value in (part.get("env") or {}).items()
    }


def _place(name: str, event: dict[str, object], workspace: Path, temporary: Path) -> Place:
    """The `github` context and the variables of a runner, as far as they are known on this machine."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=workspace, capture_output=True, text=True, check=False)  # noqa: S607
    pull: Any = event.get("pull_request") or {}
    base_ref = str(pull.get("base", {}).get("ref", ""))
    github: dict[str, object] = {
        "event": event,
        "event_name": name,
        "sha": done.stdout.strip(),
        "ref": f"refs/pull/{pull.get('number', 0)}/merge" if pull else "refs/heads/main",
        "base_ref": base_ref,
        "repository": "local/local",
        "run_id": "1",
        "token": "",
    }
    payload = temporary / "event.json"
    payload.write_text(json.dumps(event), encoding="utf-8")
    told = {f"GITHUB_{key.upper()}": str(value) for key, value in github.items() if key not in {"event", "token"}}
    told |= {"GITHUB_WORKSPACE": str(workspace), "GITHUB_EVENT_PATH": str(payload), "GITHUB_ACTIONS": "true", "CI": "true"}
    kept = {key: os.environ[key] for key in INHERITED if key in os.environ}
    return Place(workspace, temporary, github, {**kept, **told, "RUNNER_TEMP": str(temporary)})


def _event(given: Sequence[str]) -> dict[str, object]:
    """The payload from `a.b=value` settings."""
    event: dict[str, Any] = {}
    for setting in given:
        path, sign, value = setting.partition("=")
        if not sign:
            raise Unknown(f"--event {setting}: no `=`")
        place = event
        *parents, last = path.split(".")
        for part in parents:
            place = place.setdefault(part, {})
        place[last] = Path(value[1:]).read_text(encoding="utf-8") if value.startswith("@") else value
    return event


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--on", default="pull_request", help="The event that starts the workflow.  [default: pull_request]")
    parser.add_argument("--event", action="append", default=[], metavar="K=V", help="A value of the event's payload.")
    parser.add_argument("--workspace", default=".", help="The checkout.  [default: the current folder]")
    parser.add_argument("--temp", help="The runner's temporary folder.  [default: a new one, which is kept]")
    parser.add_argument("--skip", action="append", default=[], metavar="STEP", help="Leave this step out.")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
