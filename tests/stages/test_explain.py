"""`assay explain`: whole outputs for what can become of a case, and one case of every other kind by its key lines."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from assay.cli.explain import explain
from assay.digest import sha256_hex
from assay.errors import UsageError
from assay.gate import judge
from assay.metrics.ratios import measured, summed
from assay.model.baseline import Baseline
from assay.model.exchange import Contract, Exchange, Manifest, Reply
from assay.model.gold import GoldCase
from assay.model.ports import requests_part
from assay.model.report import Evidence
from assay.model.run import RunRequest
from assay.model.verdict import CaseOutcome
from assay.stores.cassettes import exchange_lines, file_facts, write_recording
from assay.stores.goldsets import Source, open_suite
from assay.stores.runs import read_report, run_folder
from flows.calibration import calibrated
from flows.chain import contract_files, run_load
from flows.explain import Desk, explained_case, explained_metric
from flows.suite_run import run_suite
from tasks._engine import Engine
from tests.builders import conversation, extracted, json_lines, memory
from tests.stages.copies import GOLD, edited, pairs, swapped
from tests.stages.recordings import ROOT, bare

LYON, JAZZ, GRAZ = "The user lives in Lyon.", "Jazz beats rock.", "Home is a flat in Graz."
TEA = "The user drinks green tea every morning."
MEMORIES = (
    memory("matched-m1", "matched", content=LYON),
    memory("unmatched-m1", "unmatched", content=JAZZ, categories=["preference"]),
    memory("malformed-m1", "malformed", content=GRAZ),
    memory("recovered-m1", "recovered", content=TEA, categories=["behavioral"]),
)
REPLIES = {
    "matched": json.dumps({"memories": [extracted(content="the user lives in Lyon")]}),
    "unmatched": json.dumps({"memories": [extracted(content="Nobody saw any \x1b[31mplumber yesterday.")]}),
    "malformed": '{"memories": [{"content": "Home',
    "recovered": json.dumps({"memories": [extracted(content=TEA, categories=["behavioral"])]}),
}
METRICS = ["recall_macro", "full_match_rate", "malformed_response_rate"]
SUBJECT = {"role": "subject", "enforcement": "ci", "model": "m", "sampling": {"max_tokens": 64}}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A project with a suite of a matched, an unmatched, a malformed and a recovered case, after a run."""
    project = bare(tmp_path_factory.mktemp("explained") / "project")
    desk, gold = Desk(project, project / ".assay"), project / GOLD
    turns = [{"role": "user", "content": "I live in Lyon."}]
    rows = [conversation(name, turns=[{**turns[0], "content": f"This is {name}."}]) for name in REPLIES]
    (gold / "conversations.jsonl").write_bytes(json_lines(*rows))
    (gold / "expected_memories.jsonl").write_bytes(json_lines(*MEMORIES))
    (gold / "matcher_pairs.jsonl").write_bytes(json_lines(*pairs()))
    (gold / "baseline.json").unlink()
    suite = yaml.safe_load((gold / "suite.yaml").read_text(encoding="utf-8"))
    suite["providers"] = {"p": SUBJECT}
    suite["gate"] = {"max_drop_pp": 3.0, "metrics": METRICS}
    (gold / "suite.yaml").write_text(yaml.safe_dump(suite, sort_keys=False), encoding="utf-8")
    (gold / "calibration.json").write_bytes(calibrated(open_suite(project, "extraction", calibrating=True), desk.home))
    _record(open_suite(project, "extraction"), desk.home)
    _run(desk)
    _publish_worse(desk)
    _run(desk)
    return desk


def _record(source: Source, home: Path) -> None:
    """The recording of all four replies."""
    engine, provider = Engine(home), source.suite.providers["p"]
    cases = [GoldCase.model_validate(row) for row in engine.artifacts.get(run_load(source, engine))]
    schema = sha256_hex(source.response_schema.encode())
    exchanges = [
        Exchange.of(case.id, request, _reply(REPLIES[case.id]))
        for case in cases
        for request in requests_part("extraction").requests_for(case, source.prompt, schema, provider)
    ]
    data = exchange_lines(exchanges)
    manifest = Manifest(
        format=1,
        suite="extraction",
        gold_version="v1",
        provider="p",
        cassette_kind="live_p_recorded",
        model_asked="m",
        model_served="m-1",
        recorded_at="2026-11-30T12:00:00+00:00",
        recorded_by="a test",
        contract=Contract(
            prompt_sha256=sha256_hex(source.prompt.encode()),
            schema_sha256=schema,
            prompt=source.prompt,
            response_schema=source.response_schema,
        ),
        gold_files={name: file_facts(source.files[role][1]) for role, name in contract_files(source).items()},
        cassette=file_facts(data),
        cases={case.id: case.digest for case in cases},
    )
    write_recording(source.place("p"), manifest, data)


def _reply(text: str) -> Reply:
    return Reply(text=text, finish_reason="stop", model_served="m-1", usage=None, latency_ms=None)


def _run(desk: Desk, suite: str = "extraction", *providers: str) -> str:
    """The run's id."""
    request = RunRequest(suite, providers=providers)
    environ = {"ASSAY_EVIDENCE": str(desk.home / "evidence")}
    return run_suite(request, desk.root, desk.home, Engine(desk.home), engine_name="offline", environ=environ).run_id


def _publish_worse(desk: Desk) -> None:
    """The baseline as a run would have made it in which `recovered` was wrong and `malformed` was right."""
    report = read_report(run_folder(desk.home, "latest"))
    found = report.providers["p"]
    recording = found.recording
    assert recording is not None
    wrong = {"expected": 1, "expected_behavioral": 1, "responses": 1}
    right = {"expected": 1, "expected_factual": 1, "hit_factual": 1, "predicted": 1, "predicted_factual": 1, "pairs": 1}
    right |= {"responses": 1, "full": 1, "labels_right": 1, "time_fields": 3, "time_fields_right": 3}
    cases = {
        **found.cases,
        "recovered": CaseOutcome(passed=False, score=0, counts=wrong),
        "malformed": CaseOutcome(passed=True, score=1, counts=right),
    }
    metrics = measured(summed(case.tallied for case in cases.values()), report.facts.measures)
    source = recording.model_dump(include={"cassette_kind", "cassette_sha256", "gold_sha256", "prompt_sha256", "schema_sha256"})
    block: dict[str, Any] = {
        "enforcement": "ci",
        "last_refreshed": "2026-11-30T12:00:00+00:00",
        "reason": "test",
        "source": {**source, "run": "run", "recorded_at": recording.recorded_at},
        "metrics": {name: metric.model_dump() for name, metric in metrics.items()},
        "cases": {name: case.model_dump() for name, case in cases.items()},
    }
    calibration = report.facts.calibration
    value = {"format": 1, "suite": "extraction", "gold_version": "v1", "providers": {"p": block}}
    value["calibration"] = calibration.model_dump() if calibration else None
    (desk.root / GOLD / "baseline.json").write_text(json.dumps(value), encoding="utf-8")


def _plain(text: str) -> str:
    """The text without what differs from run to run."""
    return re.sub(r"\b[0-9a-f]{12}…", "DIGEST…", re.sub(r"\d{8}T\d{6}Z-extraction-[0-9a-f]{6}", "RUN", text))


def _expected(name: str) -> str:
    return Path(__file__).with_name("explanations").joinpath(f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", REPLIES)
def test_a_case_is_explained_from_its_request_to_the_verdict(desk: Desk, case: str) -> None:
    assert _plain(explained_case("latest", case, None, desk)) == _expected(case)


def test_a_metric_is_explained_by_what_it_averages_over_and_what_costs_it_most(desk: Desk) -> None:
    assert _plain(explained_metric("latest", "recall_macro", "p", desk)) == _expected("recall_macro")


def test_the_case_that_alone_decides_does_turn_the_verdict(desk: Desk) -> None:
    """What is said of `malformed` is what the gate itself says once its reply can be read."""
    report = read_report(run_folder(desk.home, "latest"))
    assert report.verdict == "FAIL"
    found = report.providers["p"]
    baseline = Baseline.model_validate_json((desk.root / GOLD / "baseline.json").read_bytes())
    block = baseline.providers["p"]
    assert block is not None
    assert block.cases is not None
    cases = {**found.cases, "malformed": block.cases["malformed"]}
    metrics = measured(summed(case.tallied for case in cases.values()), report.facts.measures)
    fields = {name: getattr(found, name) for name in Evidence.model_fields}
    evidence = Evidence.model_validate(fields | {"cases": cases, "metrics": metrics})
    assert judge({"p": evidence}, baseline, report.facts, report.checks[:1], declared={"p": "ci"}).verdict == "PASS"


@pytest.mark.parametrize(
    ("file", "old", "new", "why"),
    [
        ("conversations.jsonl", "This is matched.", "This is another.", "gold set"),
        ("suite.yaml", "max_drop_pp: 3.0", "max_drop_pp: 4.0", "gate"),
        ("suite.yaml", "version: v1", "version: v2", "names another suite"),
    ],
)
def test_of_changed_files_nothing_is_told(desk: Desk, file: str, old: str, new: str, why: str) -> None:
    with edited(desk.root / GOLD / file, swapped(old, new)):
        told = explained_case("latest", "matched", None, desk)
    assert "Only the report is used, and nothing of the suite's files" in told
    assert why in told.splitlines()[1]
    assert "Request 1 of 1" not in told
    assert "Status: not in the report" in told
    assert "max_drop.recall_macro kept: 0.5000" in told


def test_of_a_case_that_the_code_scores_otherwise_nothing_is_told(desk: Desk, tmp_path: Path) -> None:
    report = json.loads((run_folder(desk.home, "latest") / "report.json").read_bytes())
    report["providers"]["p"]["cases"]["matched"]["counts"].pop("full")
    (tmp_path / "report.json").write_text(json.dumps(report), encoding="utf-8")
    told = explained_case(str(tmp_path), "matched", "p", desk)
    assert "nothing of the suite's files: the code scores the case otherwise than in the run." in told
    assert "Status: not in the report" in told


def test_of_an_edited_baseline_nothing_is_told(desk: Desk) -> None:
    with edited(desk.root / GOLD / "baseline.json", lambda text: text.replace('"value": 0.5,', '"value": 0.4,', 1)):
        told = explained_case("latest", "recovered", None, desk)
    assert "It is better than in the baseline.\n" in told
    assert "counts that the baseline has" not in told


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        (("latest", "matchd", None), "Did you mean 'matched'?"),
        (("latest", "matched", "q"), "unknown provider, got 'q'; expected one of p"),
        (("nowhere", "matched", None), "no such run"),
    ],
)
def test_an_unknown_name_is_one_error_with_the_nearest(desk: Desk, asked: tuple[str, str, str | None], near: str) -> None:
    with pytest.raises(UsageError, match=re.escape(near)):
        explained_case(*asked, desk)


def test_an_unknown_metric_is_one_error_with_the_nearest(desk: Desk) -> None:
    with pytest.raises(UsageError, match="Did you mean 'recall_macro'"):
        explained_metric("latest", "recal_macro", None, desk)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("latest", "matched"), 0, "extraction v1, case matched of p: right"),
        (("latest", "--metric", "full_match_rate"), 0, "extraction v1, full_match_rate of p: 0.5000"),
        (("latest",), 2, "wants a case or a metric"),
        (("latest", "matched", "--metric", "full_match_rate"), 2, "wants a case or a metric"),
    ],
)
def test_the_command_explains_a_case_or_a_metric(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, said: str
) -> None:
    monkeypatch.chdir(desk.root)
    monkeypatch.delenv("ASSAY_HOME", raising=False)
    done = CliRunner().invoke(explain, arguments)
    assert said in (done.output if code == 0 else str(done.exception))
    assert getattr(done.exception, "exit_code", 0) == code


KINDS = [
    ("retrieval", "semantic", ["Relevant: mem_", "The ranking begins: 1 mem_", "recall@5 ", "mrr: "]),
    ("orchestration", "scripted", ["rules put to its runs were kept", "Kept: ", "Answered in process by assay.providers.crew"]),
    ("decisions", "recorded", ["decision_scores scored 1.0000 under the objective maximize, score >= 1.0 and had to pass"]),
    ("facets", "poincare", ["facets came", "Its events are as expected.", "facet_recall: "]),
]


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kinds")


@pytest.mark.parametrize(("suite", "provider", "lines"), KINDS)
def test_a_case_of_every_other_kind_says_what_was_judged(own_home: Path, suite: str, provider: str, lines: list[str]) -> None:
    desk = Desk(ROOT, own_home)
    run = _run(desk, suite, provider)
    case = next(iter(read_report(own_home / "runs" / run).providers[provider].cases))
    told = explained_case(run, case, provider, desk)
    assert "Only the report is used" not in told
    assert [line for line in lines if line not in told] == []
    assert "Status: scored." in told
