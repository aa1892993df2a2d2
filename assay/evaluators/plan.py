"""Evaluators with their options and objectives: all that is known before anything runs, and what each case then gets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.errors import Problem
from assay.evaluators.config import check_config, merged
from assay.evaluators.guard import could_not_run, told
from assay.evaluators.metric import CaseResult, CaseStatus, EvalMetric, Evaluator
from assay.evaluators.objectives import Objective, objective_of
from assay.evaluators.refusal import InvalidCall
from assay.evaluators.registry import get_evaluator, list_evaluators

OBJECTIVE = "objective"
_TOLD = ("threshold", "reason", "reasons", "missing")
"""What in a metric's meta says why it did not pass."""


@dataclass(frozen=True)
class Planned:
    """One evaluator as a case applies it."""

    name: str
    evaluator: Evaluator
    options: Mapping[str, object]
    """Without the objective."""
    objective: Objective | None = None

    def metric(self, actual: object, expected: object) -> EvalMetric:
        """The evaluator's metric under the objective. Never raises: an evaluator that does could not run."""
        try:
            metric = _valid(self.evaluator(actual, expected, self.options))
        except Exception as fault:  # noqa: BLE001  # the one place where an evaluator's crash becomes its metric
            metric = could_not_run(told(fault))
        return metric if self.objective is None else self.objective.applied(metric)


def chosen(names: Sequence[str]) -> dict[str, Evaluator]:
    """The named evaluators, in order. Raises InvalidCall for no name, a name given twice and one that is unknown."""
    if isinstance(names, str):
        raise InvalidCall(Problem("evaluators", "is one text", names, "a list of names", f"Write [{names!r}]."))
    if not names:
        raise InvalidCall(
            Problem("evaluators", "is empty, and a case without an evaluator proves nothing", expected="at least one")
        )
    twice = sorted({str(name) for name in names if list(names).count(name) > 1})
    if twice:
        raise InvalidCall(Problem("evaluators", "names must be unique", twice[0], "each name once"))
    return {name: get_evaluator(name) for name in names}


def planned(
    evaluators: Mapping[str, Evaluator], config: object = None, over: object = None, where: str = "config"
) -> tuple[Planned, ...]:
    """Each evaluator with its options: those of `over`, a case's, on those of `config`, the call's.

    Raises InvalidCall, a ValueError, for a config that is no mapping, names no evaluator or holds an invalid objective.
    Objectives of evaluators that are not in use are checked too.
    """
    known = sorted({*list_evaluators(), *evaluators})
    check_config(config, known, "config")
    check_config(over, known, where)
    options = _merged_options(config, over)
    objectives = {name: objective_of(found.get(OBJECTIVE), f"{where}.{name}.{OBJECTIVE}") for name, found in options.items()}
    return tuple(
        Planned(name, evaluator, _without_objective(options.get(name, {})), objectives.get(name))
        for name, evaluator in evaluators.items()
    )


def case_result(case_id: str, expected: object, actual: object, plan: Sequence[Planned]) -> CaseResult:
    """What all planned evaluators say of one output. Never raises."""
    metrics = {one.name: one.metric(actual, expected) for one in plan}
    details = {name: _why(metric) for name, metric in metrics.items() if metric.error is not None or not metric.passed}
    return CaseResult(case_id, _status(metrics), metrics, details)


def unanswered(case_id: str, reason: str, plan: Sequence[Planned]) -> CaseResult:
    """A case without an output: no evaluator could run."""
    return CaseResult(
        case_id, "error", {one.name: could_not_run(f"target_fn: {reason}") for one in plan}, {"target_fn": reason}
    )


def _valid(metric: object) -> EvalMetric:
    if not isinstance(metric, EvalMetric):
        return could_not_run(f"the evaluator returned {type(metric).__name__}, no EvalMetric")
    if metric.error is None and not (isinstance(metric.passed, bool) and math.isfinite(metric.score)):
        return could_not_run(f"the evaluator returned score {metric.score!r} and passed {metric.passed!r}")
    return metric


def _status(metrics: Mapping[str, EvalMetric]) -> CaseStatus:
    if any(metric.error is not None for metric in metrics.values()):
        return "error"
    return "pass" if all(metric.passed for metric in metrics.values()) else "fail"


def _why(metric: EvalMetric) -> str:
    if metric.error is not None:
        return metric.error
    keys = [key for key in (*_TOLD, OBJECTIVE) if metric.meta.get(key) is not None]
    told_of = [key for key in keys if key != "threshold" or OBJECTIVE not in keys]  # an objective takes the threshold's place
    return "; ".join([f"score is {metric.score!r}", *(f"{key}: {metric.meta[key]}" for key in told_of)])


def _merged_options(config: object, over: object) -> dict[str, Mapping[str, object]]:
    below, above = (dict(part) if isinstance(part, Mapping) else {} for part in (config, over))
    return {name: found if isinstance(found, Mapping) else {} for name, found in merged(below, above).items()}


def _without_objective(options: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in options.items() if name != OBJECTIVE}
