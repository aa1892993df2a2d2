"""One scenario through one orchestrator: every task in order, and the report in the system's own words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import Field

from assay.errors import Problem, Unrecorded, UsageError, UserError
from assay.model.base import Frozen
from assay.model.run import plural
from assay.providers.facets.port import Orchestrator, OrchestratorFactory, Surroundings
from assay.suites.facets.answers import Event, TaskAnswer
from assay.suites.facets.finding import found_among
from assay.suites.facets.scenario import Scenario, Task

OPTIONAL = ("forbidden", "events", "error")
"""What a task's row holds only where there is some."""
Outcome = TaskAnswer | Exception


class TaskReport(Frozen):
    """One task."""

    question: str
    facet_recall: float | None
    """Null where the question has no answer, so that no facet is expected, and where the system gave none."""
    missing: tuple[str, ...] | None
    """The expected facets that were not found; null where the system gave no answer."""
    J: float | None
    """Null where the system tells none."""
    subtasks: int | None
    forbidden: tuple[str, ...] = ()
    """Facets that must be absent and were found."""
    events: tuple[Event, ...] = ()
    error: str | None = None
    """Why there is no answer."""


class EvalReport(Frozen):
    """A scenario's evaluation. What nothing tells is null, never 0; so is every figure where a task has no answer."""

    scenario: str
    tasks: int = Field(ge=0)
    facet_recall: float | None
    """The mean over tasks with expected facets."""
    mean_weighted_score: float | None
    constraints_met_rate: float | None
    throttle_events: int | None = Field(ge=0)
    """Throttle and error events over the whole evaluation."""
    per_task: tuple[TaskReport, ...]
    undefined: str | None = None
    """Why the figures are null: how many tasks have no answer."""

    @property
    def unanswered(self) -> list[str]:
        """One line per task without an answer: which it is, and why."""
        numbered = enumerate(self.per_task, start=1)
        return [f"no answer to task {number}, {task.question!r}: {task.error}" for number, task in numbered if task.error]

    def summary(self) -> str:
        """One line, as the system's own command prints it."""
        return (
            f"{self.scenario}: {self.tasks} tasks, facet recall {_number(self.facet_recall, '.2f')}, "
            f"mean J {_number(self.mean_weighted_score, '.3f')}, constraints met {_number(self.constraints_met_rate, '.0%')}, "
            f"throttle events {_number(self.throttle_events, 'd')}"
        ) + (f"; undefined: {self.undefined}" if self.undefined else "")

    def lines(self) -> list[str]:
        """The summary and a line per task, as the system's own command prints them; events and errors below their task."""
        return [self.summary(), *(line for task in self.per_task for line in _lines(task))]

    def to_json(self, indent: int | None = 2) -> str:
        """The report as JSON, with the keys of the system's own; `model_validate_json` reads it back."""
        value = self.model_dump(mode="json", exclude=None if self.undefined else {"undefined"})
        rows: list[dict[str, Any]] = value["per_task"]
        value["per_task"] = [{key: held for key, held in row.items() if key not in OPTIONAL or held} for row in rows]
        return json.dumps(value, indent=indent, ensure_ascii=False)


def run(scenario: Scenario, factory: OrchestratorFactory, surroundings: Surroundings | None = None) -> EvalReport:
    """The report on a fresh orchestrator. A task that it raises on has failed; the next goes to the same orchestrator."""
    return report_on(scenario, asked(scenario, factory(scenario, surroundings or Surroundings())))


def asked(scenario: Scenario, orchestrator: Orchestrator) -> list[Outcome]:
    """Each task's answer, or what was raised instead, in order on one orchestrator. Raises UserError and Unrecorded."""
    if not callable(getattr(orchestrator, "ask", None)):
        expected = "an object whose `ask(question)` gives a TaskAnswer"
        raise UsageError(Problem("orchestrator", "has no method `ask`", type(orchestrator).__name__, expected))
    return [_outcome(orchestrator, task.question) for task in scenario.tasks]


def report_on(scenario: Scenario, outcomes: Sequence[Outcome]) -> EvalReport:
    """What the outcomes come to. Raises ValueError where there is not one for each task."""
    rows = [_row(task, outcome) for task, outcome in zip(scenario.tasks, outcomes, strict=True)]
    answers = [outcome for outcome in outcomes if isinstance(outcome, TaskAnswer)]
    if len(answers) < len(rows):
        return _without_figures(scenario, rows)
    return EvalReport(
        scenario=scenario.name,
        tasks=len(rows),
        facet_recall=_mean(row.facet_recall for row in rows),
        mean_weighted_score=_mean(row.J for row in rows),
        constraints_met_rate=_mean(answer.constraints_met for answer in answers),
        throttle_events=sum(len(row.events) for row in rows),
        per_task=tuple(rows),
    )


def _without_figures(scenario: Scenario, rows: Sequence[TaskReport]) -> EvalReport:
    """The report where a task has no answer: a mean over the others alone would hide it."""
    unanswered = sum(row.error is not None for row in rows)
    return EvalReport(
        scenario=scenario.name,
        tasks=len(rows),
        facet_recall=None,
        mean_weighted_score=None,
        constraints_met_rate=None,
        throttle_events=None,
        per_task=tuple(rows),
        undefined=f"no answer to {unanswered} of {plural(len(rows), 'task')}",
    )


def _outcome(orchestrator: Orchestrator, question: str) -> Outcome:
    try:
        answer: object = orchestrator.ask(question)
    except (UserError, Unrecorded):
        raise
    except Exception as crash:  # noqa: BLE001  # what a task raises is that task's failure
        return crash
    return answer if isinstance(answer, TaskAnswer) else TypeError(f"the answer is a {type(answer).__name__}, no TaskAnswer")


def _row(task: Task, outcome: Outcome) -> TaskReport:
    if not isinstance(outcome, TaskAnswer):
        told = f"{type(outcome).__name__}: {outcome}"
        return TaskReport(question=task.question, facet_recall=None, missing=None, J=None, subtasks=None, error=told)
    found = found_among(task.expected_facets, outcome.texts)
    return TaskReport(
        question=task.question,
        facet_recall=len(found) / len(task.expected_facets) if task.expected_facets else None,
        missing=tuple(facet for facet in task.expected_facets if facet not in found),
        J=outcome.weighted_score,
        subtasks=outcome.subtasks,
        forbidden=tuple(found_among(task.forbidden_facets, outcome.texts)),
        events=outcome.events,
    )


def _lines(task: TaskReport) -> Iterable[str]:
    yield (
        f"  recall={_number(task.facet_recall, '.2f')} J={_number(task.J, '.3f')} subtasks={_number(task.subtasks, 'd')} "
        f"missing={'-' if task.missing is None else list(task.missing)}  {task.question}"
    )
    if task.forbidden:
        yield f"    forbidden facets found: {list(task.forbidden)}"
    yield from (f"    !! throttling on {event.provider}: {', '.join(event.reasons)}" for event in task.events)
    if task.error:
        yield f"    no answer: {task.error}"


def _mean(values: Iterable[float | None]) -> float | None:
    told = [float(value) for value in values if value is not None]
    return sum(told) / len(told) if told else None


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
