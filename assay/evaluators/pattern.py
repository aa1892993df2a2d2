"""regex_match: a pattern occurs in the output."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.evaluators.guard import CannotRun, guarded
from assay.evaluators.metric import EvalMetric
from assay.evaluators.options import check_known, pair


@guarded
def regex_match(actual: object, expected: object, options: Mapping[str, object], /) -> EvalMetric:
    """Passes when `re.search(expected, actual)` finds something, an empty match too. Score 1.0 or 0.0.

    Flags go into the pattern, as `(?i)`. A bad pattern cannot run. There is no time limit: the pattern is the case author's.
    """
    check_known(options, ())
    text, pattern = pair(actual, expected, options)
    try:
        found = re.search(pattern, text)
    except re.error as fault:
        raise CannotRun("expected", f"is no regular expression ({fault})", pattern) from None
    if found is None:
        return EvalMetric(0.0, passed=False)
    return EvalMetric(1.0, passed=True, meta={"span": found.span()})
