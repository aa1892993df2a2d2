"""evaluate_repeated: the same cases several times, to tell what is stable from what is luck."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Literal

from assay.errors import Problem
from assay.evaluators.cases import Given, Target
from assay.evaluators.config import Config
from assay.evaluators.evaluation import prepared, run_case
from assay.evaluators.metric import CaseResult, EvalMetric
from assay.evaluators.refusal import InvalidCall

Stability = Literal["stable_pass", "flaky", "stable_fail", "error"]
RUNS = 10


@dataclass(frozen=True)
class SampleStats:
    """One evaluator on one case, over all runs."""

    n: int
    """Runs, those that could not be judged among them."""
    passes: int
    errors: int
    pass_rate: float
    """passes / n."""
    mean_score: float | None
    """Over the runs without an error; None when there is none."""
    stddev: float | None
    """Of the same runs' scores, as of a whole population."""
    any_passed: bool
    all_passed: bool
    samples: tuple[EvalMetric, ...]
    """In the order of the runs."""


@dataclass(frozen=True)
class RepeatedCaseResult:
    """One case over all runs: `error` if any run was one, else whether it passed in all of them, in some or in none."""

    case_id: str
    verdict: Stability
    stats: Mapping[str, SampleStats]
    """By evaluator."""


@dataclass
class RepeatedSummary:
    """How many cases came out how, cases in the order given."""

    runs: int
    stable_pass: int
    flaky: int
    stable_fail: int
    errors: int
    cases: list[RepeatedCaseResult]

    @property
    def total(self) -> int:
        """How many cases there were."""
        return len(self.cases)


def evaluate_repeated(
    cases: Iterable[Given],
    evaluators: Sequence[str],
    config: Config | None = None,
    target_fn: Target | None = None,
    runs: int = RUNS,
) -> RepeatedSummary:
    """`evaluate` `runs` times, each run with a fresh output and every evaluator anew.

    A run of a case passes when all its evaluators pass. A judge varies on a fixed output too, so cases that carry an `actual`
    may be repeated only with one run: several would look stable without having been sampled.

    Raises:
        InvalidCall: a ValueError, before anything runs: as in `evaluate`, and for fewer runs than 1 or an `actual` with more
            than 1.
    """
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        raise InvalidCall(Problem("runs", "runs must be >= 1", repr(runs), "a whole number of at least 1"))
    plans = prepared(cases, evaluators, config, target_fn)
    fixed = [case.id for case, _ in plans if case.actual is not None]
    if fixed and runs > 1:
        what = "has a static `actual`, so there is nothing to repeat"
        raise InvalidCall([Problem(f"case {name!r}", what, expected="a target_fn, or runs=1") for name in fixed[:20]])
    found = [_repeated(case.id, [run_case(case, plan) for _ in range(runs)]) for case, plan in plans]
    counts = {stability: sum(case.verdict == stability for case in found) for stability in _STABILITIES}
    return RepeatedSummary(runs, counts["stable_pass"], counts["flaky"], counts["stable_fail"], counts["error"], found)


_STABILITIES: tuple[Stability, ...] = ("stable_pass", "flaky", "stable_fail", "error")


def _repeated(case_id: str, results: Sequence[CaseResult]) -> RepeatedCaseResult:
    names = results[0].metrics
    return RepeatedCaseResult(
        case_id, _stability(results), {name: _stats([result.metrics[name] for result in results]) for name in names}
    )


def _stability(results: Sequence[CaseResult]) -> Stability:
    statuses = {result.status for result in results}
    if "error" in statuses:
        return "error"
    if len(statuses) > 1:
        return "flaky"
    return "stable_pass" if "pass" in statuses else "stable_fail"


def _stats(samples: Sequence[EvalMetric]) -> SampleStats:
    scores = [sample.score for sample in samples if sample.error is None]
    passes = sum(sample.passed for sample in samples if sample.error is None)
    return SampleStats(
        n=len(samples),
        passes=passes,
        errors=len(samples) - len(scores),
        pass_rate=passes / len(samples),
        mean_score=fmean(scores) if scores else None,
        stddev=pstdev(scores) if scores else None,
        any_passed=passes > 0,
        all_passed=passes == len(samples),
        samples=tuple(samples),
    )
