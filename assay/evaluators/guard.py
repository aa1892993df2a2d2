"""An evaluator that cannot run says so in its metric, and never raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from assay.errors import Problem
from assay.evaluators.metric import EvalMetric, Evaluator

NO_OPTIONS: Mapping[str, object] = MappingProxyType({})


class CannotRun(Exception):
    """What an evaluator was given does not let it judge."""

    def __init__(self, where: str, what: str, got: object = None, expected: str = "", remedy: str = "") -> None:
        super().__init__(str(Problem(where, what, got, expected, remedy)))


def could_not_run(reason: str) -> EvalMetric:
    """The metric of an evaluator that did not judge: score 0.0, not passed, and the reason as `error`."""
    return EvalMetric(0.0, passed=False, meta={"error": reason})


def told(fault: Exception) -> str:
    """An exception as one line: its type and its text."""
    said = str(fault)
    return f"{type(fault).__name__}: {said}" if said else type(fault).__name__


def guarded(judge: Callable[[object, object, Mapping[str, object]], EvalMetric]) -> Evaluator:
    """The evaluator with every exception turned into a metric that carries it."""

    def evaluator(actual: object, expected: object = None, config: Mapping[str, object] | None = None) -> EvalMetric:
        try:
            return judge(actual, expected, NO_OPTIONS if config is None else config)
        except CannotRun as fault:
            return could_not_run(str(fault))
        except Exception as fault:  # noqa: BLE001  # whatever an odd value raises, its evaluator could not run
            return could_not_run(told(fault))

    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(evaluator, name, getattr(judge, name))
    return evaluator
