"""What must work without Prefect never imports it, whatever is installed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.stages.copies import PASS, command, finished, started

PUBLIC = "import assay; from assay import *; [getattr(assay, name) for name in assay.__all__]; assay.open_suite"
IMPORTED = re.compile(r"^import time:.*\|\s+(\S+)$", re.MULTILINE)


def imported(stderr: str) -> set[str]:
    """The top-level packages that `-X importtime` saw."""
    return {name.split(".")[0] for name in IMPORTED.findall(stderr)}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("run", "--help"),
        ("list",),
        ("verify", "extraction"),
        ("audit", "extraction"),
        ("run", "extraction", "--offline"),
        ("run", "extraction", "--offline", "--json"),
        ("gate", "latest"),
        ("cache", "gc"),
        ("record", "extraction", "--provider", "openai", "--oracle"),
        ("baseline", "update", "extraction", "--provider", "openai", "--reason", "again"),
    ],
    ids=" ".join,
)
def test_the_command_does_not_import_prefect(warm: Path, arguments: tuple[str, ...]) -> None:
    done = command(warm, *arguments, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == PASS
    assert "assay" in imported(done.stderr)
    assert "prefect" not in imported(done.stderr)


def test_help_imports_nothing_heavy(warm: Path) -> None:
    found = imported(command(warm, "--help", PYTHONPROFILEIMPORTTIME="1").stderr)
    assert found & {"numpy", "scipy", "pyarrow", "pydantic", "rich", "rapidfuzz"} == set()


def test_the_library_does_not_import_prefect(warm: Path) -> None:
    done = finished(started(warm, "-X", "importtime", "-c", PUBLIC))
    assert done.returncode == 0, done.stderr[-500:]
    assert "pydantic" in imported(done.stderr)
    assert "prefect" not in imported(done.stderr)


def test_importing_the_library_alone_imports_nothing_of_it(warm: Path) -> None:
    done = finished(started(warm, "-X", "importtime", "-c", "import assay"))
    assert "pydantic" not in imported(done.stderr)


@pytest.mark.parametrize("arguments", [("list",), ("verify", "extraction"), ("run", "extraction", "--offline")], ids=" ".join)
def test_the_command_works_where_prefect_cannot_be_imported(warm: Path, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    broken = tmp_path / "broken" / "prefect"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('prefect is not for this command')\n", encoding="utf-8")
    assert command(warm, *arguments, PYTHONPATH=f"{broken.parent}{os.pathsep}{warm}").returncode == PASS
