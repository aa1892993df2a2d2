"""llm_as_judge: the verdict of a function that was passed in."""

from __future__ import annotations

from collections.abc import Mapping

from assay.evaluators.guard import CannotRun, guarded
from assay.evaluators.metric import EvalMetric
from assay.evaluators.options import check_known, verdict

OPTIONS = ("judge_fn",)


@guarded
def llm_as_judge(actual: object, expected: object, options: Mapping[str, object], /) -> EvalMetric:
    """Passes when `judge_fn(actual, expected)` says so. Score 1.0 or 0.0.

    `judge_fn` is required and returns True or False (or 1 or 0); a text such as "no" is truthy and is refused, as is a
    coroutine. No model is imported here. `expected` may be None: a judge can do without a reference. A judge that raises
    could not run.
    """
    check_known(options, OPTIONS)
    judge = options.get("judge_fn")
    if not callable(judge):
        what = "is missing" if judge is None else "cannot be called"
        raise CannotRun("judge_fn", what, judge, "a function of (actual, expected) that returns True or False")
    if actual is None:
        raise CannotRun("actual", "is None, so there is nothing to judge")
    is_good = verdict(judge(actual, expected), "judge_fn")
    return EvalMetric(float(is_good), is_good)
