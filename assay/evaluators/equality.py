"""exact_match: the output is what was expected."""

from __future__ import annotations

from collections.abc import Mapping

from assay.evaluators.guard import CannotRun, guarded
from assay.evaluators.metric import EvalMetric
from assay.evaluators.options import check_known, pair

OPTIONS = ("normaliser",)


@guarded
def exact_match(actual: object, expected: object, options: Mapping[str, object], /) -> EvalMetric:
    """Passes when `actual == expected`, as Python compares them (1 == 1.0). Score 1.0 or 0.0.

    With `normaliser` both must be text and their normal forms are compared. None on either side cannot be judged: it is a
    missing output or a missing expectation.
    """
    check_known(options, OPTIONS)
    for where, value in (("actual", actual), ("expected", expected)):
        if value is None:
            raise CannotRun(where, "is None, so there is nothing to compare")
    if "normaliser" in options:
        actual, expected = pair(actual, expected, options)
    is_equal = bool(actual == expected)
    return EvalMetric(float(is_equal), is_equal)
