"""A project's own `flows` and `tasks` beside ours: its code gets its own, ours gets ours."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tasks._engine
from assay.errors import InputError
from assay.namesakes import actual_name, find_ours_here, find_theirs, imported_module, is_ours
from assay.stores.targets import imported, target_digest

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "tasks.py": "STEP = 2\n",
    "flows/__init__.py": "WHO = 'mine'\n",
    "flows/deep/__init__.py": "from .. import WHO\nfrom . import leaf\n",
    "flows/deep/leaf.py": "import tasks\nFOUND = tasks.STEP\n",
    "flows/desk.py": """\
import flows.deep as deep
import flows.deep.leaf
import tasks
from flows import WHO
from tasks import STEP

def late():
    import tasks as found
    from flows.deep.leaf import FOUND
    return found is tasks, FOUND

def factory(context):
    return flows.deep.leaf.FOUND, deep.WHO, WHO, STEP
""",
    "desk_of_mine.py": "import tasks\nfrom flows.desk import factory\nSTEP = tasks.STEP\n",
}


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    finders, path, modules = list(sys.meta_path), list(sys.path), set(sys.modules)
    yield
    find_theirs(ROOT)
    sys.meta_path[:], sys.path[:] = finders, path
    for name in set(sys.modules) - modules:
        del sys.modules[name]
    importlib.invalidate_caches()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_code_of_the_project_imports_its_own_in_every_way(project: Path) -> None:
    factory = imported(project, "here", "flows.desk:factory")
    assert factory(None) == (2, "mine", "mine", 2)
    assert imported(project, "here", "flows.desk:late")() == (True, 2)
    assert imported(project, "here", "desk_of_mine:STEP") == 2
    assert imported(project, "here", "desk_of_mine:factory") is factory
    assert imported(project, "here", "tasks:STEP") == 2


def test_ours_stay_ours(project: Path) -> None:
    imported(project, "here", "flows.desk:factory")
    assert importlib.import_module("tasks._engine") is tasks._engine
    assert Path(str(importlib.import_module("flows.chain").__file__)).is_relative_to(ROOT)
    assert (is_ours("tasks"), is_ours("flows.desk"), is_ours("assay.errors"), is_ours("desk_of_mine")) == (
        *(False, False),
        *(True, False),
    )


def test_a_project_without_any_is_left_alone(tmp_path: Path) -> None:
    before = list(sys.meta_path)
    find_theirs(tmp_path)
    assert (sys.meta_path, actual_name("flows.chain"), is_ours("flows.chain")) == (before, "flows.chain", True)
    assert imported_module("tasks") is sys.modules["tasks"]


def test_assays_own_project_has_ours(project: Path) -> None:
    find_theirs(project)
    find_theirs(ROOT)
    assert actual_name("flows.chain") == "flows.chain"


def test_two_projects_in_one_process_have_each_their_own(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "tasks.py").write_text("STEP = 5\n", encoding="utf-8")
    assert [imported(root, "here", "tasks:STEP") for root in (project, other, project)] == [2, 5, 2]


def test_what_is_installed_below_the_project_is_not_of_the_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = project / ".venv" / "lib" / "site-packages"
    installed.mkdir(parents=True)
    (installed / "somebody_elses.py").write_text("import tasks\nPLACE = tasks.__file__\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(installed))
    assert Path(imported(project, "here", "somebody_elses:PLACE")).is_relative_to(ROOT)


def test_a_name_that_is_nowhere_is_an_error(project: Path) -> None:
    with pytest.raises(InputError, match=r"flows\.chain"):
        imported(project, "here", "flows.chain:run_chain")


@pytest.mark.parametrize("target", ["desk_of_mine:factory", "flows.desk:factory"])
@pytest.mark.parametrize("name", ["tasks.py", "flows/deep/leaf.py"])
def test_a_targets_digest_follows_its_own_namesakes(target: str, name: str, project: Path) -> None:
    before = target_digest(project, "here", target)
    (project / "unrelated.py").write_text("x = 1\n", encoding="utf-8")
    assert target_digest(project, "here", target) == before
    (project / name).write_text(FILES[name] + "MORE = 1\n", encoding="utf-8")
    assert target_digest(project, "here", target) != before


def test_ours_are_found_whatever_stands_first_on_the_path(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(project))
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != "assay.namesakes"]
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in {"flows", "tasks"}}
    try:
        assert importlib.import_module("tasks").STEP == 2
        del sys.modules["tasks"]
        find_ours_here()
        find_ours_here()
        assert Path(str(importlib.import_module("tasks").__file__)) == ROOT / "tasks" / "__init__.py"
        assert Path(str(importlib.import_module("flows.chain").__file__)) == ROOT / "flows" / "chain.py"
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] in {"flows", "tasks"}]:
            del sys.modules[name]
        sys.modules.update(kept)
