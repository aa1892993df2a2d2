"""Copies that are costly to make are made once; each test has its own copy of those."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.stages.copies import PASS, ran, shrunk

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("assay", "flows", "tasks", "goldsets", "cassettes", "pyproject.toml")


def copied(target: Path) -> Path:
    target.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / name, target / name)
    return target


@pytest.fixture(scope="session")
def small_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shrunk(copied(tmp_path_factory.mktemp("small") / "project"))


@pytest.fixture
def small(small_template: Path, tmp_path: Path) -> Path:
    """A copy whose suite holds two cases, passes, and does not depend on the committed gold set. Its cache is empty."""
    return Path(shutil.copytree(small_template, tmp_path / "small"))


@pytest.fixture(scope="session")
def warm_template(small_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = Path(shutil.copytree(small_template, tmp_path_factory.mktemp("warm") / "project"))
    found = ran(project)
    assert found.code == PASS, found.summary
    return project


@pytest.fixture
def warm(warm_template: Path, tmp_path: Path) -> Path:
    """The small copy after one run."""
    return Path(shutil.copytree(warm_template, tmp_path / "warm"))
