"""A version that suite.yaml states of a package is the one that is installed, also after an upgrade behind a full cache."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("poincare_orchestra", reason="the extra `orchestra` is not installed")

from tests.stages.conftest import copied
from tests.stages.copies import FAIL, PASS, ran

CHECK = "contract.version.poincare-orchestra"
TOLD = (
    "the suite declares poincare-orchestra 0.1.0, installed is 0.1.1. Install what is declared with "
    "`pip install poincare-orchestra==0.1.0`, or declare 0.1.1 in `model` of suite.yaml once its numbers were read."
)


def upgraded(folder: Path) -> Path:
    """A folder that, first on the path, lets the package be found installed as 0.1.1."""
    facts = folder / "poincare_orchestra-0.1.1.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: poincare-orchestra\nVersion: 0.1.1\n", encoding="utf-8")
    return folder


def test_an_upgrade_that_the_suite_does_not_declare_fails_with_both_versions(tmp_path: Path) -> None:
    project = copied(tmp_path / "project")
    before = ran(project, suite="facets")
    assert before.code == PASS
    assert CHECK in before.checks("kept", "poincare")
    after = ran(project, suite="facets", PYTHONPATH=os.pathsep.join([str(upgraded(tmp_path / "later")), str(project)]))
    assert (after.code, after.verdict) == (FAIL, "FAIL")
    assert "verify" in after.computed
    assert after.checks("broken", "poincare") == [CHECK]
    assert TOLD in after.report["headline"]
    assert after.summary["providers"]["poincare"]["metrics"] == {}
    assert "hashing embedder, as declared; not computed in this run. No numbers." in after.files["report.md"].decode()
