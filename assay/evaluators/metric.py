"""What evaluators return, and what is made of it: one metric, one case, one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

CaseStatus = Literal["pass", "fail", "error"]


@dataclass(frozen=True)
class EvalMetric:
    """One evaluator's result for one output."""

    score: float
    """A finite number; the built-in evaluators stay in [0, 1]."""
    passed: bool
    meta: Mapping[str, object] = field(default_factory=dict)
    """What the evaluator saw. The key `error` says that it could not run; score and passed mean nothing then."""

    @property
    def error(self) -> str | None:
        """Why the evaluator could not run; None when it ran."""
        return str(self.meta["error"]) if "error" in self.meta else None


class Evaluator(Protocol):
    """Judges one output: `evaluator(actual, expected, config)`; it is always called by position."""

    def __call__(self, actual: object, expected: object = ..., config: Mapping[str, object] | None = ...) -> EvalMetric:
        """The metric of one output; `config` holds this evaluator's own options."""
        ...


class CaseResult(NamedTuple):
    """One case: `error` if an evaluator or the target could not run, else `pass` if every metric passed, else `fail`."""

    case_id: str
    status: CaseStatus
    metrics: Mapping[str, EvalMetric]
    """By evaluator."""
    details: Mapping[str, str]
    """Why, by evaluator, for each metric that did not pass; a target that failed is told once, as `target_fn`."""


@dataclass
class EvalSummary:
    """A whole run, cases in the order given."""

    total: int
    passed: int
    failed: int
    errors: int
    pass_rate: float
    """passed / total, errors in the total. 1.0 for no cases: a number for a log, and no verdict."""
    cases: list[CaseResult]
