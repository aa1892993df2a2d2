"""An ordinary run is told a matrix that was made for exactly its inputs and its code, and none otherwise."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.sabotage.matrix import Inverted, Matrix
from assay.sabotage.outcome import Mutant
from assay.stores.artifacts import Artifacts, Body
from assay.stores.code import Sources
from assay.stores.goldsets import Source, open_suite
from assay.stores.index import Index
from flows.sabotage.known import ingredients, key_by_text, known_matrix
from flows.scaffold import scaffold

ROOT = Path(__file__).resolve().parents[3]
MATRIX = Matrix(
    suite="leaflet",
    version="v1",
    clean="PASS",
    mutants=(Mutant(name="no answer", layer="system", fate="killed", by=("results",)),),
    inverted=(Inverted(name="key order", holds=True),),
    survivors={},
)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    root = tmp_path_factory.mktemp("known")
    scaffold("retrieval", "leaflet", root, datetime(2026, 11, 30, tzinfo=UTC))
    return open_suite(root, "leaflet")


@pytest.fixture
def home(source: Source, tmp_path: Path) -> Path:
    """A cache that holds the matrix."""
    artifacts = Artifacts(tmp_path)
    Index(tmp_path, artifacts).keep(key_by_text(source), artifacts.put(Body("json", MATRIX.model_dump(mode="json"), 1)))
    return tmp_path


def test_the_matrix_of_these_inputs_is_known_and_that_of_an_empty_cache_is_not(
    source: Source, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert known_matrix(source, home) == MATRIX
    assert known_matrix(source, tmp_path_factory.mktemp("empty")) is None


def with_another_file(source: Source) -> Source:
    name, data = source.files["queries"]
    return replace(source, files={**source.files, "queries": (name, data + b"\n")})


OTHERS: dict[str, Callable[[Source], Source]] = {
    "gold file": with_another_file,
    "declaration": lambda source: replace(source, suite=source.suite.model_copy(update={"title": "Another"})),
    "baseline": lambda source: replace(source, baseline=(source.baseline or b"") + b" "),
    "no baseline": lambda source: replace(source, baseline=None),
    "prompt": lambda source: replace(source, prompt="You answer."),
    "schema": lambda source: replace(source, response_schema="{}"),
}


@pytest.mark.parametrize("other", OTHERS)
def test_that_of_other_inputs_is_not(other: str, source: Source, home: Path) -> None:
    assert known_matrix(OTHERS[other](source), home) is None


def test_that_of_another_system_is_not(source: Source, home: Path) -> None:
    (system,) = source.root.glob("leaflet*.py")
    before = system.read_text(encoding="utf-8")
    system.write_text(f"{before}\n\nLATER = 1\n", encoding="utf-8")
    try:
        assert known_matrix(source, home) is None
    finally:
        system.write_text(before, encoding="utf-8")
    assert known_matrix(source, home) == MATRIX


def test_that_of_other_code_is_not_down_to_a_comment(source: Source, tmp_path: Path) -> None:
    for top in ("assay", "flows", "tasks"):
        shutil.copytree(ROOT / top, tmp_path / top, ignore=shutil.ignore_patterns("__pycache__"))
    keys = [key_by_text(source, Sources(tmp_path))]
    assert keys == [key_by_text(source)]
    told = ("sabotage/catalogue/gate.py", "gate.py", "suites/checks/new.py", "scaffold/retrieval/suite.yaml")
    for path in (*(f"assay/{name}" for name in told), "flows/sabotage/trial.py", "tasks/gate.py"):
        with (tmp_path / path).open("a", encoding="utf-8") as file:
            file.write("# a comment\n")
        keys.append(key_by_text(source, Sources(tmp_path)))
    assert len(set(keys)) == len(told) + 3


def test_a_damaged_matrix_and_one_of_another_form_are_none(source: Source, home: Path) -> None:
    (body,) = (home / "artifacts").rglob("*.json")
    body.write_bytes(body.read_bytes() + b" ")
    assert known_matrix(source, home) is None
    artifacts = Artifacts(home)
    Index(home, artifacts).keep(key_by_text(source), artifacts.put(Body("json", {"suite": "leaflet"}, 1)))
    assert known_matrix(source, home) is None


def test_a_suite_that_cannot_be_read_has_none(source: Source, home: Path) -> None:
    gone = {name: one.model_copy(update={"target": "nowhere:factory"}) for name, one in source.suite.providers.items()}
    broken = replace(source, suite=source.suite.model_copy(update={"providers": gone}))
    assert known_matrix(broken, home) is None


def test_chosen_defects_and_other_code_are_other_ingredients(source: Source) -> None:
    assert ingredients(source, "a") == ingredients(source, "a", ())
    assert ingredients(source, "a", ["y", "x"]) == ingredients(source, "a", ["x", "y"])
    assert ingredients(source, "a") != ingredients(source, "b")
    assert ingredients(source, "a") != ingredients(source, "a", ["x"])


def test_to_ask_imports_no_defect_and_no_array_library() -> None:
    told = "import sys, flows.sabotage.known, assay.sabotage.text; print(*sorted(sys.modules))"
    found = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True)
    names = found.stdout.split()
    assert "flows.sabotage.known" in names
    assert [name for name in names if name.startswith(("assay.sabotage.catalogue", "flows.sabotage.running", "scipy"))] == []
