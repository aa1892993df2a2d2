"""The real system by its public names: its own figures, its own command's lines, and nothing from the machine."""

from __future__ import annotations

import ast
import json
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("poincare_orchestra", reason="the extra `orchestra` is not installed")

import poincare_orchestra
from poincare_orchestra import MockProvider, cli, load_scenario
from poincare_orchestra import Orchestrator as Theirs

import assay.providers.facets.poincare as adapter
from assay.errors import Unrecorded, UsageError
from assay.model.embedding import EmbedderIdentity, Vector
from assay.providers.facets.evaluation import EvalReport, asked, run
from assay.providers.facets.latency import declared, replayed
from assay.providers.facets.poincare import Timed, orchestrator, packaged_digest, packaged_names, packaged_scenario, versions
from assay.providers.facets.port import Surroundings
from assay.providers.retrieval.hashing import HashEmbedder
from assay.suites.facets.answers import TaskAnswer
from assay.suites.facets.scenario import Disturbance
from tests.unit.providers.facets.suite_v1 import FOLDER, OWN, own

PROVIDERS = ("provider-a", "provider-b")
BUNDLED = {"sprint_coaching": (5, 0.760), "clinical_anatomy": (4, 0.709), "support_kb": (4, 0.733)}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """The package's command adds a handler to its logger."""
    logger = logging.getLogger("poincare_orchestra")
    before, level = list(logger.handlers), logger.level
    yield
    logger.handlers[:] = before
    logger.setLevel(level)


@pytest.fixture
def even_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call takes one tick, so that the package's own command cannot take a busy machine for a throttled provider."""
    ticks = count()
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks) / 100)


@pytest.mark.parametrize("name", BUNDLED)
def test_figures_are_the_systems_own_task_by_task(name: str) -> None:
    tasks, mean_j = BUNDLED[name]
    report = run(packaged_scenario(name), orchestrator)
    assert (report.tasks, report.facet_recall, round(report.mean_weighted_score or 0, 3)) == (tasks, 1.0, mean_j)
    assert (report.constraints_met_rate, report.throttle_events) == (1.0, 0)
    timed: list[poincare_orchestra.Provider] = [Timed(MockProvider(p, latency_s=0.0), declared()) for p in PROVIDERS]
    theirs = Theirs(load_scenario(name), providers=timed).evaluate()
    assert json.loads(report.to_json()) == theirs.model_dump(mode="json")


@pytest.mark.parametrize("name", BUNDLED)
@pytest.mark.usefixtures("even_timer")
def test_lines_and_json_are_those_of_the_systems_own_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    report = run(packaged_scenario(name), orchestrator)
    cli.main(["eval", name])
    assert capsys.readouterr().out == "\n".join(report.lines()) + "\n"
    cli.main(["eval", name, "--json"])
    printed = capsys.readouterr().out
    assert printed == report.to_json() + "\n"
    assert EvalReport.model_validate_json(printed) == report


@pytest.mark.usefixtures("even_timer")
def test_a_file_of_ours_is_one_of_theirs(capsys: pytest.CaptureFixture[str]) -> None:
    report = run(own("greenhouse"), orchestrator)
    cli.main(["eval", str(FOLDER / "scenarios" / "greenhouse.yaml")])
    assert capsys.readouterr().out == "\n".join(report.lines()) + "\n"
    assert report.tasks == 2


@pytest.mark.parametrize("name", OWN)
def test_the_clock_is_injected_and_only_ages_count(name: str) -> None:
    scenario = own(name)
    first, later = (
        asked(scenario, orchestrator(scenario, Surroundings(now=now)))
        for now in (datetime(2026, 1, 15, 12, tzinfo=UTC), datetime(2031, 7, 2, tzinfo=UTC))
    )
    assert first == later


def test_neither_sleep_nor_a_timer_of_the_machine_is_part_of_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = own("kiln_degraded")
    expected = run(scenario, orchestrator)
    slept: list[float] = []
    ticks = (float(tick * tick) for tick in count())
    monkeypatch.setattr(time, "sleep", slept.append)
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))
    assert run(scenario, orchestrator) == expected
    assert set(slept) <= {0.0}


def test_a_degraded_and_a_failing_provider_leave_their_events_and_recall_is_told_per_task() -> None:
    scenario = own("kiln_degraded")
    report = run(scenario, orchestrator)
    assert [[event.told for event in row.events] for row in report.per_task] == [
        list(t.expected_events) for t in scenario.tasks
    ]
    assert report.throttle_events == 4
    assert [row.facet_recall for row in report.per_task] == [1.0, 1.0, 1.0, 1.0]
    assert report.per_task[1].events[0].reasons == ("latency 0.06s vs median 0.01s", "length 28 vs median 109")


def test_without_a_provider_left_there_is_an_answer_without_facets() -> None:
    disturbed = {name: Disturbance(fail_after=0) for name in PROVIDERS}
    report = run(own("greenhouse").model_copy(update={"disturbed": disturbed}), orchestrator)
    assert (report.facet_recall, report.constraints_met_rate) == (0.0, 0.0)
    assert report.throttle_events > 4
    assert {reason for row in report.per_task for event in row.events for reason in event.reasons} == {"error: RuntimeError"}


def test_a_packaged_question_gives_a_facet_away_even_without_a_provider() -> None:
    # `duplicate` stands in the third question, which the answer repeats: (0 + 0 + 1/2 + 0) / 4
    disturbed = {name: Disturbance(fail_after=0) for name in PROVIDERS}
    report = run(packaged_scenario("support_kb").model_copy(update={"disturbed": disturbed}), orchestrator)
    assert report.facet_recall == 0.125


def test_latency_is_what_is_told() -> None:
    scenario = own("greenhouse")
    slow = replayed({"provider-a": [0.01, 0.01, 9.0, 0.01, 0.01, 0.01], "provider-b": [0.01] * 9})
    report = run(scenario, orchestrator, Surroundings(latency=slow))
    assert [event.told for row in report.per_task for event in row.events] == ["provider-a: latency"]
    assert run(scenario, orchestrator, Surroundings(latency=declared(5.0))).throttle_events == 0


def test_a_latency_that_was_not_recorded_is_no_throttle_event() -> None:
    with pytest.raises(Unrecorded, match="no latency of provider-a is recorded for call 1"):
        run(own("greenhouse"), orchestrator, Surroundings(latency=replayed({})))


def test_the_seed_decides_what_a_degraded_provider_refuses() -> None:
    scenario = own("kiln_degraded")
    told = {
        seed: [[event.told for event in row.events] for row in run(scenario, orchestrator, Surroundings(seed=seed)).per_task]
        for seed in range(4)
    }
    assert told[0] == [[event.told for event in row.events] for row in run(scenario, orchestrator).per_task]
    assert len({str(events) for events in told.values()}) > 1


class Listening:
    """An embedder that keeps what it is asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._embedder = HashEmbedder()

    @property
    def identity(self) -> EmbedderIdentity:
        return self._embedder.identity

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.texts += texts
        return self._embedder.embed(texts)


@pytest.mark.parametrize("name", [*OWN, *BUNDLED])
def test_retrieval_embeds_the_question_and_never_its_label(name: str) -> None:
    scenario = own(name) if name in OWN else packaged_scenario(name)
    listening = Listening()
    answers = asked(scenario, orchestrator(scenario, Surroundings(embedder=listening)))
    assert any("(focus: " in text for answer in answers if isinstance(answer, TaskAnswer) for text in answer.texts)
    assert not [text for text in listening.texts if "(focus: " in text]
    assert {task.question for task in scenario.tasks} <= set(listening.texts)


@pytest.mark.parametrize(("name", "before", "after"), [("clinical_anatomy", 1.0, 0.75), ("ferry_line", 5 / 7, 4 / 7)])
def test_recall_falls_when_the_label_leaks_into_retrieval(name: str, before: float, after: float) -> None:
    scenario = own(name) if name in OWN else packaged_scenario(name)
    report = run(scenario, orchestrator)
    leaking = run(scenario, lambda given, surroundings: leaky(orchestrator(given, surroundings)))
    assert (report.facet_recall, leaking.facet_recall) == (before, after)


def leaky(found: adapter.PoincareOrchestrator) -> adapter.PoincareOrchestrator:
    """The same orchestrator with the defect: a sub-task's search is for its labelled question."""
    memory, label = found.memory, [""]
    search = memory.search

    def labelled(query: str | None = None, **how: object) -> object:
        root = how.get("root")
        if isinstance(root, str) and memory.level(root) == 1:
            record = memory.get(root)
            label[0] = f" (focus: {record.meta.get('domain') or record.text.split(':')[0]})"
        elif root is None and how.get("touch") is False:
            label[0] = ""
        return search(f"{query}{label[0]}", **how)  # type: ignore[arg-type]  # passed on as it came

    memory.search = labelled  # type: ignore[assignment]  # the defect is planted in this one memory
    return found


def test_the_embedder_can_be_swapped() -> None:
    scenario = own("mountain_huts")
    default = run(scenario, orchestrator)
    meaningless = run(scenario, orchestrator, Surroundings(embedder=HashEmbedder()))
    assert default != meaningless


def test_packaged_scenarios_are_known_by_name_version_and_content() -> None:
    assert packaged_names() == sorted(BUNDLED)
    assert versions() == {"poincare-orchestra": "0.1.0", "poincare-memory": "0.1.4"}
    assert len({packaged_digest(name) for name in BUNDLED}) == 3
    with pytest.raises(UsageError, match="expected a scenario file, or one of clinical_anatomy, sprint_coaching, support_kb"):
        packaged_scenario("suport_kb")


def test_the_orchestrator_never_sees_what_is_expected() -> None:
    scenario = own("greenhouse")
    blind = scenario.model_copy(
        update={"tasks": tuple(t.model_copy(update={"expected_facets": ("x",)}) for t in scenario.tasks)}
    )
    assert asked(scenario, orchestrator(scenario, Surroundings())) == asked(blind, orchestrator(blind, Surroundings()))


def test_no_private_name_of_the_package_is_used() -> None:
    tree = ast.parse(Path(adapter.__file__).read_text(encoding="utf-8"))
    imported = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]
    of_self = {
        "_package",
        "_their_scenario",
        "_provider",
        "_their_embedder",
        "_sources",
        "_orchestrator",
        "_providers",
        "_events",
    }
    private = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr.startswith("_")}
    assert not [name for name in imported if name.startswith("_")]
    assert private <= of_self | {"_mock", "_latency"}
    public = set(poincare_orchestra.__all__)
    named = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Call)
        and getattr(node.value.func, "id", "") == "_package"
    }
    assert named
    assert named <= public
    assert replace(Surroundings(), seed=1) != Surroundings()
