"""Code that lies elsewhere: assay's own sources at another time, and modules of a tree that stands in for a project."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

import pytest

from assay.stores.code import INSTALLED, Sources, code_digest, sources_of
from assay.stores.targets import import_from, target_digest

ROOT = Path(__file__).resolve().parents[3]
PLANTED = "\n\n_UNUSED_BY_ANYONE = 1\n"


@pytest.fixture(autouse=True)
def _imports_as_before() -> Iterator[None]:
    path, finders = list(sys.path), list(sys.meta_path)
    yield
    sys.path[:], sys.meta_path[:] = path, finders
    for name in [name for name in sys.modules if name.startswith("mine")]:
        del sys.modules[name]
    importlib.invalidate_caches()


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    for name in ("assay", "tasks", "flows"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def test_equal_sources_have_equal_digests_wherever_they_lie(copy: Path) -> None:
    modules = ("tasks.score", "assay.suites.extraction.scoring")
    assert Sources(copy).digest(*modules) == code_digest(*modules)
    assert Sources(copy).reached("flows.chain") == INSTALLED.reached("flows.chain")


def test_a_module_that_is_not_there_is_not_found_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"tasks\.score is not a first-party module with source"):
        Sources(write(tmp_path, {"tasks/__init__.py": ""})).digest("tasks.score")


def test_assay_s_own_project_has_its_own_sources_and_any_other_the_installed_ones(copy: Path, tmp_path: Path) -> None:
    assert sources_of(ROOT) is INSTALLED
    assert sources_of(write(tmp_path, {"flows/__init__.py": "", "tasks.py": ""})) is INSTALLED
    assert sources_of(copy).below == copy


def test_a_user_s_module_counts_with_the_assay_that_it_is_run_by(copy: Path, tmp_path: Path) -> None:
    root = write(tmp_path, {"mine_search.py": "from assay.metrics.text import NORMALISER\n"})
    before = target_digest(root, "w", "mine_search:make")
    assert target_digest(root, "w", "mine_search:make", Sources(copy)) == before
    path = copy / "assay/metrics/text.py"
    path.write_text(path.read_text(encoding="utf-8") + PLANTED, encoding="utf-8")
    assert target_digest(root, "w", "mine_search:make", Sources(copy)) != before
    assert target_digest(root, "w", "assay.metrics.text:X") != target_digest(root, "w", "assay.metrics.text:X", Sources(copy))


class Editable:
    """What an editable installation leaves: a finder that knows where a package lies."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, [str(self.folder)], target) if name == self.name else None


def place_of(name: str) -> str | None:
    """Where a module is found now, by its folder's name."""
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None
    if spec is None:
        return None
    return spec.origin or str(next(iter(spec.submodule_search_locations or ())))


FILES = {"src/mine_pkg/__init__.py": "", "src/mine_pkg/deep.py": "", "src/mine_one.py": "", "src/mine_space/part.py": ""}


@pytest.mark.parametrize("how", ["path", "finder"])
def test_a_tree_stands_in_for_a_project_however_that_is_found(tmp_path: Path, how: str) -> None:
    project, tree = write(tmp_path / "project", FILES), write(tmp_path / "tree", FILES)
    if how == "path":
        sys.path.insert(0, str(project / "src"))
    for name in ("mine_pkg", "mine_one", "mine_space") if how == "finder" else ():
        sys.meta_path.append(Editable(name, project / "src"))  # type: ignore[arg-type]  # a finder by its method
    names = {"mine_pkg.deep": "mine_pkg/deep.py", "mine_one": "mine_one.py", "mine_space.part": "mine_space/part.py"}
    assert [place_of(name) for name in names] == [str(project / "src" / place) for place in names.values()]
    for name in [name for name in sys.modules if name.startswith("mine")]:
        del sys.modules[name]
    import_from(tree, instead_of=project)
    assert [place_of(name) for name in names] == [str(tree / "src" / place) for place in names.values()]


def test_a_module_that_the_tree_lacks_is_not_taken_from_the_project(tmp_path: Path) -> None:
    project = write(tmp_path / "project", {"mine_new.py": ""})
    sys.path.insert(0, str(project))
    import_from(write(tmp_path / "tree", {"other": ""}), instead_of=project)
    assert place_of("mine_new") is None


def test_a_module_that_moved_within_the_project_is_found_where_it_was(tmp_path: Path) -> None:
    project, tree = write(tmp_path / "project", {"src/mine_moved.py": ""}), write(tmp_path / "tree", {"mine_moved.py": ""})
    sys.path.insert(0, str(project / "src"))
    import_from(tree, instead_of=project)
    assert place_of("mine_moved") == str(tree / "mine_moved.py")


def test_what_is_installed_or_is_assay_stays_where_it_is(tmp_path: Path) -> None:
    """The project is a folder that holds the place of installed packages, as one with an environment in it does."""
    installed = Path(sysconfig.get_paths()["purelib"])
    project = Path(*installed.resolve().parts[:2])
    before = {name: place_of(name) for name in ("mypy", "antigravity", "sys", "assay", "flows")}
    assert not {"mypy", "antigravity"} & set(sys.modules), "both are to be looked for"
    import_from(write(tmp_path, {f"{name}/__init__.py": "" for name in before}), instead_of=project)
    assert {name: place_of(name) for name in before} == before
    import_from(tmp_path, instead_of=ROOT)
    assert [sys.meta_path[0].find_spec(name, None) for name in ("assay", "flows", "tasks")] == [None] * 3
