"""Which suites a change can touch: plans of now and of a revision compared, in repositories made by the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import UsageError
from flows.plan import NEW, REMOVED, UNREADABLE, WAS_UNREADABLE, changes_since, plan_of
from tests.stages.copies import appended, edited, swapped
from tests.unit.planned import CREW, write

ROOT = Path(__file__).resolve().parents[2]
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
AUTHOR = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
SUITES = ("decisions", "extraction", "facets", "orchestration", "retrieval")
OWN_CONTROLS = {
    *("code of provider pattern", "code of provider shuffled", "code of provider abstain"),
    *("code of provider constant", "code of provider most_frequent_category", "code of provider every_sentence"),
}
PLANTED = "\n\n_UNUSED_BY_ANYONE = 1\n"


@pytest.fixture(autouse=True)
def _modules_of_the_user() -> Iterator[None]:
    path = list(sys.path)
    yield
    sys.path[:] = path
    for name in [name for name in sys.modules if name.startswith("mine")]:
        del sys.modules[name]


def commit(root: Path) -> None:
    for arguments in (["init"], ["add", "-A"], ["commit", "--allow-empty", "-m", "c"]):
        subprocess.run(["git", *AUTHOR, *arguments], cwd=root, env={**os.environ, **QUIET}, capture_output=True, check=True)


def crew(name: str) -> dict[str, str]:
    """The files of a suite with a target of its own, in a package of its own."""
    return {
        file.replace("goldsets/crew", f"goldsets/{name}").replace("mine_crew", f"mine_{name}"): text.replace(
            "suite: crew", f"suite: {name}"
        ).replace("mine_crew", f"mine_{name}")
        for file, text in CREW.items()
    }


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A project of a user's own in a subfolder of a repository, with nothing in it yet."""
    root = tmp_path / "repository" / "inner"
    (root / "goldsets").mkdir(parents=True)
    return root


def test_in_assay_itself_code_counts_for_the_suites_that_it_can_touch(tmp_path: Path) -> None:
    root = write(tmp_path, {"README.md": "Words.\n"})
    for name in ("assay", "flows", "tasks", "goldsets"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    commit(root)
    with (
        edited(root / "README.md", appended("More words.\n")),
        edited(root / "goldsets/facets/v1/suite.yaml", appended("# a comment\n")),
        edited(root / "goldsets/decisions/v1/README.md", appended("More words.\n")),
        edited(root / "assay/gate.py", appended("# a comment\n")),
        edited(root / "assay/reporting/console.py", appended(PLANTED)),
        edited(root / "assay/suites/retrieval/scoring.py", appended(PLANTED)),
    ):
        found = changes_since(root, "HEAD")
    assert found == {suite: ["code of score", "code of self-test"] if suite == "retrieval" else [] for suite in SUITES}
    with (
        edited(root / "assay/gate.py", appended(PLANTED)),
        edited(root / "assay/suites/extraction/controls.py", appended(PLANTED)),
        edited(root / "assay/providers/policy/resource.py", appended(PLANTED)),
    ):
        own = {"extraction": OWN_CONTROLS, "decisions": {"code of assay.providers.policy.resource:policies"}}
        assert other_code(root) == {suite: {"code of gate", *own.get(suite, ())} for suite in SUITES}
    with edited(root / "flows/chain.py", appended(PLANTED)):
        assert other_code(root) == {suite: {"code of the run"} for suite in SUITES}


def other_code(root: Path) -> dict[str, set[str]]:
    """By suite, the names of code that differs from this project's."""
    here, there = plan_of(ROOT), plan_of(root)
    return {
        suite: {name for name, digest in plan.items() if name.startswith("code of") and there[suite][name] != digest}
        for suite, plan in here.items()
    }


def test_in_a_project_of_the_user_s_own_every_suite_of_both_times_is_told(
    foreign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modules of the project print when they are imported, and one of them is called like the package of assay's flows."""
    monkeypatch.chdir(foreign)
    loud = {"mine_same/__init__.py": "print('{')\n", "flows/__init__.py": "raise RuntimeError\n"}
    broken = {"goldsets/ill/v1/suite.yaml": "format: 1\n", "goldsets/mended/v1/suite.yaml": "format: 1\n"}
    for name in ("same", "edited", "removed", "faulty"):
        write(foreign, crew(name))
    write(foreign, {**loud, **broken, "beside.txt": ""})
    commit(foreign.parent)
    for path in sorted((foreign / "goldsets/removed/v1").iterdir()):
        path.unlink()
    write(foreign, {**crew("new"), **crew("mended"), "goldsets/faulty/v1/suite.yaml": "format: 2\n", "beside.txt": "edited"})
    with edited(foreign / "mine_edited/make.py", swapped("lambda given", "lambda asked")):
        found = changes_since(foreign, "HEAD")
    assert found == {
        "edited": ["code of provider mine"],
        "faulty": [UNREADABLE],
        "ill": [UNREADABLE],
        "mended": [WAS_UNREADABLE],
        "new": [NEW],
        "removed": [REMOVED],
        "same": [],
    }


def test_a_project_that_is_on_the_path_is_taken_from_the_past_all_the_same(
    foreign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its package uses a module called like one of assay's packages."""
    files = {name if name.startswith("goldsets") else f"src/{name}": text for name, text in crew("path").items()}
    files |= {"flows/__init__.py": "MINE = 1\n", "src/mine_path/__init__.py": "from flows import MINE\n"}
    write(foreign, files)
    commit(foreign)
    monkeypatch.syspath_prepend(foreign / "src")
    with edited(foreign / "src/mine_beside.py", swapped("DONE", "ENDED")):
        assert changes_since(foreign, "HEAD") == {"path": ["code of provider mine"]}


def test_where_the_past_cannot_be_told_nothing_is_called_unchanged(foreign: Path) -> None:
    write(foreign, {**crew("dies"), "mine_dies/__init__.py": "import os\nos._exit(3)\n"})
    commit(foreign)
    write(foreign, {"mine_dies/__init__.py": ""})
    with pytest.raises(UsageError) as caught:
        changes_since(foreign, "HEAD")
    assert str(caught.value).startswith("--changed-since: what the suites followed from at ")
    assert str(caught.value).endswith(" cannot be told (exit code 3).")


def test_an_unknown_revision_is_a_usage_error_before_anything_is_read(foreign: Path) -> None:
    write(foreign, {"goldsets/ill/v1/suite.yaml": "format: 1\n"})
    commit(foreign)
    with pytest.raises(UsageError, match="--changed-since: unknown revision, got 'none'"):
        changes_since(foreign, "none")
