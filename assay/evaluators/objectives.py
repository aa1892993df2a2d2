"""Objectives: what a score is wanted to be, in place of the evaluator's own verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal

from assay.errors import Problem, nearest
from assay.evaluators.metric import EvalMetric
from assay.evaluators.refusal import InvalidCall

Direction = Literal["maximize", "minimize"]
DIRECTIONS: tuple[Direction, ...] = ("maximize", "minimize")
KEYS = ("direction", "threshold", "expect")


@dataclass(frozen=True)
class Objective:
    """A bound on the score, or what `bool(score)` has to be. A maximum without threshold leaves the evaluator's verdict."""

    direction: Direction = "maximize"
    threshold: float | None = None
    expect: bool | None = None

    @property
    def decides(self) -> bool:
        """Whether it replaces the evaluator's verdict."""
        return self.expect is not None or self.threshold is not None

    def applied(self, metric: EvalMetric) -> EvalMetric:
        """The metric with this objective's verdict; one that carries an error is untouched."""
        if not self.decides or metric.error is not None:
            return metric
        return replace(metric, passed=self._is_met(metric.score), meta={**metric.meta, "objective": str(self)})

    def _is_met(self, score: float) -> bool:
        if self.threshold is None:
            return bool(score) is self.expect
        return score >= self.threshold if self.direction == "maximize" else score <= self.threshold

    def __str__(self) -> str:
        if self.expect is not None:
            return f"expect {self.expect}"
        sign = ">=" if self.direction == "maximize" else "<="
        return self.direction if self.threshold is None else f"{self.direction}, score {sign} {self.threshold!r}"


def objective_of(value: object, where: str) -> Objective | None:
    """The objective that `value` declares; None declares none.

    `{"direction": "maximize" | "minimize", "threshold": number}`, where maximize is the default and minimize needs a
    threshold, or `{"expect": True | False}`. Raises InvalidCall, a ValueError, for anything else.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping) or not value:
        raise InvalidCall(Problem(where, "is no objective", value, f"a mapping with {', '.join(KEYS)}"))
    for key in value:
        if key not in KEYS:
            raise InvalidCall(Problem(where, "unknown key", key, f"one of {', '.join(KEYS)}", nearest(str(key), KEYS)))
    return _expectation(value, where) if "expect" in value else _bound(value, where)


def _expectation(value: Mapping[str, object], where: str) -> Objective:
    expect = value["expect"]
    if len(value) > 1:
        raise InvalidCall(Problem(where, "has expect together with a direction or threshold", dict(value), "one or the other"))
    if not isinstance(expect, bool):
        raise InvalidCall(Problem(f"{where}.expect", "is no boolean", repr(expect), "True or False"))
    return Objective(expect=expect)


def _bound(value: Mapping[str, object], where: str) -> Objective:
    direction = next((known for known in DIRECTIONS if known == value.get("direction", "maximize")), None)
    if direction is None:
        raise InvalidCall(Problem(f"{where}.direction", "is unknown", repr(value["direction"]), " or ".join(DIRECTIONS)))
    if "threshold" in value:
        return Objective(direction, _threshold(value["threshold"], f"{where}.threshold"))
    if direction == "minimize":
        raise InvalidCall(Problem(where, "minimizes without a threshold", expected="a threshold that the score may not exceed"))
    return Objective(direction)


def _threshold(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidCall(Problem(where, "is no number", repr(value), "a finite number"))
    try:
        threshold = float(value)
    except OverflowError:
        threshold = math.inf
    if not math.isfinite(threshold):
        raise InvalidCall(Problem(where, "is not finite", repr(value), "a finite number"))
    return threshold
