"""Targets: a scenario runs once and whole, each case takes its task's answer, and the controls come out as they must."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("poincare_orchestra", reason="the extra `orchestra` is not installed")

from assay.errors import InputError, Unrecorded, UsageError
from assay.metrics.ratios import measured, summed
from assay.model.exchange import Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.target import RecordableTarget, Target
from assay.model.verdict import Metric
from assay.providers.facets import controls, targets
from assay.providers.facets.evaluation import EvalReport, report_on
from assay.providers.facets.poincare import orchestrator, packaged_scenario
from assay.providers.facets.port import Surroundings
from assay.providers.facets.targets import EmbeddedTarget, OneByOne, ScenarioTarget, suite_target
from assay.providers.retrieval.hashing import HashEmbedder
from assay.providers.retrieval.targets import Gathering
from assay.suites.facets.answers import TaskAnswer
from assay.suites.facets.audit import audit
from assay.suites.facets.chance import chance_of
from assay.suites.facets.scenario import Scenario
from assay.suites.facets.scoring import measures, score_case
from tests.unit.providers.facets.suite_v1 import OWN, cases, context, declaration, files, own, replies

BUNDLED = {"sprint_coaching": 0.760, "clinical_anatomy": 0.709, "support_kb": 0.733}


def metrics(answers: dict[str, tuple[Outcome, ...]], asked: Sequence[GoldCase] | None = None) -> dict[str, Metric]:
    rows = (score_case(case, answers.get(case.id, ())) for case in (cases() if asked is None else asked))
    return measured(summed(row.counts for row in rows), measures({}))


def value(found: dict[str, Metric], name: str) -> float | None:
    return found[name].value


@pytest.fixture(scope="module")
def answered() -> dict[str, tuple[Outcome, ...]]:
    return replies(targets.poincare(context(options=declaration()["options"])), cases())


def test_a_scenario_runs_once_whole_and_in_order_whatever_is_asked_first() -> None:
    asked: list[str] = []

    class Counting:
        def __init__(self, scenario: Scenario, surroundings: Surroundings) -> None:
            self.name = scenario.name

        def ask(self, question: str) -> TaskAnswer:
            asked.append(question)
            return TaskAnswer(answer=f"{len(asked)}", weighted_score=1 / 3)

    target = suite_target(Counting)(context())
    ferry = [case for case in cases() if case.input["scenario"] == "ferry_line"]
    answers = [json.loads(target.answer(case)) for case in reversed(ferry)]
    assert asked == [task.question for task in own("ferry_line").tasks]
    assert [one["answer"] for one in answers] == ["8", "7", "6", "5", "4", "3", "2", "1"]
    assert answers[0]["weighted_score"] == 0.333333333
    assert list(target.checks()) == []


def test_a_crash_is_its_own_tasks_failure() -> None:
    class Crashing:
        def __init__(self, scenario: Scenario, surroundings: Surroundings) -> None:
            self.asked = 0

        def ask(self, question: str) -> TaskAnswer:
            self.asked += 1
            if self.asked == 1:
                raise RuntimeError("first")
            return TaskAnswer(answer=question)

    target = suite_target(Crashing)(context())
    first, second = (case for case in cases() if case.input["scenario"] == "greenhouse")
    with pytest.raises(RuntimeError, match="first"):
        target.answer(first)
    assert json.loads(target.answer(second))["answer"] == second.input["question"]


def test_answers_are_the_same_bytes_again(answered: dict[str, tuple[Outcome, ...]]) -> None:
    asked = [case for case in cases() if case.input["scenario"] in {"greenhouse", "kiln_degraded", "support_kb"}]
    again = replies(targets.poincare(context(options=declaration()["options"])), asked)
    assert again == {name: answered[name] for name in again}


def test_the_suites_numbers_are_those_of_the_evaluation(answered: dict[str, tuple[Outcome, ...]]) -> None:
    reports: list[EvalReport] = [evaluated(own(name), answered) for name in OWN]
    recalls = [row.facet_recall for report in reports for row in report.per_task if row.facet_recall is not None]
    found = metrics(answered)
    assert value(found, "facet_recall") == pytest.approx(sum(recalls) / len(recalls), abs=1e-12)
    assert (found["facet_recall"].n, found["mean_weighted_score"].n, found["forbidden_facets_absent"].n) == (23, 26, 12)
    bundled = [evaluated(packaged_scenario(name), answered) for name in BUNDLED]
    assert [round(report.mean_weighted_score or 0, 3) for report in bundled] == list(BUNDLED.values())
    scores = [row.J or 0 for report in bundled for row in report.per_task]
    assert value(found, "bundled_mean_weighted_score") == pytest.approx(sum(scores) / 13, abs=1e-12)
    names = ("bundled_facet_recall", "bundled_constraints_met_rate", "bundled_throttle_events", "degraded_events_as_expected")
    assert [value(found, name) for name in names] == [1.0, 1.0, 0.0, 1.0]


def evaluated(scenario: Scenario, answered: dict[str, tuple[Outcome, ...]]) -> EvalReport:
    """The report on what the suite's target answered."""
    found = [answered[f"{scenario.name}/{scenario.task_id(at)}"][0] for at in range(len(scenario.tasks))]
    return report_on(scenario, [TaskAnswer.model_validate_json(one.text) for one in found if isinstance(one, Reply)])


def test_recall_is_neither_perfect_nor_luck(answered: dict[str, tuple[Outcome, ...]]) -> None:
    found, luck = value(metrics(answered), "facet_recall"), chance_of(cases(), answered, range(200))["facet_recall"]
    assert found is not None
    assert max(2.5 * luck.mean, luck.quantile) < 0.45 < found < 0.9
    near = chance_of(cases(), answered, range(200), within="scenario")["facet_recall"]
    assert luck.mean < near.mean < found
    for name in ("ferry_line", "seed_bank", "mountain_huts"):
        of_one = [case for case in cases() if case.input["scenario"] == name]
        assert len(of_one) == 8
        assert (value(metrics(answered, of_one), "facet_recall") or 0) < 1


def test_the_records_themselves_reach_everything() -> None:
    found = metrics(replies(controls.records(context()), cases()))
    names = ("facet_recall", "bundled_facet_recall", "degraded_facet_recall", "forbidden_facets_absent")
    assert [value(found, name) for name in names] == [1.0, 1.0, 1.0, 0.0]


def test_an_echo_finds_nothing_in_our_own_scenarios() -> None:
    found = metrics(replies(controls.echo(context()), cases()))
    assert (value(found, "facet_recall"), value(found, "degraded_facet_recall")) == (0.0, 0.0)
    # the package's own tasks give facets away
    assert (value(found, "bundled_facet_recall") or 0) > 0.3


def test_who_abstains_finds_nothing_and_says_nothing_forbidden() -> None:
    found = metrics(replies(controls.abstain(context()), cases()))
    assert [value(found, name) for name in ("facet_recall", "forbidden_facets_absent")] == [0.0, 1.0]
    assert found["mean_weighted_score"].value is None


def test_shuffled_answers_come_near_to_luck(answered: dict[str, tuple[Outcome, ...]]) -> None:
    shuffled = replies(controls.shuffled(context(replies=answered)), cases())
    assert all(shuffled[name] != answered[name] for name in answered)
    assert sorted(map(str, shuffled.values())) == sorted(map(str, answered.values()))
    luck = chance_of(cases(), answered, range(200))["facet_recall"]
    assert (value(metrics(shuffled), "facet_recall") or 0) <= max(2.5 * luck.mean, luck.quantile)


def test_a_task_without_another_answer_fails() -> None:
    target = controls.shuffled(context(replies={}))
    with pytest.raises(LookupError, match="no task other than greenhouse/feed has an answer"):
        target.answer(cases()[0])


def test_another_package_is_told() -> None:
    case = next(case for case in cases() if case.input["group"] == "bundled")
    for key, told in (("scenario_sha256", "brings another scenario"), ("question_sha256", "asks another question")):
        changed = case.model_copy(update={"input": {**case.input, key: "0" * 64}})
        with pytest.raises(InputError, match=told):
            targets.poincare(context()).answer(changed)


def test_the_gold_set_has_no_fault() -> None:
    found = audit(files(), declaration()["options"])
    assert found.faults == ()
    assert found.counts["tasks"]["all"] == 43


def test_recorded_vectors_give_the_same_answers_and_a_missing_one_is_told() -> None:
    asked = [case for case in cases() if case.input["scenario"] == "greenhouse"]
    live = EmbeddedTarget(context(), orchestrator, Gathering(OneByOne(HashEmbedder())))
    answers = replies(live, asked)
    assert isinstance(live, RecordableTarget)
    recording = live.recording()
    assert (recording.rows, recording.model_served) == (13, "sha256-hash/1")
    replayed: Target = targets.poincare_minilm(context(recording=recording.body))
    assert replies(replayed, asked) == answers
    other = next(case for case in cases() if case.input["scenario"] == "ferry_line")
    with pytest.raises(Unrecorded, match="no vector for a text"):
        replayed.answer(other)
    with pytest.raises(InputError, match="is not there"):
        targets.poincare_minilm(context())


def test_each_text_is_embedded_once() -> None:
    asked: list[str] = []

    class Listening(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> list[Any]:
            asked.extend(texts)
            return super().embed(texts)

    embedder = OneByOne(Listening())
    assert embedder.embed(["a", "b", "a"]) == HashEmbedder().embed(["a", "b", "a"])
    assert embedder.embed(["b", "c"]) == HashEmbedder().embed(["b", "c"])
    assert asked == ["a", "b", "c"]


def test_an_endpoint_has_nothing_to_replay() -> None:
    with pytest.raises(UsageError, match="answers live only"):
        targets.endpoint(context())
    with pytest.raises(UsageError, match="cannot be asked"):
        targets.endpoint(replace(context(), mode="live")).answer(cases()[0])


def test_what_the_targets_rest_on_is_named() -> None:
    assert targets.PACKAGES == controls.PACKAGES == ("poincare-orchestra", "poincare-memory")
    assert isinstance(targets.poincare(context()), ScenarioTarget)
