"""Both trees of a change read by one process: what was edited in one of them is found, and nothing else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.model.ports import module_name
from assay.stores.goldsets import open_suite
from assay.stores.tree import modules_below
from assay.tampering import Side, findings, unchanged_cases
from flows.side import GATE, JUDGING, side_of
from tasks._engine import Engine
from tests.stages.copies import appended, edited, swapped

ROOT = Path(__file__).resolve().parents[2]
SUITES = ("extraction", "retrieval", "orchestration", "decisions", "facets")
RETRIEVAL, DECISIONS = "goldsets/retrieval/v1", "goldsets/decisions/v1"
DECLARED = f"{RETRIEVAL}/suite.yaml"
GREENHOUSE = "goldsets/facets/v1/scenarios/greenhouse.yaml"
Found = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all sides."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of suites and code that tests edit and put back."""
    target = tmp_path_factory.mktemp("tree")
    for name in ("goldsets", "cassettes", "assay", "flows", "tasks"):
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    return target


@pytest.fixture(scope="module")
def before(tree: Path, home: Path) -> dict[str, Side]:
    return {name: side_of(open_suite(tree, name), Engine(home)) for name in SUITES}


@pytest.fixture
def found(before: dict[str, Side], tree: Path, home: Path) -> Found:
    """The subjects of the findings in a suite of the copy as it now is."""
    return lambda suite: [one.subject for one in findings(before[suite], side_of(open_suite(tree, suite), Engine(home)))]


@pytest.mark.parametrize("suite", SUITES)
def test_the_committed_suite_is_the_same_in_its_copy(suite: str, before: dict[str, Side], home: Path) -> None:
    here = side_of(open_suite(ROOT, suite), Engine(home))
    assert findings(before[suite], here) == findings(here, before[suite]) == []
    assert unchanged_cases(before[suite], here) == here.cases.keys()


def test_all_that_a_suite_rests_on_is_there(before: dict[str, Side]) -> None:
    extraction, decisions = before["extraction"], before["decisions"]
    assert extraction.manifests.keys() == {"openai", "smollm2"}
    assert extraction.calibration is not None
    assert extraction.baseline is not None
    assert extraction.control_code.keys() == extraction.suite.controls.keys()
    assert {"assay.metrics.text:normalise", "assay.suites.extraction.matching:aligned"} <= extraction.scoring_code.keys()
    assert any(name.startswith("assay.providers.policy.") for name in decisions.scoring_code)
    assert {"assay.gate", "assay.tampering.comparison", "assay.suites.checks.selftest"} <= decisions.gate_code.keys()
    assert {name: set(side.files) for name, side in before.items() if name != "facets"} == {
        "extraction": {"pairs"},
        "retrieval": {"documents"},
        "orchestration": {"rules", "scenarios"},
        "decisions": {"outputs", "policies"},
    }


def without(name: str) -> Callable[[str], str]:
    """Take the row of this id away."""
    return lambda text: "".join(line + "\n" for line in text.splitlines() if json.loads(line)["id"] != name)


@pytest.mark.parametrize(
    ("file", "edit", "subjects"),
    [
        (f"{RETRIEVAL}/queries.jsonl", without("q01"), ["removed case retrieval/q01"]),
        (f"{RETRIEVAL}/queries.jsonl", swapped("Where do we live now?", "Where is 7 Mill Row?"), ["edited case retrieval/q02"]),
        (f"{RETRIEVAL}/documents.jsonl", without("mem_01"), ["changed file retrieval/documents"]),
        (DECLARED, swapped("mrr: 0.6}", "mrr: 0.5}"), ["lowered floor retrieval/mrr"]),
        (DECLARED, swapped("mrr: 0.6}", "mrr: 0.7}"), []),
        (GREENHOUSE, swapped("policy:", "  - {id: new, question: Where is whitefly, expected_facets: [Bay 3]}\n\npolicy:"), []),
        (GREENHOUSE, swapped('expected_facets: ["2.8 mS"]', "expected_facets: [mS]"), ["edited case facets/greenhouse/feed"]),
        (GREENHOUSE, swapped("Log of observations", "The log"), ["changed file facets/greenhouse"]),
        (DECLARED, swapped("top_k: 5", "top_k: 20"), ["changed option retrieval/top_k"]),
        (DECLARED, swapped("top_k: 5", "top_k: 5 # said\n  depth: null"), []),
        (f"{DECISIONS}/outputs.jsonl", swapped('"id": "loan-01"', '"id":  "loan-01"'), []),
        (f"{DECISIONS}/outputs.jsonl", swapped("LN-26-30112", "LN-26-30113"), ["edited answer decisions/loan-01"]),
        (f"{DECISIONS}/policies.yaml", swapped("at_most: 0.45", "at_most: 0.9"), ["changed file decisions/policies"]),
        (f"{DECISIONS}/suite.yaml", swapped("threshold: 1.0", "threshold: 0.9"), ["eased objective decisions/decision_scores"]),
    ],
)
def test_an_edit_of_a_suites_files_is_found_where_it_eases(
    file: str, edit: Callable[[str], str], subjects: list[str], tree: Path, found: Found
) -> None:
    with edited(tree / file, edit):
        assert found(file.split("/")[1]) == subjects


@pytest.mark.parametrize(
    ("suite", "file", "edit", "subjects"),
    [
        (
            "extraction",
            "assay/metrics/text.py",
            appended("\n\ndef normalise(text: str) -> str:\n    return text[:1]\n"),
            ["changed scorer extraction/assay.metrics.text"],
        ),
        ("extraction", "assay/metrics/text.py", appended("\n\n# a comment\n"), []),
        ("retrieval", "assay/metrics/text.py", appended("\n\ndef normalise(text: str) -> str:\n    return text[:1]\n"), []),
        (
            "retrieval",
            "assay/providers/retrieval/trivial.py",
            appended("\n\ndef _longest(document: Document) -> tuple[int, str]:\n    return 0, document.id\n"),
            ["changed control retrieval/longest"],
        ),
        (
            "retrieval",
            "assay/gate.py",
            appended("\n\ndef _has_value(*_: object) -> bool:\n    return True\n"),
            ["changed gate retrieval/assay.gate"],
        ),
        ("retrieval", "assay/providers/retrieval/bm25.py", appended("\n\nLATER = 1\n"), []),
    ],
)
def test_code_is_read_from_the_tree_and_not_from_this_process(
    suite: str, file: str, edit: Callable[[str], str], subjects: list[str], tree: Path, found: Found
) -> None:
    with edited(tree / file, edit):
        assert found(suite) == subjects


@pytest.mark.parametrize("name", [*GATE, *(module_name("retrieval", part) for part in JUDGING)])
def test_a_module_that_judges_is_told_when_it_alone_is_edited(name: str, tree: Path, found: Found) -> None:
    modules = modules_below(tree, name)
    assert name in modules
    for module in modules:
        folder = tree / module.replace(".", "/")
        path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        with edited(path, appended("\n\ndef _added_by_a_test() -> None:\n    return None\n")):
            assert found("retrieval") == [f"changed gate retrieval/{module}"]


MINE = """format: 1
suite: mine
version: v1
kind: orchestration
title: My crew
synthetic: true
files: {cases: cases.jsonl, rules: rules.yaml}
providers:
  crew: {enforcement: ci, model: my crew, target: "my_crew.app:crew"}
  idle: {role: trivial_strategy, enforcement: ci, model: idle, target: "my_crew.app:idle", control: {metric: cases_passed}}
gate: {metrics: [cases_passed]}
"""
CASE = {"id": "asks", "input": {"question": "Where?"}, "expect": {"user": "It answers.", "rules": []}}
RULES = "format: 1\nrules:\n  - name: ends\n    final: DONE\n"
APP = "def crew(context):\n    return lambda given: {given}\n\n\ndef idle(context):\n    return lambda given: {idle}\n"


def foreign(root: Path, home: Path, given: str = "[given]", idle: str = "[]", rules: str = RULES) -> Side:
    """A project that has its own code and no assay."""
    for path, text in {
        "mine/suite.yaml": MINE,
        "mine/cases.jsonl": json.dumps(CASE),
        "mine/rules.yaml": rules,
        "my_crew/app.py": APP.format(given=given, idle=idle),
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return side_of(open_suite(root, "mine", goldset=root / "mine"), Engine(home))


def test_in_a_project_of_ones_own_the_subject_may_change_and_its_controls_may_not(tmp_path: Path, home: Path) -> None:
    before = foreign(tmp_path / "before", home)
    assert (before.gate_code, before.scoring_code) == ({}, {})
    assert findings(before, foreign(tmp_path / "subject", home, given="[given, given]")) == []
    (control,) = findings(before, foreign(tmp_path / "control", home, idle="[given]"))
    assert (control.subject, control.what) == ("changed control mine/idle", "idle: code of my_crew.app:idle")


def test_a_rule_that_is_gone_is_found(tmp_path: Path, home: Path) -> None:
    more = RULES + "  - name: once\n    count: {kind: tool_call, name: search}\n    at_most: 1\n"
    before, after = foreign(tmp_path / "before", home, rules=more), foreign(tmp_path / "after", home)
    found = {one.name: one.what for one in findings(before, after)}
    assert found == {
        "edited case": "expectation of case asks changed: expected.common 2 -> 1",
        "changed file": "the file rules: 3 parts -> 2; 1 gone (rules/once)",
    }
