"""Suites of checks of a user's own, outside of the project: a model, a function, an evaluator, a plug-in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.builders import json_lines
from tests.stages.copies import (
    FAIL,
    NO_VERDICT,
    PASS,
    appended,
    command,
    edited,
    ran,
    swapped,
    tree,
)
from tests.stages.decided import copy_with_bytecode, decided, refused_anew, values

END = ["gate", "publish"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with bytecode beside the code, believed only while it is that of the source: every process starts quicker."""
    return copy_with_bytecode(tmp_path_factory.mktemp("own") / "project")


WORDS = {"sea": "ship", "river": "boat", "pond": "raft", "moon": "lander"}
CHECK = {"name": "exact_match", "path": "word", "expected": "word"}


def suite(**changes: Any) -> dict[str, Any]:
    return {
        "format": 1,
        "suite": "words",
        "version": "v1",
        "kind": "checks",
        "title": "Words of somebody else",
        "synthetic": True,
        "files": {"cases": "cases.jsonl"},
        "providers": {"m": {"enforcement": "ci", "model": "m-1"}},
        "gate": {"metrics": ["cases_passed", "could_not_run"], "floors": {"cases_passed": 1.0}},
        "options": {"checks": [CHECK]},
        **changes,
    }


def elsewhere(folder: Path, declared: Mapping[str, Any], **files: str) -> Path:
    """A suite of its own outside of any project: which vessel for which water."""
    folder.mkdir()
    (folder / "suite.yaml").write_text(yaml.safe_dump(dict(declared), sort_keys=False), encoding="utf-8")
    rows = [{"id": w, "input": {"prompt": f"What goes on a {w}?"}, "expected": {"word": word}} for w, word in WORDS.items()]
    (folder / "cases.jsonl").write_bytes(json_lines(*rows))
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return folder


PROMPT = {"prompt__md": "Answer with one word.\n", "schema__json": '{"type": "object"}\n'}
CONTRACT = {"prompt": "prompt.md", "schema": "schema.json"}


def test_a_model_is_recorded_run_and_published_for_a_suite_outside_the_project(project: Path, tmp_path: Path) -> None:
    folder, before = elsewhere(tmp_path / "words", suite(contract=CONTRACT), **PROMPT), tree(project)
    where = ("--goldset", str(folder))
    recorded = command(project, "record", "words", "--provider", "m", "--oracle", *where)
    assert (recorded.returncode, recorded.stderr) == (0, "")
    assert recorded.stdout.startswith("m: 4 replies made from the expectations (oracle_aligned_expected_json)")
    first = decided(project, "words", folder)
    assert (first.code, first.checks("could-not-run", "m")) == (NO_VERDICT, ["baseline"])
    published = command(project, "baseline", "update", "words", "--provider", "m", "--reason", "the first", *where)
    assert (published.returncode, published.stderr) == (0, "")
    second = ran(project, *where, suite="words")
    assert (second.code, second.verdict, second.computed) == (PASS, "PASS", END)
    assert values(second, "m")["cases_passed"] == 1.0
    assert {path.name for path in folder.iterdir()} == {
        "suite.yaml", "cases.jsonl", "prompt.md", "schema.json", "baseline.json", "cassettes"
    }  # fmt: skip
    assert tree(project) == before
    with edited(folder / "prompt.md", lambda text: text.replace("one", "a")):
        drifted = decided(project, "words", folder)
    assert (drifted.code, drifted.checks("broken", "m")) == (FAIL, ["contract.prompt_sha256"])


OWN_CODE = '''
"""A user's own: a function to evaluate, and an evaluator."""

from assay.evaluators.metric import EvalMetric

WORDS = {"sea": "ship", "river": "boat", "pond": "raft", "moon": "lander"}


def vessels(context):
    return vessel


def vessel(given):
    (word,) = [word for water, word in WORDS.items() if water in given["prompt"]]
    return {"word": word}


def lower_case(actual, expected=None, config=None):
    is_lower = isinstance(actual, str) and actual == actual.lower()
    return EvalMetric(float(is_lower), is_lower)
'''
OWN = {
    "providers": {"mine": {"enforcement": "ci", "model": "vessel", "target": "own_words:vessels"}},
    "options": {"checks": [CHECK, {"name": "lower", "evaluator": "own_words:lower_case", "path": "word"}]},
}


def test_a_users_function_and_evaluator_are_found_beside_the_suite_and_their_code_is_part_of_the_key(
    project: Path, tmp_path: Path
) -> None:
    (tmp_path / "own_words.py").write_text(OWN_CODE, encoding="utf-8")
    folder = elsewhere(tmp_path / "words", suite(**OWN))
    where = ("--goldset", str(folder))
    found = ran(project, *where, suite="words")
    assert (found.code, found.checks("could-not-run", "mine")) == (NO_VERDICT, ["baseline"])
    assert (values(found, "mine")["cases_passed"], values(found, "mine")["lower"]) == (1.0, 1.0)
    assert command(project, "audit", "words", *where).returncode == PASS
    with edited(tmp_path / "own_words.py", appended("\n# A comment.\n")):
        assert ran(project, *where, suite="words").computed == []
    with edited(tmp_path / "own_words.py", swapped("actual == actual.lower()", "actual != actual.lower()")):
        strict = ran(project, *where, suite="words")
    assert {"replay mine", "score mine"} <= set(strict.computed)
    assert (strict.code, values(strict, "mine")["lower"]) == (FAIL, 0.0)


def test_an_evaluator_that_is_not_there_is_an_input_error(project: Path, tmp_path: Path) -> None:
    folder = elsewhere(tmp_path / "words", suite(**OWN, contract=None))
    told_of = refused_anew(project, "run", "words", "--offline", "--goldset", str(folder))
    assert "cannot be imported" in told_of
    assert "own_words:" in told_of


PLUG_IN = """
from assay.evaluators.metric import EvalMetric


def vowels(actual, expected=None, config=None):
    found = sum(letter in "aeiou" for letter in str(actual))
    return EvalMetric(float(found), found >= (config or {}).get("at_least", 1))
"""


def distribution(folder: Path) -> Path:
    """An installed distribution with an evaluator, as far as Python can tell."""
    info = folder / "vowel_checks-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: vowel-checks\nVersion: 1.2\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[assay.evaluators]\nvowels = vowel_checks:vowels\n", encoding="utf-8")
    (folder / "vowel_checks.py").write_text(PLUG_IN, encoding="utf-8")
    return folder


def test_a_plug_in_is_found_by_entry_point_and_its_code_is_part_of_the_key(project: Path, tmp_path: Path) -> None:
    installed = distribution(tmp_path / "site")
    (tmp_path / "own_words.py").write_text(OWN_CODE, encoding="utf-8")
    options = {"checks": [CHECK, {"name": "vowels", "path": "word", "config": {"at_least": 1}}]}
    folder = elsewhere(tmp_path / "words", suite(providers=OWN["providers"], options=options))
    where, environ = ("--goldset", str(folder)), {"PYTHONPATH": f"{project}:{installed}"}
    found = ran(project, *where, suite="words", **environ)
    assert (values(found, "mine")["vowels"], values(found, "mine")["vowels_score"]) == (1.0, 1.5)  # i, oa, a, ae
    with edited(installed / "vowel_checks.py", swapped('"aeiou"', '"xyz"')):
        edited_run = ran(project, *where, suite="words", **environ)
    assert (edited_run.code, values(edited_run, "mine")["vowels"]) == (FAIL, 0.0)
    assert "score mine" in edited_run.computed
    without = refused_anew(project, "run", "words", "--offline", *where)
    assert "unknown evaluator, got 'vowels'; expected one of decision_scores, " in without


def test_every_repeat_of_a_target_is_checked(project: Path, tmp_path: Path) -> None:
    flaky = OWN_CODE + "\n\nTIMES = {}\n\n\ndef flaky(context):\n    return sometimes\n\n\ndef sometimes(given):\n    "
    flaky += 'asked = TIMES[given["prompt"]] = TIMES.get(given["prompt"], 0) + 1\n    '
    flaky += 'return vessel(given) if asked != 2 or "moon" not in given["prompt"] else {"word": "kite"}\n'
    (tmp_path / "own_words.py").write_text(flaky, encoding="utf-8")
    providers = {"mine": {**OWN["providers"]["mine"], "target": "own_words:flaky"}}
    folder = elsewhere(tmp_path / "words", suite(providers=providers, options={"checks": [CHECK], "repeats": 3}))
    found = ran(project, "--goldset", str(folder), suite="words")
    assert found.code == FAIL
    assert values(found, "mine")["cases_passed"] == 0.75
    assert values(found, "mine")["exact_match"] == round(11 / 12, 12)
