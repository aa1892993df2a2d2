"""The README's own suite, as written there: it runs outside any project, gets a baseline, and notices a bug."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.stages.copies import FAIL, NO_VERDICT, PASS, environment

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(kind: str, start: str) -> str:
    """The README's first block of this kind that holds `start`."""
    return next(text for text in re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL) if start in text)


def assay(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = environment(ROOT) | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(folder)))}
    command = [sys.executable, "-m", "assay", *arguments, "--goldset", "mine"]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)


def test_it_runs_as_written_and_fails_on_a_bug(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "__init__.py").write_text("", encoding="utf-8")
    crew = tmp_path / "my_package" / "crew.py"
    crew.write_text(block("python", "def factory(context)"), encoding="utf-8")
    (tmp_path / "mine" / "suite.yaml").write_text(block("yaml", "# mine/suite.yaml"), encoding="utf-8")
    (tmp_path / "mine" / "rules.yaml").write_text(block("yaml", "# mine/rules.yaml"), encoding="utf-8")
    (tmp_path / "mine" / "cases.jsonl").write_text(block("json", "asks-once"), encoding="utf-8")
    first = assay(tmp_path, "run", "mine", "--offline")
    assert (first.returncode, first.stderr) == (NO_VERDICT, "")
    published = assay(tmp_path, "baseline", "update", "mine", "--provider", "mine", "--reason", "the first")
    assert (published.returncode, published.stderr) == (0, "")
    assert assay(tmp_path, "run", "mine", "--offline").returncode == PASS
    search = '{"kind": "tool_call", "name": "search"'
    crew.write_text(
        crew.read_text(encoding="utf-8").replace(f"yield {search}", f"yield {search}}}\n        yield {search}"), "utf-8"
    )
    broken = assay(tmp_path, "run", "mine", "--offline")
    assert broken.returncode == FAIL
    assert "asks-once: one-search is broken" in broken.stdout
    crew.write_text("def factory(context):\n    raise RuntimeError('api down')\n", encoding="utf-8")
    assert assay(tmp_path, "run", "mine", "--offline").returncode not in {PASS, NO_VERDICT}
