"""Code that a suite names: where it is looked for, and what of it stands in a stage key."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.stores.code import code_digest, foreign_digest
from assay.stores.targets import LOOKED_FOR, imported, target_digest, versions_behind

ROOT = Path(__file__).resolve().parents[3]
PRINT_DIGEST = (
    "import sys; from pathlib import Path; from assay.stores.targets import target_digest; "
    "print(target_digest(Path(sys.argv[1]), 'w', sys.argv[2]))"
)
WHERE = "goldsets/x/v1/suite.yaml: providers.p.target"
MODULE = '''\
"""Search."""

import mine_beside
from mine_beside import WEIGHT


def make(context):
    """Make it."""
    return WEIGHT
'''
PACKAGE = {
    "mine/__init__.py": "",
    "mine/search.py": "from mine.deep import FACTOR\n\n\ndef make(context):\n    return FACTOR\n",
    "mine/deep/__init__.py": "from .down import FACTOR\n",
    "mine/deep/down.py": "FACTOR = 2\n",
    "mine/other.py": "UNUSED = 1\n",
    "mine_beside.py": "WEIGHT = 1\n",
}
ALONE = {"mine_search.py": MODULE, "mine_beside.py": "WEIGHT = 1\n", "mine_stranger.py": "X = 1\n"}


@pytest.fixture(autouse=True)
def _modules_of_the_user() -> Iterator[None]:
    """Each test finds the user's modules in its own project."""
    before, path = set(sys.modules), list(sys.path)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - before:
        if name.startswith("mine"):
            del sys.modules[name]


def written(root: Path, tree: dict[str, str]) -> Path:
    for name, text in tree.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def digest(root: Path, tree: dict[str, str], target: str) -> str:
    return target_digest(written(root, tree), WHERE, target)


def changed(root: Path, tree: dict[str, str], target: str, file: str, old: str, new: str) -> bool:
    """Whether the digest is another after the edit, in one process that lives through it."""
    assert old in tree[file]
    before = digest(root, tree, target)
    return digest(root, {**tree, file: tree[file].replace(old, new) if old else new}, target) != before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("mine_search.py", "return WEIGHT", "return WEIGHT + 1"),
        ("mine_search.py", "def make(context)", "def make(other)"),
        ("mine_beside.py", "WEIGHT = 1", "WEIGHT = 2"),
    ],
)
def test_what_a_module_does_counts_and_what_the_one_beside_it_does(tmp_path: Path, file: str, old: str, new: str) -> None:
    assert changed(tmp_path, ALONE, "mine_search:make", file, old, new)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("mine_search.py", '"""Search."""', '"""Other words."""'),
        ("mine_search.py", '    """Make it."""\n', ""),
        ("mine_search.py", "return WEIGHT", "return WEIGHT  # as measured"),
        ("mine_beside.py", "WEIGHT = 1", "WEIGHT = (\n    1\n)"),
        ("mine_stranger.py", "X = 1", "X = 2"),
    ],
)
def test_comments_docstrings_layout_and_strangers_do_not_count(tmp_path: Path, file: str, old: str, new: str) -> None:
    assert not changed(tmp_path, ALONE, "mine_search:make", file, old, new)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("mine/search.py", "return FACTOR", "return -FACTOR"),
        ("mine/deep/down.py", "FACTOR = 2", "FACTOR = 3"),
        ("mine/deep/__init__.py", "from .down", "READY = True\nfrom .down"),
        ("mine/__init__.py", "", "READY = True\n"),
    ],
)
def test_what_a_package_of_the_project_does_counts_at_any_depth(tmp_path: Path, file: str, old: str, new: str) -> None:
    assert changed(tmp_path, PACKAGE, "mine.search:make", file, old, new)


def test_a_module_of_the_package_that_is_not_imported_does_not_count(tmp_path: Path) -> None:
    assert not changed(tmp_path, PACKAGE, "mine.search:make", "mine/other.py", "UNUSED = 1", "UNUSED = 2")


def test_a_module_beside_a_package_counts_where_the_package_imports_it(tmp_path: Path) -> None:
    tree = {**PACKAGE, "mine/search.py": "import mine_beside\n" + PACKAGE["mine/search.py"]}
    assert changed(tmp_path, tree, "mine.search:make", "mine_beside.py", "WEIGHT = 1", "WEIGHT = 2")


def test_a_folder_beside_a_module_counts_without_an_init_file(tmp_path: Path) -> None:
    tree = {**ALONE, "mine_search.py": "from mine_folder.rank import ORDER\n", "mine_folder/rank.py": "ORDER = 1\n"}
    assert changed(tmp_path, tree, "mine_search:ORDER", "mine_folder/rank.py", "ORDER = 1", "ORDER = 2")


def test_a_relative_import_is_followed(tmp_path: Path) -> None:
    tree = {**PACKAGE, "mine/search.py": "from . import other\n\n\ndef make(context):\n    return other\n"}
    assert changed(tmp_path, tree, "mine.search:make", "mine/other.py", "UNUSED = 1", "UNUSED = 2")


def test_modules_that_import_each_other_end(tmp_path: Path) -> None:
    tree = {**ALONE, "mine_beside.py": "import mine_search\nWEIGHT = 1\n"}
    assert changed(tmp_path, tree, "mine_search:make", "mine_beside.py", "WEIGHT = 1", "WEIGHT = 2")


def test_the_digest_does_not_depend_on_the_folder(tmp_path: Path) -> None:
    one = digest(tmp_path / "one", PACKAGE, "mine.search:make")
    sys.path.remove(str(tmp_path / "one"))
    for name in [name for name in sys.modules if name.startswith("mine")]:
        del sys.modules[name]
    sys.path_importer_cache.clear()
    assert digest(tmp_path / "other", PACKAGE, "mine.search:make") == one


def test_code_of_assay_itself_counts_as_any_stage_does(tmp_path: Path) -> None:
    module = "assay.suites.extraction.controls"
    assert target_digest(tmp_path, WHERE, f"{module}:pattern") == code_digest(module)


def test_an_installed_package_counts_by_its_version_too(tmp_path: Path) -> None:
    def installed(version: str) -> str:
        """The digest in a process that finds the package installed in this version."""
        root = tmp_path / version
        facts = {"METADATA": f"Metadata-Version: 2.1\nName: mine\nVersion: {version}\n", "top_level.txt": "mine\n"}
        written(root / f"mine-{version}.dist-info", facts)
        done = subprocess.run(
            [sys.executable, "-B", "-c", PRINT_DIGEST, str(written(root, PACKAGE)), "mine.search:make"],
            cwd=root,
            env={"PYTHONPATH": f"{root}:{ROOT}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert installed("1.0") != installed("1.1")


@pytest.mark.parametrize("target", ["mine_none:make", "mine.none:make", "assay.none:make", "mine_beside.none:make", "sys:path"])
def test_a_module_that_is_not_there_or_has_no_source_is_told_by_its_place(tmp_path: Path, target: str) -> None:
    with pytest.raises(InputError) as caught:
        digest(tmp_path, PACKAGE, target)
    assert str(caught.value).startswith(f"{WHERE}: cannot be imported (")
    assert repr(target) in str(caught.value)
    assert str(caught.value).endswith(f". {LOOKED_FOR}") == (target != "assay.none:make")  # ours lie where we lie


def test_a_target_comes_from_the_distributions_of_its_top_package_or_from_those_it_names(tmp_path: Path) -> None:
    assert versions_behind(tmp_path, WHERE, "yaml:safe_load") == {"PyYAML": version("PyYAML")}
    assert versions_behind(written(tmp_path, ALONE), WHERE, "mine_search:make") == {}
    assert versions_behind(tmp_path, WHERE, "assay.metrics.text:X") == {}
    with pytest.raises(InputError, match="cannot be imported"):
        versions_behind(tmp_path, WHERE, "assay.none:make")


def test_a_module_that_is_no_python_is_told_by_its_place(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        digest(tmp_path, {"mine_search.py": "def make(:\n"}, "mine_search:make")
    assert str(caught.value).startswith(f"{WHERE}: cannot be imported (")


def test_a_foreign_module_without_source_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        foreign_digest("mine_none")


def test_the_object_is_found_in_the_project(tmp_path: Path) -> None:
    make = imported(written(tmp_path, ALONE), WHERE, "mine_search:make")
    assert make(None) == 1


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise RuntimeError('no database')", "RuntimeError: no database"),
        ("1 +", "SyntaxError: invalid syntax (mine_search.py, line 1)"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("", "AttributeError: module 'mine_search' has no attribute 'make'"),
    ],
)
def test_an_object_that_cannot_be_imported_is_told_with_its_reason(tmp_path: Path, code: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        imported(written(tmp_path, {"mine_search.py": code}), WHERE, "mine_search:make")
    assert str(caught.value) == f"{WHERE}: cannot be imported ({why}), got 'mine_search:make'."


@pytest.mark.parametrize("code", ["raise RuntimeError('no database')", "raise SystemExit(0)", "1 +"])
def test_a_package_that_cannot_be_imported_is_told_by_its_place(tmp_path: Path, code: str) -> None:
    with pytest.raises(InputError) as caught:
        digest(tmp_path, {**PACKAGE, "mine/__init__.py": code}, "mine.search:make")
    assert str(caught.value).startswith(f"{WHERE}: cannot be imported (")
