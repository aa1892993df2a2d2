"""`assay init`: a suite of each kind in somebody else's repository passes at once, can fail, and hides and replaces nothing."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from assay.cli.goldset import audit
from assay.cli.init import _told, init, project_for
from assay.errors import UsageError, UserError
from assay.model.ports import KINDS
from assay.model.run import RunOutcome, RunRequest
from assay.publication import updated
from assay.stores.baselines import read_baseline, write_baseline
from assay.stores.goldsets import open_suite
from flows.recording import record_oracle
from flows.scaffold import REASON, Scaffolded, scaffold
from flows.suite_run import run_suite
from tasks._engine import Engine
from tests.stages.copies import PASS, command, swapped, tree

ROOT = Path(__file__).resolve().parents[2]
CODE = {"PYTHONPATH": str(ROOT)}
"""The repository is somebody else's, so assay comes from where it is installed."""
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ASKS_MODEL = {"extraction", "checks"}
CONTROLS = {
    "extraction": {"positive_control", "negative_control", "trivial_strategy"},
    "retrieval": {"positive_control", "negative_control", "trivial_strategy"},
    "facets": {"positive_control", "negative_control", "trivial_strategy"},
    "orchestration": {"positive_control", "trivial_strategy"},  # what luck gives is not known there
    "checks": {"positive_control", "trivial_strategy"},
}
BREAKS = {
    "retrieval": ("retrieval_system.py", "scores[name] > 0", "scores[name] < 0", "floor.recall@3"),
    "orchestration": ("orchestration_system.py", "CARD_FROM_EUR = 100", "CARD_FROM_EUR = 1000", "max_drop.cases_passed"),
    "facets": ("facets_system.py", "RECORDS = 2", "RECORDS = 0", "floor.facet_recall"),
    "extraction": ("goldsets/extraction/v1/prompt.md", "Leave out", "Keep", "contract.prompt_sha256"),
    "checks": ("goldsets/checks/v1/cases.jsonl", '"desk": "purchases"', '"desk": "lost"', "integrity.cases.jsonl"),
}
"""By kind a file, an edit, and the check that it breaks."""


@pytest.fixture(autouse=True)
def _own_modules() -> Iterator[None]:
    """Nothing that a repository of one test holds is imported in the next."""
    path, modules = list(sys.path), set(sys.modules)
    yield
    forget(modules)
    sys.path[:] = path


def forget(known: set[str]) -> None:
    for name in set(sys.modules) - known:
        if "pytest-" in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]
    importlib.invalidate_caches()


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scaffolded]:
    """An empty git repository of each kind after `assay init`."""
    folder = tmp_path_factory.mktemp("repositories")
    for kind in KINDS:
        (folder / kind).mkdir()
        subprocess.run(["git", "init", "--quiet", str(folder / kind)], check=True)
    return {kind: scaffold(kind, None, folder / kind, NOW) for kind in KINDS}


@pytest.fixture
def copies(repositories: dict[str, Scaffolded], tmp_path: Path) -> Any:
    return lambda kind: Path(shutil.copytree(repositories[kind].root, tmp_path / kind))


def ran(root: Path, name: str) -> RunOutcome:
    """One run in this process, with the repository's code as it is now."""
    forget({module for module in sys.modules if not module.endswith("_system")})
    return run_suite(RunRequest(name), root, root / ".assay", Engine(root / ".assay"), engine_name="offline", environ={})


def unkept(run: RunOutcome) -> list[str]:
    assert run.parsed is not None
    checks = [*run.parsed.checks, *(check for p in run.parsed.providers.values() for check in p.checks)]
    return [check.name for check in checks if check.status != "kept"]


def published(root: Path, name: str, provider: str) -> None:
    """As `assay baseline update`."""
    run, source = ran(root, name), open_suite(root, name)
    assert run.parsed is not None
    old = read_baseline(source.folder, source.shown)
    new, _ = updated(old, run.parsed, provider, run_id=run.run_id, reason="mine", today="2026-12-01")
    write_baseline(source.folder, new)


@pytest.mark.parametrize("kind", KINDS)
def test_it_passes_at_once_in_an_empty_repository(kind: str, repositories: dict[str, Scaffolded]) -> None:
    done = repositories[kind]
    made = tree(done.root)
    assert set(made) == set(done.made)
    found = command(done.root, "run", kind, "--offline", "--json", **CODE)
    summary = json.loads(found.stdout)
    assert (found.returncode, summary["verdict"]) == (PASS, "PASS"), found.stderr
    assert {**tree(done.root), **made} == tree(done.root)  # a run changes nothing of it
    cases = {len(provider["cases"]) for provider in summary["providers"].values() if "cases" in provider}
    assert cases <= {5}
    roles = {provider["role"] for provider in summary["providers"].values()}
    assert roles == {"subject", *CONTROLS[kind]}


@pytest.mark.parametrize("kind", KINDS)
def test_its_gold_set_of_five_cases_has_no_fault(
    kind: str, repositories: dict[str, Scaffolded], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repositories[kind].root)
    found = CliRunner().invoke(audit, [kind, "--json"], standalone_mode=False, catch_exceptions=False)
    body = json.loads(found.stdout)
    assert (found.return_value, body["faults"], body["cases"]) == (0, [], 5)


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_fail(kind: str, copies: Any) -> None:
    root = copies(kind)
    name, old, new, check = BREAKS[kind]
    path = root / name
    path.write_text(swapped(old, new)(path.read_text(encoding="utf-8")), encoding="utf-8")
    found = ran(root, kind)
    assert found.verdict == "FAIL"
    assert check in unkept(found)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_made_says_what_it_is_and_names_no_place(kind: str, repositories: dict[str, Scaffolded]) -> None:
    done = repositories[kind]
    texts = {path: data.decode() for path, data in tree(done.root).items()}
    gold = f"goldsets/{kind}/v1"
    assert "**Synthetic example data.**" in texts[f"{gold}/README.md"]
    assert yaml.safe_load(texts[f"{gold}/suite.yaml"])["synthetic"] is True
    baseline = json.loads(texts[f"{gold}/baseline.json"])
    reasons = {block["reason"] for block in baseline["providers"].values()}
    assert reasons == {REASON}
    assert (f"cassettes/{kind}/v1/openai.jsonl" in texts) is (kind in ASKS_MODEL)
    everything = "\n".join(texts.values())
    assert not re.search(r"@[a-z]+@", everything)  # every word of the templates is filled in
    places = (done.root, ROOT, Path.home(), Path(tempfile.gettempdir()), Path(sys.prefix))
    assert not [place for place in (*map(str, places), "assay-init-", "--index-url") if place in everything]
    for step in ("package.module:NAME" if kind in ASKS_MODEL else "my_app.", "assay audit", "assay baseline update", "ecord"):
        assert step in texts["README.md"].partition("## Make it yours")[2]
    for path in (path for path in texts if path.startswith("goldsets/") and path.endswith(".yaml")):
        first = texts[path].splitlines()[0]
        assert first.startswith("# yaml-language-server: $schema=")
        assert ((done.root / path).parent / first.partition("=")[2]).is_file()


def test_the_workflow_and_the_deployments_are_sound(repositories: dict[str, Scaffolded]) -> None:
    root = repositories["checks"].root
    text = (root / ".github/workflows/assay.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    steps = {step.get("name", step.get("uses")): step for step in workflow["jobs"]["assay"]["steps"]}
    assert 'pip install "assay @ $ASSAY_SOURCE"' in steps["Install assay"]["run"]
    judged = steps["Judge the change"]
    assert 'assay pr --base "origin/$GITHUB_BASE_REF" --pr-body' in judged["run"]
    assert (judged["if"], list(judged["env"])) == ("github.event_name == 'pull_request'", ["BODY"])
    assert steps["Run every suite"]["run"].startswith("assay run --all --offline ")
    assert all("${{" not in step.get("run", "") for step in steps.values())
    assert workflow["defaults"]["run"]["shell"] == "bash"
    deployments = yaml.safe_load((root / "prefect.yaml").read_text(encoding="utf-8"))
    (step,) = deployments["pull"]
    assert step == {"prefect.deployments.steps.set_working_directory": {"directory": "{{ $ASSAY_ROOT }}"}}


def test_a_second_suite_of_another_kind_joins_the_first(copies: Any) -> None:
    root = copies("checks")
    before = tree(root)
    done = scaffold("retrieval", "no-such_handbook", root, NOW)
    after = tree(root)
    assert {path: after[path] for path in before} == before
    assert set(after) - set(before) == set(done.made)
    assert done.kept == (".assay-schemas/suite.schema.json", ".github/workflows/assay.yml", "README.md", "prefect.yaml")
    assert b"## Make it yours" in after["goldsets/no-such_handbook/v1/README.md"]
    assert "no_such_handbook_system.py" in done.made
    assert [ran(root, name).verdict for name in ("checks", "no-such_handbook")] == ["PASS", "PASS"]


def test_files_of_the_repository_stay_and_what_it_ignores_already_is_not_repeated(tmp_path: Path) -> None:
    mine = {
        "ReadMe.rst": b"Mine.\n",
        "prefect.yaml": b"name: mine\n",
        ".github/workflows/tests.yml": b"name: tests\n",
        ".github/workflows/assay.yml": b"name: mine\n",
        "tasks.py": b'"""Mine."""\n',
        "flows/__init__.py": b'"""Mine."""\n',
        "goldsets/README.md": b"Mine.\n",
    }
    for path, data in mine.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    (tmp_path / ".gitignore").write_bytes(b"*.o\n/.assay\n__pycache__/\n# end")
    done = scaffold("orchestration", "no", tmp_path, NOW)  # no is a word that YAML reads as a truth value
    after = tree(tmp_path)
    assert {path: after[path] for path in mine} == mine
    assert after[".gitignore"] == b"*.o\n/.assay\n__pycache__/\n# end\n.prefect/\nevidence/\n*.journal.jsonl\n*.journal.lock\n"
    assert done.kept == (".github/workflows/assay.yml", "README.md", "prefect.yaml")
    assert "README.md" not in after
    assert ran(tmp_path, "no").verdict == "PASS"
    again = scaffold("orchestration", "another", tmp_path, NOW)
    assert (done.grown, again.grown) == ((".gitignore",), ())
    assert ".gitignore" not in {*done.made, *again.made}


@pytest.mark.parametrize(
    ("stands", "told"),
    [
        ("goldsets/desk/v2/suite.yaml", "goldsets/desk: is in the way; expected nothing there."),
        ("cassettes/desk/v1/openai.jsonl", "cassettes/desk: is in the way; expected nothing there."),
        ("desk_system.py", "desk_system.py: is in the way; expected nothing there."),
        ("desk_system/__init__.py", "desk_system: is in the way; expected nothing there."),
        ("goldsets", "goldsets: is in the way; expected a folder, or nothing there."),
        (".github/workflows", ".github/workflows: is in the way; expected a folder, or nothing there."),
        (".gitignore/x", ".gitignore: is in the way; expected a file, or nothing there."),
    ],
    ids=lambda part: part.partition(":")[0],
)
def test_what_stands_in_the_way_is_one_error_before_anything_is_written(stands: str, told: str, tmp_path: Path) -> None:
    (tmp_path / stands).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / stands).write_bytes(b"mine")
    with pytest.raises(UsageError) as raised:
        scaffold("retrieval", "desk", tmp_path, NOW)
    assert len(raised.value.problems) == 1
    assert str(raised.value).startswith(f"{told} Nothing was written.")
    assert tree(tmp_path) == {stands: b"mine"}


def test_a_link_that_leads_nowhere_is_in_the_way_too(tmp_path: Path) -> None:
    (tmp_path / "desk_system.py").symlink_to("gone.py")
    with pytest.raises(UsageError, match=r"^desk_system\.py: is in the way"):
        scaffold("retrieval", "desk", tmp_path, NOW)
    assert [path.name for path in tmp_path.iterdir()] == ["desk_system.py"]


def test_an_installed_module_that_would_hide_the_suites_own_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "installed").mkdir()
    (tmp_path / "installed" / "solar_system.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "installed"))
    (tmp_path / "mine").mkdir()
    with pytest.raises(UsageError, match=r"^solar_system: is the name of an installed module, which would hide the suite's"):
        scaffold("facets", "solar", tmp_path / "mine", NOW)
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("retreival",),
            "KIND: unknown kind of suite, got 'retreival'; expected one of extraction, retrieval, orchestration, checks, "
            "facets. Did you mean 'retrieval'?",
        ),
        (
            ("checks", "../x"),
            "NAME: cannot be a suite's name, got '../x'; expected lower-case letters, digits, - and _, beginning with a "
            "letter, at most 64.",
        ),
    ],
    ids=["kind", "name"],
)
def test_words_that_mean_nothing_are_told(
    arguments: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(init, arguments, standalone_mode=False)
    assert isinstance(found.exception, UserError)
    assert (str(found.exception), found.exception.exit_code) == (told, 2)
    assert list(tmp_path.iterdir()) == []


def test_it_needs_no_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("poincare_orchestra", "poincare_memory", "openai", "tenacity", "onnxruntime", "tokenizers"):
        monkeypatch.setitem(sys.modules, name, None)
    assert "facets_system.py" in scaffold("facets", None, tmp_path, NOW).made


def test_the_readmes_steps_lead_from_the_examples_prompt_to_ones_own(copies: Any) -> None:
    root = copies("checks")
    (root / "letters_app").mkdir()
    (root / "letters_app" / "__init__.py").touch()
    (root / "letters_app" / "prompts.py").write_text('SORT = "Sort letters. Answer as JSON."\n', encoding="utf-8")
    suite = root / "goldsets/checks/v1/suite.yaml"
    suite.write_text(
        swapped("prompt: prompt.md", "prompt: letters_app.prompts:SORT")(suite.read_text(encoding="utf-8")), "utf-8"
    )
    drifted = ran(root, "checks")
    assert (drifted.verdict, "contract.prompt_sha256" in unkept(drifted)) == ("FAIL", True)
    source = open_suite(root, "checks")
    record_oracle(source, "openai", source.suite.providers["openai"], root / ".assay", NOW)
    unpublished = ran(root, "checks")
    assert (unpublished.verdict, unkept(unpublished)) == ("NO VERDICT", ["baseline"])
    published(root, "checks", "openai")
    assert ran(root, "checks").verdict == "PASS"


def test_what_it_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "--quiet"], check=True)
    found = CliRunner().invoke(init, ["orchestration", "desk"], standalone_mode=False, catch_exceptions=False)
    assert found.stdout == (
        """\
desk orchestration: an example suite with made-up data, which passes

  made  .assay-schemas/orchestration-case.schema.json
  made  .assay-schemas/orchestration-rules.schema.json
  made  .assay-schemas/output.schema.json
  made  .assay-schemas/suite.schema.json
  made  .github/workflows/assay.yml
  made  .gitignore
  made  README.md
  made  desk_system.py
  made  goldsets/desk/v1/README.md
  made  goldsets/desk/v1/baseline.json
  made  goldsets/desk/v1/by_the_book.jsonl
  made  goldsets/desk/v1/cases.jsonl
  made  goldsets/desk/v1/rules.yaml
  made  goldsets/desk/v1/suite.yaml
  made  prefect.yaml

README.md tells how to make the example yours.
Fill in ASSAY_SOURCE in .github/workflows/assay.yml: assay is on no package index.

Next:
  $ assay run desk --offline
  $ assay audit desk
  $ assay baseline update desk --provider mine --reason "..."
"""
    )


def test_a_project_is_looked_for_upwards_and_never_beyond_the_repository(tmp_path: Path) -> None:
    (tmp_path / "goldsets").mkdir()
    inner, deep = tmp_path / "vendor" / "other", tmp_path / "src" / "deep"
    (inner / ".git").mkdir(parents=True)
    (inner / "evals").mkdir()
    deep.mkdir(parents=True)
    assert project_for(deep) == tmp_path
    assert project_for(inner) == inner
    assert project_for(inner / "evals") == inner / "evals"
    done = Scaffolded("checks", "c", inner / "evals", (".github/workflows/assay.yml",), (".gitignore",), (), ())
    told = _told(done, inner)
    assert "Workflows are only seen at the top of the repository" in told
    assert "  added lines to .gitignore\n" in told
