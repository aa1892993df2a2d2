"""One scenario through one orchestrator: the report by hand, in the system's words, and back from its JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import Problem, Unrecorded, UsageError
from assay.providers.facets.evaluation import EvalReport, asked, report_on, run
from assay.providers.facets.port import Surroundings
from assay.suites.facets.answers import Event, TaskAnswer
from assay.suites.facets.scenario import Scenario
from tests.unit.suites.facets.facet_builders import scenario, task

EVENT = Event(provider="a", reasons=("error: RuntimeError",))
THREE = scenario(
    task("How much?", "40 litres", "W-17"),
    task("And the church?", "twelve turns"),
    {"question": "And W-18?", "forbidden_facets": ["out of order"]},
)
ANSWERS = [
    TaskAnswer(answer="w-17 it is", responses=("something else",), weighted_score=0.5, constraints_met=True, subtasks=2),
    TaskAnswer(
        answer="?", responses=("Twelve turns",), weighted_score=0.75, constraints_met=False, events=(EVENT,), subtasks=1
    ),
    TaskAnswer(answer="it is out of order", weighted_score=0.25, constraints_met=True, subtasks=3),
]


def scripted(*outcomes: TaskAnswer | Exception) -> type:
    class Scripted:
        def __init__(self, scenario: Scenario, surroundings: Surroundings) -> None:
            self.left, self.questions = list(outcomes), list[str]()

        def ask(self, question: str) -> TaskAnswer:
            outcome = self.left.pop(0)
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

    return Scripted


def test_the_report_by_hand() -> None:
    # recall (1/2 + 1/1) / 2 = 0.75 over the two tasks with facets; J (0.5 + 0.75 + 0.25) / 3; constraints 2 of 3
    report = run(THREE, scripted(*ANSWERS))
    assert (report.facet_recall, report.mean_weighted_score, report.constraints_met_rate) == (0.75, 0.5, 2 / 3)
    assert (report.scenario, report.tasks, report.throttle_events) == ("works", 3, 1)
    assert [row.facet_recall for row in report.per_task] == [0.5, 1.0, None]
    assert [row.missing for row in report.per_task] == [("40 litres",), (), ()]
    assert report.per_task[2].forbidden == ("out of order",)


def test_the_lines_are_those_of_the_systems_own_command_with_events_below() -> None:
    assert run(THREE, scripted(*ANSWERS)).lines() == [
        "works: 3 tasks, facet recall 0.75, mean J 0.500, constraints met 67%, throttle events 1",
        "  recall=0.50 J=0.500 subtasks=2 missing=['40 litres']  How much?",
        "  recall=1.00 J=0.750 subtasks=1 missing=[]  And the church?",
        "    !! throttling on a: error: RuntimeError",
        "  recall=- J=0.250 subtasks=3 missing=[]  And W-18?",
        "    forbidden facets found: ['out of order']",
    ]


def test_every_task_goes_to_the_same_orchestrator_in_order_also_after_a_crash() -> None:
    built = []

    class Listening:
        def __init__(self) -> None:
            self.questions: list[str] = []

        def ask(self, question: str) -> TaskAnswer:
            self.questions.append(question)
            if len(self.questions) == 1:
                raise RuntimeError("no")
            return TaskAnswer(answer="Twelve turns")

    def factory(given: Scenario, surroundings: Surroundings) -> Listening:
        built.append(Listening())
        return built[-1]

    report = run(THREE, factory)
    assert [one.questions for one in built] == [["How much?", "And the church?", "And W-18?"]]
    assert [row.error for row in report.per_task] == ["RuntimeError: no", None, None]


def test_without_an_answer_there_is_no_figure_but_the_reason() -> None:
    report = run(THREE, scripted(ANSWERS[0], RuntimeError("no"), ANSWERS[2]))
    assert report.lines() == [
        "works: 3 tasks, facet recall -, mean J -, constraints met -, throttle events -; undefined: no answer to 1 of 3 tasks",
        "  recall=0.50 J=0.500 subtasks=2 missing=['40 litres']  How much?",
        "  recall=- J=- subtasks=- missing=-  And the church?",
        "    no answer: RuntimeError: no",
        "  recall=- J=0.250 subtasks=3 missing=[]  And W-18?",
        "    forbidden facets found: ['out of order']",
    ]
    value = json.loads(report.to_json())
    assert {key: value[key] for key in list(value)[2:] if key != "per_task"} == {
        "facet_recall": None,
        "mean_weighted_score": None,
        "constraints_met_rate": None,
        "throttle_events": None,
        "undefined": "no answer to 1 of 3 tasks",
    }
    assert value["per_task"][1] == {
        "question": "And the church?",
        "facet_recall": None,
        "missing": None,
        "J": None,
        "subtasks": None,
        "error": "RuntimeError: no",
    }
    assert report.unanswered == ["no answer to task 2, 'And the church?': RuntimeError: no"]


def test_what_is_no_answer_is_the_failure_of_its_task() -> None:
    class Talking:
        def ask(self, question: str) -> str:
            return question

    report = run(THREE, lambda scenario, surroundings: Talking())  # type: ignore[arg-type, return-value]  # the fault
    assert {row.error for row in report.per_task} == {"TypeError: the answer is a str, no TaskAnswer"}


@pytest.mark.parametrize("error", [UsageError(Problem("x", "is wrong")), Unrecorded("nothing")])
def test_what_no_task_can_mend_is_raised(error: Exception) -> None:
    with pytest.raises(type(error)):
        asked(THREE, scripted(error)(THREE, Surroundings()))


def test_one_outcome_per_task_is_needed() -> None:
    with pytest.raises(ValueError, match="shorter"):
        report_on(THREE, ANSWERS[:1])


def test_json_has_the_systems_keys_and_more_only_where_there_is_more() -> None:
    value = json.loads(run(THREE, scripted(*ANSWERS)).to_json())
    own = ["question", "facet_recall", "missing", "J", "subtasks"]
    assert list(value) == [
        "scenario",
        "tasks",
        "facet_recall",
        "mean_weighted_score",
        "constraints_met_rate",
        "throttle_events",
        "per_task",
    ]
    assert [list(row) for row in value["per_task"]] == [own, [*own, "events"], [*own, "forbidden"]]


numbers = st.none() | st.floats(0, 1)
answers = st.builds(
    TaskAnswer,
    answer=st.text(),
    responses=st.lists(st.text(), max_size=2).map(tuple),
    weighted_score=numbers,
    constraints_met=st.none() | st.booleans(),
    events=st.lists(st.just(EVENT), max_size=2).map(tuple),
    subtasks=st.none() | st.integers(0, 4),
)


@given(st.lists(answers | st.just(RuntimeError("x")), min_size=3, max_size=3), st.sampled_from([None, 2]))
def test_json_goes_round(outcomes: list[TaskAnswer | Exception], indent: int | None) -> None:
    report = report_on(THREE, outcomes)
    assert EvalReport.model_validate_json(report.to_json(indent)) == report
    assert report.summary().startswith("works: 3 tasks, facet recall ")
