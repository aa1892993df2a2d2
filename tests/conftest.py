"""Settings that must stand before anything imports Prefect, and a copy of the project to break."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.zygote import answered, can_be_forked

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("assay", "flows", "tasks", "goldsets", "cassettes", "schemas", "pyproject.toml")
INHERITED = ("PATH", "HOME", "LANG", "TMPDIR", "SSL_CERT_FILE")

os.environ.update(DO_NOT_TRACK="1", PREFECT_SERVER_ANALYTICS_ENABLED="false")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take minutes first: with two workers neither is left with one of them while the other has nothing to do."""
    order = {"runs": 0, "stages": 1}
    items.sort(key=lambda item: order.get(item.path.parent.name, 2))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project that a test may edit, with its own cache."""
    target = tmp_path / "project"
    target.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy2(source, target / name)
    return target


@pytest.fixture
def assay(project: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the copy's command line with a clean environment plus the given variables."""

    def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        clean = {name: os.environ[name] for name in INHERITED if name in os.environ}
        clean |= {"PYTHONPATH": str(project), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200", **environ}
        if can_be_forked(project, arguments, environ):
            return answered(project, arguments, clean)
        return subprocess.run(
            [sys.executable, "-m", "assay", *arguments],
            cwd=project,
            env=clean,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    return run
