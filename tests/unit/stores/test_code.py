"""A code digest changes with what the code does, wherever it stands, and with nothing else.

Each tree is a package called `tasks` in a folder of its own, digested by a process that finds it before the real one.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PRINT_DIGEST = "import sys; from assay.stores.code import code_digest; print(code_digest(*sys.argv[1:]))"
STAGE = '''\
"""Scores."""

from tasks import ports
from tasks.helper import weight

LIMIT = 3


def run(x: int) -> int:
    """Return the score."""
    if x > LIMIT:
        return weight(x)
    return 0
'''
TREE = {
    "tasks/__init__.py": "",
    "tasks/stage.py": STAGE,
    "tasks/ports.py": "KINDS = ('extraction',)\n",
    "tasks/helper.py": "from .deep.down import FACTOR\n\ndef weight(x):\n    return x * FACTOR\n",
    "tasks/deep/__init__.py": "",
    "tasks/deep/down.py": "FACTOR = 2\n",
    "tasks/other.py": "UNUSED = 1\n",
}


def digest(folder: Path, *modules: str, tree: dict[str, str] | None = None) -> str:
    """The code digest of modules in a tree of sources, computed in a new process."""
    for name, text in (tree or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-S", "-B", "-c", PRINT_DIGEST, *modules],
        cwd=folder,
        env={"PYTHONPATH": f"{folder}:{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> str:
    return digest(tmp_path_factory.mktemp("original"), "tasks.stage", tree=TREE)


def test_the_digest_does_not_depend_on_the_folder(tmp_path: Path, original: str) -> None:
    assert digest(tmp_path, "tasks.stage", tree=TREE) == original


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("tasks/stage.py", "LIMIT = 3", "LIMIT = 3  # as measured"),
        ("tasks/stage.py", "LIMIT = 3\n\n\n", "LIMIT = (\n    3\n)\n"),
        ("tasks/stage.py", '"""Scores."""', '"""Other words."""'),
        ("tasks/stage.py", '"""Scores."""\n', ""),
        ("tasks/stage.py", '    """Return the score."""\n', ""),
        ("tasks/helper.py", "    return", "    'Weigh.'\n    return"),
        ("tasks/deep/down.py", "FACTOR = 2", "# deep\nFACTOR   =   2"),
        ("tasks/deep/__init__.py", "", "# a comment\n"),
        ("tasks/other.py", "UNUSED = 1", "UNUSED = 2"),
    ],
)
def test_comments_docstrings_layout_and_strangers_do_not_count(
    tmp_path: Path, original: str, file: str, old: str, new: str
) -> None:
    assert old in TREE[file]
    changed = TREE[file].replace(old, new) if old else new
    assert digest(tmp_path, "tasks.stage", tree={**TREE, file: changed}) == original


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("tasks/stage.py", "LIMIT = 3", "LIMIT = 4"),
        ("tasks/stage.py", "LIMIT = 3", "LIMIT = 3.0"),
        ("tasks/stage.py", "x > LIMIT", "x >= LIMIT"),
        ("tasks/stage.py", "return 0", "return"),
        ("tasks/stage.py", "return 0", "return None"),
        ("tasks/stage.py", "(x: int)", "(x: int = 1)"),
        ("tasks/stage.py", "def run", "async def run"),
        ("tasks/stage.py", "        return weight(x)\n    return 0", "        weight(x)\n        return 0"),
        ("tasks/ports.py", "extraction", "retrieval"),
        ("tasks/helper.py", "x * FACTOR", "x + FACTOR"),
        ("tasks/deep/down.py", "FACTOR = 2", "FACTOR = 3"),
        ("tasks/deep/down.py", "FACTOR = 2", "FACTOR = -2"),
        ("tasks/deep/__init__.py", "", "READY = True\n"),
        ("tasks/__init__.py", "", "import tasks.other\n"),
    ],
)
def test_what_the_code_does_counts_at_any_depth(tmp_path: Path, original: str, file: str, old: str, new: str) -> None:
    assert old in TREE[file]
    changed = TREE[file].replace(old, new) if old else new
    assert digest(tmp_path, "tasks.stage", tree={**TREE, file: changed}) != original


@pytest.mark.parametrize(
    "line",
    [
        "import tasks.other",
        "import tasks.other as o",
        "from tasks import other",
        "from tasks.other import UNUSED",
        "from tasks.other import *",
        "from . import other",
        "from .other import UNUSED",
        "def late():\n    from tasks.other import UNUSED",
        "if False:\n    import tasks.other",
    ],
)
def test_every_way_of_importing_is_followed(tmp_path: Path, line: str) -> None:
    tree = {**TREE, "tasks/stage.py": line + "\n"}
    before = digest(tmp_path, "tasks.stage", tree=tree)
    assert digest(tmp_path, "tasks.stage", tree={**tree, "tasks/other.py": "UNUSED = 2\n"}) != before


def test_a_packages_templates_count_and_what_else_lies_in_it_does_not(tmp_path: Path, original: str) -> None:
    beside = TREE | {"tasks/deep/notes.md": "a", "tasks/helper.md": "b", "tasks/other/templates/page.html": "c"}
    assert digest(tmp_path / "beside", "tasks.stage", tree=beside) == original
    found = {
        digest(tmp_path / name / text, "tasks.stage", tree=TREE | {f"tasks/deep/templates/{name}": text})
        for name, text in (("page.css", "a"), ("page.css", "b"), ("page.js", "b"))
    }
    assert len({original, *found}) == 4


def test_moving_code_to_another_module_counts(tmp_path: Path, original: str) -> None:
    tree = {name.replace("ports", "gates"): text.replace("ports", "gates") for name, text in TREE.items()}
    assert digest(tmp_path, "tasks.stage", tree=tree) != original


def test_modules_that_import_each_other_have_a_digest(tmp_path: Path) -> None:
    tree = {"tasks/__init__.py": "", "tasks/a.py": "import tasks.b\n", "tasks/b.py": "import tasks.a\n"}
    assert digest(tmp_path, "tasks.a", tree=tree) == digest(tmp_path, "tasks.b")


def test_the_order_of_modules_does_not_count_and_their_set_does(tmp_path: Path, original: str) -> None:
    both = digest(tmp_path, "tasks.stage", "tasks.other", tree=TREE)
    assert digest(tmp_path, "tasks.other", "tasks.stage") == both != original


@pytest.mark.parametrize("module", ["tasks.none", "json", "numpy.linalg", "nothing.here"])
def test_a_module_without_first_party_source_has_no_digest(tmp_path: Path, module: str) -> None:
    with pytest.raises(AssertionError, match=f"{module} is not a first-party module with source"):
        digest(tmp_path, module, tree=TREE)


@pytest.mark.parametrize("module", ["tasks.score", "assay.suites.extraction.scoring", "assay.reporting.build"])
def test_the_products_own_digests_survive_a_rewrite_of_its_layout(tmp_path: Path, module: str) -> None:
    real, rewritten = tmp_path / "real", tmp_path / "rewritten"
    for package in ("assay", "tasks", "flows"):
        shutil.copytree(ROOT / package, real / package, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(real / package, rewritten / package)
    for path in rewritten.rglob("*.py"):
        path.write_text(ast.unparse(ast.parse(path.read_bytes())), encoding="utf-8")
    assert digest(rewritten, module) == digest(real, module)
