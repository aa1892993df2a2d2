"""Sabotage of a made-up project: what is sound is as declared, and whatever is weakened is told."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from assay.cli.sabotage import sabotage
from assay.errors import InputError, UsageError
from assay.gate import judge as true_judge
from assay.metrics.ratios import measured, summed
from assay.model.report import Judgement, RunFacts
from assay.model.score import CaseScore, Measure
from assay.model.verdict import Metric
from assay.sabotage.catalogue.gate import WRONG
from assay.sabotage.catalogue.report import CHANGES
from assay.sabotage.defect import Defect, InParts, InReplies
from assay.sabotage.gate_paper import FACTS as PAPER_FACTS
from assay.sabotage.matrix import Matrix
from assay.sabotage.parts import Judge, Parts
from assay.stores.artifacts import Body
from assay.stores.goldsets import open_suite
from flows.change import Change, judge_change
from flows.sabotage.inverted import inverted_of
from flows.sabotage.known import known_matrix
from flows.sabotage.memory import Shared
from flows.sabotage.own import defects_for, installed
from flows.sabotage.running import matrix_of, sabotaged
from flows.sabotage.trial import bench_of, true_parts
from flows.scaffold import scaffold
from flows.suites_run import Runner
from tasks._engine import Engine
from tasks.gate import GATE
from tests.stages.changes import Repository

SCORES = "scores are not gated: the suite is about order"
SURVIVORS = {"constant scores": SCORES, "scores turned round": SCORES, "confident about everything": SCORES}
STALE = """
  system:
    stale index:
      options: {{documents_known: 3}}
      must_notice: [floor.*, max_drop.*]
"""
INDEX = '    documents = documents[: context.options.get("documents_known", len(documents))]\n'
DATA = ("no answer", "answer of another case", "ranking reversed", "top five lost")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A retrieval suite of a project of its own, whose retriever can be told to forget documents."""
    root = tmp_path_factory.mktemp("sabotage")
    scaffold("retrieval", "handbook", root, datetime(2026, 11, 30, tzinfo=UTC))
    suite = declaration(root)
    suite.write_text(suite.read_text(encoding="utf-8") + STALE.format(why=SCORES), encoding="utf-8")
    (system,) = root.glob("handbook*.py")
    code = system.read_text(encoding="utf-8")
    system.write_text(code.replace("    words = {document", INDEX + "    words = {document"), encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def declaration(root: Path) -> Path:
    return root / "goldsets" / "handbook" / "v1" / "suite.yaml"


def matrix(root: Path, home: Path, names: Sequence[str], parts: Parts | None = None) -> Matrix:
    """The matrix of these defects, with these parts in the pipeline's."""
    source = open_suite(root, "handbook")
    chosen = [defect for defect in defects_for(source) if defect.name in names]
    assert len(chosen) == len(names)
    return matrix_of(bench_of(source, Shared(home), parts), chosen, whole=False)


def test_a_sound_suite_is_as_declared_twice_alike_and_the_second_time_from_the_cache(project: Path, home: Path) -> None:
    source = open_suite(project, "handbook")
    assert known_matrix(source, home) is None
    found, cached = sabotaged(source, home)
    assert (found.is_as_declared, found.survivors, cached) == (True, SURVIVORS, False)
    assert known_matrix(source, home) == found
    assert [mutant.name for mutant in found.mutants if mutant.fate == "survived"] == list(SURVIVORS)
    assert sabotaged(source, home) == (found, True)
    assert matrix(project, home, DATA).mutants == tuple(m for m in found.mutants if m.name in DATA)
    held = {control.name: control.holds for control in found.inverted}
    assert False not in held.values()
    assert all(held[name] for name in ("case order", "key order", "white space in files", "run name", "shards", "worker count"))


def test_a_change_of_the_declaration_puts_the_gate_on_trial_before_the_suite_is_run(
    project: Path, home: Path, tmp_path: Path
) -> None:
    root, place = shutil.copytree(project, tmp_path / "project"), shutil.copytree(home, tmp_path / "home")
    now = declaration(root).read_text(encoding="utf-8")
    declaration(root).write_text(now.replace("title: ", "title: Formerly "), encoding="utf-8")
    repository = Repository(root)
    repository.git("init", "--quiet")
    repository.git("add", "-A")
    repository.git("commit", "--quiet", "-m", "another title")
    declaration(root).write_text(now, encoding="utf-8")
    shutil.rmtree(place / "keys" / "sabotage-known", ignore_errors=True)
    seen = list[Matrix | None]()
    evidence = {"ASSAY_EVIDENCE": str(tmp_path / "evidence")}

    def told(suite: str, _: object) -> None:
        seen.append(known_matrix(open_suite(root, suite), place))

    runner = Runner(root, place, evidence, "offline", lambda: Engine(place), told)
    outcome = judge_change(Change("HEAD", sabotage=True), runner)
    (check,) = (check for check in outcome.suites["handbook"].checks if check.name == "sabotage")
    assert [matrix.suite for matrix in seen if matrix] == ["handbook"]
    assert (check.status, outcome.verdict, seen) == ("kept", "PASS", [known_matrix(open_suite(root, "handbook"), place)])
    assert check.message.startswith("handbook v1: as declared: ")


def lenient(parts: Parts) -> Parts:
    """A scorer that finds everything where it should; its self-test is left as it is."""

    def scorer(files: Any, options: Any) -> Any:
        score = parts.scorer(files, options)

        def scored(case: Any, outcomes: Any) -> CaseScore:
            row = score(case, outcomes)
            return replace(row, counts={name: 1 for name in row.counts}, status="scored", passed=True, score=1.0)

        return scored

    return replace(parts, scorer=scorer)


def undefined_as_one(parts: Parts) -> Parts:
    def metrics(rows: Iterable[CaseScore], measures: Mapping[str, Measure]) -> dict[str, Metric]:
        found = measured(summed(row.counts for row in rows), measures)
        return {name: metric.model_copy(update={"value": 1.0, "reason": None}) for name, metric in found.items()}

    return replace(parts, metrics=metrics)


def gated_by(name: str) -> Callable[[Parts], Parts]:
    return lambda parts: replace(parts, judge=WRONG[name](parts.judge))


def reported_by(name: str) -> Callable[[Parts], Parts]:
    return CHANGES[name]


PARTS: Mapping[str, Callable[[Parts], Parts]] = {
    "a lenient scorer": lenient,
    "what is undefined counts as 1": undefined_as_one,
    "a gate that passes over what is undefined": gated_by("undefined passed over"),
    "a gate with twice the tolerance": gated_by("tolerance doubled"),
    "a gate that skips the controls": gated_by("check control skipped"),
    "a gate that takes could-not-run for kept": gated_by("could-not-run read as kept"),
    "a report that drops a failing case": reported_by("failing case dropped"),
    "an exit code that disagrees": reported_by("failed runs exit 0"),
}


@pytest.mark.parametrize("weakening", PARTS)
def test_a_weakened_pipeline_is_told(project: Path, home: Path, weakening: str) -> None:
    found = matrix(project, home, DATA, PARTS[weakening](true_parts("retrieval")))
    assert not found.is_as_declared
    assert found != matrix(project, home, DATA)


def its_own_judge_on_paper(kind: str, inputs: Any, params: Any, *, judge: Judge) -> Body:
    """The gate stage without its trial: on paper the true gate answers, whichever one judges the run."""

    def judged(evidence: Any, baseline: Any, facts: RunFacts, *rest: Any, **more: Any) -> Judgement:
        return (true_judge if facts.suite == PAPER_FACTS.suite else judge)(evidence, baseline, facts, *rest, **more)

    return GATE.run(kind, inputs, params, judge=judged)


def test_a_gate_that_is_not_tried_on_paper_is_told(project: Path, home: Path) -> None:
    names = ("tolerance doubled", "check control skipped")
    source = open_suite(project, "handbook")
    chosen = [defect for defect in defects_for(source) if defect.name in names]
    untried = replace(bench_of(source, Shared(home)), instead={GATE: its_own_judge_on_paper})
    assert matrix(project, home, names).is_as_declared
    found = matrix_of(untried, chosen, whole=False)
    assert [mutant.fate for mutant in found.undeclared] == ["survived", "survived"]


def test_a_self_test_that_leaves_a_measure_out_is_told(project: Path, home: Path) -> None:
    name = "recall of any hit is 1"

    def weakened(parts: Parts) -> Parts:
        """The wrong scorer as it is tried by a self-test without a line on recall."""
        return replace(parts, selftest=lambda: [check for check in parts.selftest() if "recall" not in check.name])

    source = open_suite(project, "handbook")
    (defect,) = (defect for defect in defects_for(source) if defect.name == name)
    assert isinstance(defect.damage, InParts)
    wrong = defect.damage.change
    untold = replace(defect, damage=InParts(lambda parts: weakened(wrong(parts))))
    assert matrix(project, home, [name]).is_as_declared
    found = matrix_of(bench_of(source, Shared(home)), [untold], whole=False)
    assert [mutant.name for mutant in found.undeclared] == [name]


LOOSE = "gate:\n  max_drop_pp: 100.0\n  metrics: [mrr]\n"
DECLARED: Mapping[str, tuple[str, str]] = {
    "a threshold raised, the floor gone": (r"gate:\n.*?\n\n", f"{LOOSE}\n"),
    "a floor under everything": (r"max_drop_pp: 3.0(.*?)recall@k: 0.9", r"max_drop_pp: 100.0\1recall@k: 0.0"),
    "a survivor that is none": ("    constant scores:", "    no answer: borne\n    constant scores:"),
    "a survivor no longer declared": ("    scores turned round: .*?\n", ""),
}


@pytest.mark.parametrize("weakening", DECLARED)
def test_a_weakened_declaration_makes_the_command_exit_1(
    project: Path, home: Path, weakening: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    monkeypatch.setenv("ASSAY_HOME", str(home))
    path = declaration(project)
    before, (old, new) = path.read_text(encoding="utf-8"), DECLARED[weakening]
    options = [part for name in (*DATA[:3], "scores turned round") for part in ("--defect", name)]
    assert sabotage.main(["handbook", *options], standalone_mode=False) == 0
    sound = capsys.readouterr().out
    path.write_text(re.sub(old, new, before, count=1, flags=re.DOTALL), encoding="utf-8")
    try:
        assert path.read_text(encoding="utf-8") != before
        assert sabotage.main(["handbook", *options], standalone_mode=False) == 1
    finally:
        path.write_text(before, encoding="utf-8")
    weakened = capsys.readouterr().out
    assert "NOT AS DECLARED" in weakened
    assert "NOT AS DECLARED" not in sound


def test_a_system_of_ones_own_is_killed_and_survives_once_the_check_is_weaker(project: Path, home: Path) -> None:
    (killed,) = matrix(project, home, ["stale index"]).mutants
    assert (killed.fate, "floor.recall@3" in killed.by) == ("killed", True)
    path = declaration(project)
    before = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"gate:\n.*?\n\n", f"{LOOSE}\n", before, count=1, flags=re.DOTALL), encoding="utf-8")
    try:
        found = matrix(project, home, ["stale index"])
    finally:
        path.write_text(before, encoding="utf-8")
    assert [mutant.fate for mutant in found.mutants] != ["killed"]
    assert not found.is_as_declared


OWN = """
from assay.sabotage.defect import Defect, InReplies, InMaterial

def shouting():
    return [Defect("shouting", "system", InReplies(lambda answered: answered.text.upper()), ("results", "max_drop.*"))]

def broken(material, pick):
    raise KeyError("a mistake of one's own")

mistaken = Defect("mistaken", "gold", InMaterial(broken), ("input",))
nothing = 17
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[EntryPoint]]:
    (tmp_path / "made_up_defects.py").write_text(OWN, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return lambda name: [EntryPoint(name, f"made_up_defects:{name}", "assay.defects")]


def test_a_package_brings_defects_and_a_crash_of_one_is_no_kill(
    project: Path, home: Path, own: Callable[[str], list[EntryPoint]]
) -> None:
    given = [*installed(own("shouting")), *installed(own("mistaken"))]
    found = matrix_of(bench_of(open_suite(project, "handbook"), Shared(home)), given, whole=False)
    assert [(mutant.name, mutant.fate) for mutant in found.mutants] == [("shouting", "killed"), ("mistaken", "crashed")]
    assert found.mutants[1].why == 'KeyError: "a mistake of one\'s own"'
    assert not found.is_as_declared


def test_what_is_no_defect_is_refused_by_name(own: Callable[[str], list[EntryPoint]]) -> None:
    with pytest.raises(InputError, match=r"entry point nothing of assay.defects: cannot be loaded"):
        list(installed(own("nothing")))


def test_an_unknown_survivor_is_refused(project: Path) -> None:
    source = open_suite(project, "handbook")
    rule = source.suite.sabotage.model_copy(update={"survivors": {"constnt scores": "why"}})
    with pytest.raises(InputError, match=r"survivors: unknown defect, got 'constnt scores'.*Did you mean 'constant scores'"):
        defects_for(replace(source, suite=source.suite.model_copy(update={"sabotage": rule})))


def test_an_unknown_defect_is_refused(project: Path, home: Path) -> None:
    with pytest.raises(UsageError, match=r"--defect: unknown defect, got 'no anser'.*Did you mean 'no answer'"):
        sabotaged(open_suite(project, "handbook"), home, ["no anser"])


def test_a_defect_that_changes_nothing_does_not_apply(project: Path, home: Path) -> None:
    same = Defect("same", "system", InReplies(lambda answered: answered.text), ("results",))
    (found,) = matrix_of(bench_of(open_suite(project, "handbook"), Shared(home)), [same], whole=False).mutants
    assert (found.fate, found.why) == ("not applicable", "no answer offers what it would damage")


def test_a_scorer_that_remembers_earlier_cases_moves_under_another_order_and_in_shards(project: Path, home: Path) -> None:
    source, parts = open_suite(project, "handbook"), true_parts("retrieval")

    def scorer(files: Any, options: Any) -> Any:
        score, seen = parts.scorer(files, options), list[str]()

        def scored(case: Any, outcomes: Any) -> CaseScore:
            seen.append(case.id)
            row = score(case, outcomes)
            return row if len(seen) > 1 else replace(row, counts={name: 0 * count for name, count in row.counts.items()})

        return scored

    bench = bench_of(source, Shared(home), replace(parts, scorer=scorer))
    moved = {control.name: control.why for control in inverted_of(bench) if control.holds is False}
    assert moved.keys() >= {"case order", "shards"}
    assert " of mine: " in moved["shards"]
