"""The project's workflows: what they may do, and what their steps come to when they are run here in the order of the file."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from check_jsonschema.builtin_schemas import get_builtin_schema
from jsonschema import Draft7Validator

from tests.stages.changes import (
    MAIN,
    NOTES,
    Edit,
    Repository,
    declared,
    recorded,
    recorded_by_oracle,
    replaced,
    repository,
)
from tests.stages.copies import FAIL, NO_VERDICT, PASS, USAGE

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
EVALUATES, COMMENTS = FOLDER / "assay.yml", FOLDER / "assay-comment.yml"
PINNED = re.compile(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def loaded(text: str) -> dict[str, Any]:
    """YAML 1.1 reads the key `on` as true."""
    return {"on" if key is True else key: value for key, value in yaml.safe_load(text).items()}


def faults(text: str) -> list[str]:
    """What a workflow of this project must not do."""
    workflow = loaded(text)
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    found = [error.message for error in Draft7Validator(get_builtin_schema("vendor.github-workflows")).iter_errors(workflow)]
    found += [f"not pinned: {used}" for used in re.findall(r"uses: (.*)", text) if not PINNED.fullmatch(used)]
    found += [f"an expression in a script: {step['run']}" for step in steps if "${{" in step.get("run", "")]
    found += [f"no pipefail: {step['run']}" for step in steps if "run" in step and "set -euo pipefail" not in step["run"]]
    for word in ("ASSAY_ALLOW_CONTRACT_DRIFT", "pull_request_target", "secrets.", "write-all"):
        found += [f"holds {word}"] if word in text else []
    found += ["no permissions"] if "permissions" not in workflow else []
    found += ["another shell than bash"] if workflow.get("defaults") != {"run": {"shell": "bash"}} else []
    return found


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_workflow_fits_the_schema_and_keeps_the_rules(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("      - name: Install\n", "      - name: Install\n        env: {ASSAY_ALLOW_CONTRACT_DRIFT: 1}\n", "DRIFT"),
        (
            "          set -euo pipefail\n          mkdir",
            "          export ASSAY_ALLOW_CONTRACT_DRIFT=1\n          mkdir",
            "DRIFT",
        ),
        ('"$GITHUB_STEP_SUMMARY"', '"${{ github.event.pull_request.title }}"', "an expression in a script"),
        ("checkout@9c091bb21b7c1c1d1991bb908d89e4e9dddfe3e0 # v7.0.0", "checkout@v7", "not pinned"),
        ("  pull_request:\n", "  pull_request_target:\n", "pull_request_target"),
        ("permissions:\n  contents: read\n", "", "no permissions"),
        ("    timeout-minutes: 20\n", "    timeout: 20\n", "timeout"),
        ("    shell: bash", "    shell: sh", "another shell"),
        ("          set -euo pipefail\n          python", "          python", "no pipefail"),
    ],
)
def test_a_workflow_that_breaks_a_rule_is_refused(old: str, new: str, fault: str) -> None:
    text = EVALUATES.read_text(encoding="utf-8")
    assert old in text
    assert any(fault in found for found in faults(text.replace(old, new)))


def test_the_evaluating_workflow_may_only_read_and_sees_the_whole_history() -> None:
    workflow = loaded(EVALUATES.read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    assert workflow["permissions"] == {"contents": "read"}
    assert "permissions" not in job
    assert "edited" in workflow["on"]["pull_request"]["types"]
    assert job["steps"][0]["with"] == {"fetch-depth": 0, "persist-credentials": False}
    assert (job["steps"][-1]["if"], job["steps"][-1]["uses"].partition("@")[0]) == ("always()", "actions/upload-artifact")


def test_the_commenting_workflow_writes_comments_only_and_runs_nothing_of_the_change() -> None:
    workflow = loaded(COMMENTS.read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    assert list(workflow["on"]) == ["workflow_run"]
    assert workflow["permissions"] == {}
    assert job["permissions"] == {"actions": "read", "contents": "read", "pull-requests": "write"}
    checkout, download, post = job["steps"]
    assert checkout["with"]["ref"] == "${{ github.event.repository.default_branch }}"
    assert download["with"]["path"].startswith("${{ runner.temp }}/")
    assert post["run"].splitlines()[1:] == ['python3 -I tools/post_comment.py "$RUNNER_TEMP/assay"']


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    found = repository(tmp_path_factory.mktemp("workflow") / "project")
    found.git("update-ref", f"refs/remotes/origin/{MAIN}", MAIN)
    return found


def workflow_run(workspace: Path, temporary: Path, *options: str, path: Path = EVALUATES) -> subprocess.CompletedProcess[str]:
    """The workflow's steps after the installation, run here."""
    clean = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    found = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "tools" / "run_workflow.py"), str(path), "--workspace", str(workspace)]
    return subprocess.run(
        [*command, "--temp", str(temporary), "--skip", "Install", *options],
        cwd=temporary.parent,
        env=clean | found,
        capture_output=True,
        text=True,
        check=False,
    )


def event(body: Path) -> list[str]:
    values = {"number": "7", "base.ref": MAIN, "body": f"@{body}"}
    return [part for name, value in values.items() for part in ("--event", f"pull_request.{name}={value}")]


PAIRS: dict[str, tuple[int, str, tuple[Edit, ...]]] = {
    "pass": (
        PASS,
        "Few cases.\n\nASSAY_ACK: raised max_drop_pp notes because every row is more than that; @everyone `rm -rf` $(id)\n",
        (declared(NOTES, "gate", "max_drop_pp", to=3.2),),
    ),
    "regression": (FAIL, "", (recorded("notes", lambda text: text.replace("allergic to walnuts", "fond of walnuts")),)),
    "oracle violation": (
        FAIL,
        "",
        (replaced(f"{NOTES}/prompt.md", "You ", "You carefully "), recorded_by_oracle("notes")),
    ),
    "no verdict": (NO_VERDICT, "", (lambda root: (root / NOTES / "baseline.json").unlink(),)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_the_steps_end_as_the_verdict_says_and_leave_comment_summary_and_junit(
    repo: Repository, name: str, tmp_path: Path
) -> None:
    code, said, edits = PAIRS[name]
    repo.branch("pair", *edits)
    body, temporary = tmp_path / "body.md", tmp_path / "runner"
    body.write_text(said, encoding="utf-8")
    done = workflow_run(repo.root, temporary, *event(body))
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stdout + done.stderr
    assert re.findall(r"^(?:==|--) (.*)", done.stdout, re.MULTILINE) == [
        "actions/checkout@9c091bb21b7c1c1d1991bb908d89e4e9dddfe3e0: skipped (uses an action)",
        "actions/setup-python@ece7cb06caefa5fff74198d8649806c4678c61a1: skipped (uses an action)",
        "Install: skipped (--skip)",
        "Keep the pull request's text",
        "Judge the change",
        *([f"Judge the change: exit code {code}"] if code else []),
        "Replay every suite: skipped by its condition",
        "Upload the reports: skipped (uses an action)",
    ]
    comment = (temporary / "assay" / "comment.md").read_text(encoding="utf-8")
    expected = Path(__file__).with_name("comments") / f"{name.replace(' ', '_')}.md"
    assert settled(comment) == expected.read_text(encoding="utf-8")
    assert (temporary / "step_summary.txt").read_text(encoding="utf-8") == comment
    assert (temporary / "assay" / "number").read_text(encoding="utf-8") == "7"
    assert b'<testsuite name="change"' in (temporary / "assay" / "junit.xml").read_bytes()
    page = (temporary / "assay" / "notes" / "report.html").read_text(encoding="utf-8")
    sabotaged = re.findall(r"^- `notes`: sabotage: (.*)$", comment, re.MULTILINE)
    assert (len(sabotaged), [told for told in sabotaged if told not in page]) == (int(name == "pass"), [])
    assert (temporary / "assay" / "notes" / "report.json").exists()


def settled(text: str) -> str:
    """The comment without what differs from run to run: the base's name, digests, and the age of baselines."""
    return re.sub(r"\b\d+ days?\b", "N days", re.sub(r"\b[0-9a-f]{12,64}\b", "HASH", text))


def test_on_a_push_every_suite_is_replayed(repo: Repository, tmp_path: Path) -> None:
    repo.git("checkout", "--quiet", "--force", MAIN)
    done = workflow_run(repo.root, tmp_path / "runner", "--on", "push")
    assert done.returncode == PASS, done.stdout + done.stderr
    assert "-- Judge the change: skipped by its condition" in done.stdout
    assert "| `notes` | PASS | nothing: unchanged, run all the same |  |" in done.stdout


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("run: echo ${{ github.event.pull_request.title }}", "github.event.pull_request.title stands for nothing here"),
        ("run: echo ${{ fromJSON('1') }}", "fromJSON() with arguments is not known"),
        ("run: echo ${{ secrets.KEY }}", "secrets.KEY stands for nothing here"),
        ("run: 'true'\n        shell: pwsh", "the shell 'pwsh'"),
        ("run: 'true'\n        strategy: {}", "keys that are not understood here: strategy"),
        ("run: 'echo a=b >> $GITHUB_OUTPUT'", "writes to GITHUB_OUTPUT"),
    ],
)
def test_what_the_local_runner_does_not_know_is_an_error(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "w.yml"
    file.write_text(f"on: pull_request\njobs:\n  a:\n    runs-on: x\n    steps:\n      - {text}\n", encoding="utf-8")
    done = workflow_run(tmp_path, tmp_path / "runner", path=file)
    assert (done.returncode, told in done.stderr) == (USAGE, True), done.stderr


def test_conditions_pipes_and_working_folders_are_as_on_the_forge(tmp_path: Path) -> None:
    file = tmp_path / "w.yml"
    file.write_text(
        """\
on: [pull_request]
env: {FLAG: true, N: 3}
jobs:
  a:
    runs-on: x
    steps:
      - {name: no pipefail, run: false | true}
      - {name: folder, run: pwd && echo "$FLAG $N $X", working-directory: inner, env: {X: "${{ github.event_name }}"}}
      - {name: forgiven, run: exit 4, continue-on-error: true}
      - {name: pipefail, run: (exit 5) | cat, shell: bash}
      - {name: not run, run: echo never}
      - {name: run, if: always(), run: echo ran}
      - {name: run too, if: "${{ !cancelled() && failure() }}", run: echo ran}
      - {name: not run either, if: success() || github.event_name == 'push', run: echo never}
""",
        encoding="utf-8",
    )
    (tmp_path / "inner").mkdir()
    done = workflow_run(tmp_path, tmp_path / "runner", path=file)
    assert done.stderr == ""
    assert done.returncode == 5
    assert done.stdout.splitlines() == [
        "== no pipefail",
        "== folder",
        str(tmp_path / "inner"),
        "true 3 pull_request",
        "== forgiven",
        "-- forgiven: exit code 4",
        "== pipefail",
        "-- pipefail: exit code 5",
        "-- not run: skipped by its condition",
        "== run",
        "ran",
        "== run too",
        "ran",
        "-- not run either: skipped by its condition",
        "job a: failure",
        f"written below {tmp_path / 'runner'}",
    ]
