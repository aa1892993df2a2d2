"""A repository with its own `tasks.py` and `flows/`: `assay` runs there by module and by script, and so does its code."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from flows.scaffold import scaffold
from tests.stages.copies import PASS, environment, swapped

ROOT = Path(__file__).resolve().parents[2]
DESK = """\
import tasks
from flows.told import TOLD


def factory(context):
    from orchestration_system import serve

    def run(given):
        import flows.told

        assert (tasks.MINE, flows.told.TOLD, TOLD) == (1, "mine", "mine")
        return serve(given)

    return run
"""


def test_a_target_that_imports_its_own_tasks_and_flows_passes(tmp_path: Path) -> None:
    (tmp_path / "tasks.py").write_text("MINE = 1\n", encoding="utf-8")
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "__init__.py").write_text('raise_if_hidden = "mine"\n', encoding="utf-8")
    (tmp_path / "flows" / "told.py").write_text('TOLD = "mine"\n', encoding="utf-8")
    (tmp_path / "flows" / "desk.py").write_text(DESK, encoding="utf-8")
    scaffold("orchestration", None, tmp_path, datetime.now(UTC))
    suite = tmp_path / "goldsets/orchestration/v1/suite.yaml"
    suite.write_text(swapped("orchestration_system:factory", "flows.desk:factory")(suite.read_text(encoding="utf-8")), "utf-8")
    module, script = [sys.executable, "-m", "assay"], [str(Path(sys.executable).with_name("assay"))]
    first = assay(tmp_path, *script, "run", "orchestration", "--offline")
    assert "baseline: made from another recording" in first.stdout.replace("\n", " "), first.stderr
    update = ("baseline", "update", "orchestration", "--provider", "mine", "--reason", "my own desk")
    assert assay(tmp_path, *module, *update).returncode == PASS
    last = assay(tmp_path, *module, "run", "orchestration", "--offline")
    assert (last.returncode, last.stderr) == (PASS, "")


def assay(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env=environment(ROOT), capture_output=True, text=True, check=False)
