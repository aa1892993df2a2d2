"""`pytest --assay`: a test per suite and subject, red where the verdict is, and nothing at all without the option."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from assay.pytest_plugin.runs import Environment, Project, Ran, SuiteRuns
from tests.stages.copies import GOLD, appended, edited, environment, finished, ran_here, started, swapped

pytest_plugins = ["pytester"]

OPENAI, VLLM = "assay::extraction::openai", "assay::extraction::vllm"
ROOT = Path(__file__).resolve().parents[2]
OWN = "def test_own():\n    assert True\n"
RED = {"passed": 0, "failed": 1, "skipped": 1}
HEAVY = ("numpy", "pydantic", "prefect", "yaml", "pyarrow", "assay.stores", "assay.model", "flows", "tasks")


@pytest.fixture(scope="module")
def template(small_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small suite without any code beside it, run once in this process, so that inner runs find all modules loaded."""
    project = tmp_path_factory.mktemp("plugin") / "project"
    for folder in ("goldsets", "cassettes"):
        shutil.copytree(small_template / folder, project / folder)
    assert ran_here(project, project / ".assay").verdict == "PASS"
    shutil.rmtree(project / ".assay" / "runs")
    return project


@pytest.fixture
def inner(template: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project of somebody else with the small suite and one test of its own."""
    shutil.copytree(template, pytester.path, dirs_exist_ok=True)
    pytester.makepyfile(test_own=OWN)
    pytester.makeini("[pytest]\naddopts = --strict-markers\n")
    monkeypatch.delenv("ASSAY_HOME", raising=False)
    return pytester


def counts(result: pytest.RunResult) -> dict[str, int]:
    return {word: result.parseoutcomes().get(word, 0) for word in ("passed", "failed", "skipped")}


def text(result: pytest.RunResult) -> str:
    return result.stdout.str()


def runs_of(folder: Path) -> int:
    return len([path for path in (folder / ".assay" / "runs").glob("*") if path.is_dir()])


def edit(inner: pytest.Pytester, name: str, old: str, new: str) -> None:
    path = inner.path / GOLD / name
    path.write_text(swapped(old, new)(path.read_text(encoding="utf-8")), encoding="utf-8")


def without_baseline(inner: pytest.Pytester, more: str = "") -> None:
    (inner.path / GOLD / "baseline.json").unlink()
    declared = inner.path / GOLD / "suite.yaml"
    declared.write_text(declared.read_text(encoding="utf-8") + more, encoding="utf-8")


def test_a_suite_that_passes_is_green_beside_the_projects_own_tests(inner: pytest.Pytester) -> None:
    result = inner.runpytest_inprocess("--assay", "-v", "-rs", "--junitxml=junit.xml")
    assert (result.ret, counts(result)) == (0, {"passed": 2, "failed": 0, "skipped": 1})
    result.stdout.fnmatch_lines(["test_own.py::test_own PASSED*", f"{OPENAI} PASSED*", f"{VLLM} SKIPPED*"])
    result.stdout.fnmatch_lines(["SKIPPED * goldsets/extraction/v1/suite.yaml: manual, never gated"])
    cases = ElementTree.parse(inner.path / "junit.xml").iter("testcase")  # noqa: S314  # pytest wrote it
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert names == [("test_own", "test_own"), ("assay.extraction", "openai"), ("assay.extraction", "vllm")]


def test_without_the_option_nothing_is_collected_and_nothing_imported(inner: pytest.Pytester) -> None:
    inner.makeconftest(
        f"import sys\ndef pytest_sessionfinish():\n    print('HEAVY', [name for name in {HEAVY} if name in sys.modules])\n"
    )
    clean = environment(ROOT, PYTHONPATH=str(ROOT), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    done = finished(started(inner.path, "-m", "pytest", "-s", "-p", "assay.pytest_plugin.options", **clean))
    assert (done.returncode, "1 passed" in done.stdout, "HEAVY []" in done.stdout) == (0, True, True), done.stdout + done.stderr


def test_a_broken_case_is_red_with_headline_provenance_and_reason(inner: pytest.Pytester) -> None:
    edit(inner, "expected_memories.jsonl", "The user lives in Lyon.", "The user lives in Paris.")
    result = inner.runpytest_inprocess("--assay", "-m", "assay", "--junitxml=junit.xml")
    assert (result.ret, counts(result)) == (1, RED)
    result.stdout.fnmatch_lines(
        [
            f"*_ {OPENAI} _*",
            "FAIL extraction v1: openai: integrity.expected_memories.jsonl: *",
            "  openai (gated): replies made from the expectations for gpt-4o-mini, * proves the plumbing, not the model.",
            "FAIL for openai: * checks not kept",
            "  broken        openai: integrity.expected_memories.jsonl: * 1 edited: c1. Mend it with *",
            "Report: */report.md",
            f"FAILED {OPENAI} - Failed: FAIL extraction v1: openai: *",
        ]
    )
    failure = ElementTree.parse(inner.path / "junit.xml").find(".//failure")  # noqa: S314  # as above
    assert failure is not None
    assert (failure.get("message") or "").startswith("Failed: FAIL extraction v1: openai: integrity.")
    assert "Traceback" not in text(result)


def test_no_verdict_is_red_unless_the_suite_says_otherwise(inner: pytest.Pytester) -> None:
    without_baseline(inner)
    result = inner.runpytest_inprocess("--assay", "-m", "assay")
    assert (result.ret, counts(result)) == (1, RED)
    result.stdout.fnmatch_lines(["NO VERDICT extraction v1: openai: baseline: no baseline yet.*"])


def test_no_verdict_is_skipped_with_its_reason_where_the_suite_says_so(inner: pytest.Pytester) -> None:
    without_baseline(inner, "pytest: {no_verdict: skip}\n")
    result = inner.runpytest_inprocess("--assay", "-m", "assay", "-rs")
    assert (result.ret, counts(result)) == (0, {"passed": 0, "failed": 0, "skipped": 2})
    result.stdout.fnmatch_lines(["SKIPPED * goldsets/extraction/v1/suite.yaml:1: NO VERDICT: openai: baseline: *"])


def test_a_fail_is_red_whatever_the_suite_says_of_no_verdict(inner: pytest.Pytester) -> None:
    without_baseline(inner, "pytest: {no_verdict: skip}\n")
    edit(inner, "expected_memories.jsonl", "The user lives in Lyon.", "The user lives in Paris.")
    assert counts(inner.runpytest_inprocess("--assay", "-m", "assay")) == RED


def test_items_are_chosen_by_keyword_suite_and_node_id(inner: pytest.Pytester) -> None:
    for arguments, wanted in (
        (("--assay", "-k", "extraction and openai"), [OPENAI]),
        (("--assay", "-k", "not assay"), ["test_own.py::test_own"]),
        (("--assay-suite", "extraction", "-m", "assay"), [OPENAI, VLLM]),
        (("--assay", "assay::extraction"), [OPENAI, VLLM]),
        (("--assay", VLLM, "test_own.py"), ["test_own.py::test_own", VLLM]),
        (("--assay", "--deselect", VLLM), ["test_own.py::test_own", OPENAI]),
    ):
        result = inner.runpytest_inprocess("--collect-only", "-q", *arguments)
        assert [line for line in result.outlines if "::" in line] == wanted
    assert runs_of(inner.path) == 0


def test_a_node_id_or_suite_that_is_not_there_is_an_error(inner: pytest.Pytester) -> None:
    for node_id in ("assay::extraction::gpt", "assay::no"):
        result = inner.runpytest_inprocess("--assay", node_id)
        assert (result.ret, f"not found: {node_id}" in text(result)) == (pytest.ExitCode.INTERRUPTED, True)
    result = inner.runpytest_inprocess("--assay-suite", "extractoin")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --assay-suite: unknown suite, got 'extractoin'; expected one of extraction. Did you*"])


def test_no_suite_is_an_error_and_never_green(inner: pytest.Pytester) -> None:
    shutil.rmtree(inner.path / "goldsets" / "extraction")
    result = inner.runpytest_inprocess("--assay")
    assert (result.ret, "holds no suite" in result.stderr.str()) == (pytest.ExitCode.USAGE_ERROR, True)
    (inner.path / "goldsets").rmdir()
    result = inner.runpytest_inprocess("--assay")
    assert (result.ret, "no goldsets/ folder here or above" in result.stderr.str()) == (pytest.ExitCode.USAGE_ERROR, True)


def test_the_project_may_lie_above_rootdir_or_be_named(inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    below = inner.mkdir("packages") / "app"
    below.mkdir()
    (below / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    monkeypatch.chdir(below)
    assert text(inner.runpytest_inprocess("--assay", "--collect-only", "-q")).count("assay::extraction::") == 2
    (inner.path / "goldsets").rename(inner.mkdir("evals") / "goldsets")
    result = inner.runpytest_inprocess("--assay", "--assay-root", str(inner.path / "evals"), "--collect-only", "-q")
    assert text(result).count("assay::extraction::") == 2


def test_a_suite_that_cannot_be_read_is_a_red_item_with_the_error(inner: pytest.Pytester) -> None:
    declared = inner.path / GOLD / "suite.yaml"
    with edited(declared, appended("colour: red\n")):
        result = inner.runpytest_inprocess("--assay")
    assert (result.ret, counts(result)) == (1, {"passed": 1, "failed": 1, "skipped": 0})
    result.stdout.fnmatch_lines(["*_ assay::extraction::suite.yaml _*"])
    result.stdout.fnmatch_lines(["error: goldsets/extraction/v1/suite.yaml: colour: unknown key*"])
    with edited(inner.path / GOLD / "conversations.jsonl", appended("{\n")):
        result = inner.runpytest_inprocess("--assay", "-m", "assay")
    assert counts(result) == RED
    result.stdout.fnmatch_lines(["error: goldsets/extraction/v1/conversations.jsonl:3: is not JSON*"])


def test_a_suite_without_a_gated_subject_is_red(inner: pytest.Pytester) -> None:
    declared = inner.path / GOLD / "suite.yaml"
    text_before = declared.read_text(encoding="utf-8")
    declared.write_text(text_before.replace("enforcement: ci", "enforcement: manual", 1), encoding="utf-8")
    result = inner.runpytest_inprocess("--assay", "-m", "assay")
    assert counts(result) == {"passed": 0, "failed": 1, "skipped": 2}
    result.stdout.fnmatch_lines(["*declares no provider with enforcement ci, so nothing can fail*"])


def test_a_bug_shows_its_traceback_and_no_variable_of_the_environment(
    inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANY_TOKEN", "a-value-that-is-nobodys-business")

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("flows.suite_run.run_chain", broken)
    result = inner.runpytest_inprocess("--assay", "-m", "assay", "-vv", "--showlocals")
    assert counts(result) == RED
    result.stdout.fnmatch_lines(["*def run_offline*", "E * ZeroDivisionError: a bug", f"FAILED {OPENAI} - ZeroDivisionError*"])
    assert "nobodys-business" not in text(result)
    assert "pluggy" not in text(result).partition("FAILURES")[2]


def test_workers_run_a_suite_once_between_them(template: Path, tmp_path: Path) -> None:
    project = Path(shutil.copytree(template, tmp_path / "project"))
    shared = tmp_path / "shared"
    shared.mkdir()
    workers = [SuiteRuns(Project(project, project / ".assay", Environment({}), shared)) for _ in range(2)]
    found = [worker.of("extraction") for worker in workers]
    assert all(isinstance(ran, Ran) and ran.report.verdict == "PASS" for ran in found)
    assert found[0] == found[1]
    assert runs_of(project) == 1


@pytest.mark.parametrize("dist", ["load", "loadgroup"])
def test_the_items_run_under_xdist(inner: pytest.Pytester, dist: str) -> None:
    edit(inner, "suite.yaml", "enforcement: manual", "enforcement: ci")
    result = inner.runpytest_inprocess("--assay", "-n", "2", "--dist", dist, "-v", "-p", "no:cacheprovider")
    assert counts(result) == {"passed": 1, "failed": 2, "skipped": 0}
    assert _outcomes(result.outlines) == {"test_own.py::test_own": "PASSED", OPENAI: "FAILED", VLLM: "FAILED"}
    assert runs_of(inner.path) == 1


def _outcomes(lines: Iterable[str]) -> dict[str, str]:
    """By node id, without the group that pytest-xdist may add to it."""
    found = (re.search(r"\] (PASSED|FAILED) ([^ @]+)", line) for line in lines)
    return {match[2]: match[1] for match in found if match}


def test_modules_of_the_project_and_of_assay_hide_neither_the_other(inner: pytest.Pytester) -> None:
    inner.makepyfile(**{"flows/__init__": "MINE = 1", "tasks": "MINE = 2"})
    look = "def test_names():\n    import flows\n    import tasks\n    assert (flows.MINE, tasks.MINE) == (1, 2)\n"
    inner.makepyfile(test_a=look, test_b=f"import tasks\n{look}")
    inner.makeconftest("def pytest_collection_modifyitems(items):\n    items.sort(key=lambda item: item.nodeid)\n")
    clean = environment(ROOT, PYTHONPATH=str(ROOT))
    done = finished(started(inner.path, "-m", "pytest", "-v", "--assay", **clean))
    assert (done.returncode, "4 passed, 1 skipped" in done.stdout) == (0, True), done.stdout + done.stderr
    assert done.stdout.index(OPENAI) < done.stdout.index("test_a.py::test_names")
