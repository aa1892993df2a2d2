"""The kill table: every planted defect is killed by what should kill it, and one that is not makes the command fail."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from assay.providers.crew.defects import DEFECTS, Defect
from assay.providers.crew.parts import Parts

ROOT = Path(__file__).resolve().parents[2]
DEFECT_FILE = "assay/providers/crew/defects.py"
CAP = "Parts(limits=Limits(max_revisions=10))"
COPIED = ("assay", "tasks", "flows", "tools", "goldsets/orchestration")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kill_table", ROOT / "tools" / "kill_table.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def printed(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`python tools/kill_table.py OPTIONS` of the project at this root, keyless and without the flag."""
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(root / "tools" / "kill_table.py"), *options]
    return subprocess.run(command, env=environ, cwd=root, capture_output=True, text=True, timeout=120, check=False)


def defective(tmp_path: Path, old: str, new: str) -> Path:
    """A copy of the project with one edit of the planted defects."""
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    path = tmp_path / DEFECT_FILE
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    return tmp_path


def test_all_defects_are_killed_and_the_table_says_by_what() -> None:
    done = printed(ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:2] == ["| defect | killed | by |", "|---|---|---|"]
    cells = [line.strip("| ").split(" | ") for line in lines[2:-2]]
    assert [(name, killed) for name, killed, _ in cells] == [(defect.name, "yes") for defect in DEFECTS]
    assert dict(zip([name for name, *_ in cells], [by for *_, by in cells], strict=True)) == {
        "cap raised to ten": "editor-never-satisfied, rogue-demands-revisions",
        "illegal moves accepted": "editor-never-satisfied, writer-errors, rogue-skips-steps, rogue-demands-revisions",
        "a refusal fails the run": "editor-never-satisfied, rogue-skips-steps, rogue-demands-revisions",
        "an empty strategy is a success": "strategist-returns-no-angles",
        "an exception is swallowed": "writer-errors",
        "telemetry is shared between cases": "one-revision, two-revisions, editor-never-satisfied, writer-errors, "
        "strategist-returns-no-angles, schema-mismatch, rogue-skips-steps, rogue-demands-revisions, rogue-raises-at-decision",
        "the mock stands in for a model that is gone": "rogue-raises-at-decision",
        "the mock is the default without the flag": "check mock_is_chosen",
    }
    assert lines[-2:] == ["", "8 of 8 killed by what should kill them"]


def test_a_defect_that_nothing_kills_fails_the_command(tmp_path: Path) -> None:
    root = defective(tmp_path, CAP, "Parts()")
    done = printed(root, "--json")
    assert (done.returncode, done.stderr) == (1, "")
    found = json.loads(done.stdout)
    assert found[0] == {"defect": "cap raised to ten", "killed": False, "by": []}
    assert [row["killed"] for row in found] == [False, *[True] * 7]


def test_a_defect_that_other_cases_kill_fails_the_command_too(tmp_path: Path) -> None:
    done = printed(defective(tmp_path, CAP, "Parts(limits=Limits(max_revisions=1))"))
    assert done.returncode == 1
    assert "| cap raised to ten | NO, wanted editor-never-satisfied, rogue-demands-revisions | two-revisions, " in done.stdout
    assert done.stdout.splitlines()[-1] == "7 of 8 killed by what should kill them"


@pytest.mark.parametrize(
    ("red", "checks", "wanted", "check", "is_killed"),
    [
        (("a",), (), ("a",), None, True),
        (("a", "b"), (), ("a",), None, False),
        (("a",), (), ("a", "b"), None, False),
        ((), (), (), None, False),
        ((), (), ("a",), None, False),
        ((), ("one",), (), "one", True),
        ((), ("other",), (), "one", False),
        (("a",), ("one",), (), "one", False),
        (("a",), ("one",), ("a",), None, False),
    ],
)
def test_a_defect_is_killed_by_exactly_what_should_kill_it(
    tool: ModuleType,
    red: tuple[str, ...],
    checks: tuple[str, ...],
    wanted: tuple[str, ...],
    check: str | None,
    *,
    is_killed: bool,
) -> None:
    defect = Defect("d", Parts, wanted, broken_check=check)
    assert tool.Kill(defect, red, checks, wanted).is_killed is is_killed
