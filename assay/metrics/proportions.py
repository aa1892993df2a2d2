"""Proportions and macro means as metrics that show what they average over; of nothing they are undefined."""

from __future__ import annotations

from collections.abc import Mapping

from assay.metrics.intervals import macro_mean, wilson
from assay.model.verdict import Metric

DECIMALS = 12
"""Values are rounded here, so that equal fractions are equal numbers whatever the order of summation."""


def proportion(numerator: int, denominator: int, of: str) -> Metric:
    """Numerator / denominator in [0, 1] with a Wilson interval; undefined when there are no rows `of` that kind."""
    if denominator == 0:
        return undefined(f"no {of}")
    low, high = wilson(numerator, denominator)
    return Metric(
        value=_round(numerator / denominator),
        n=denominator,
        numerator=numerator,
        denominator=denominator,
        low=_round(low),
        high=_round(high),
    )


def macro(parts: Mapping[str, Metric], of: str) -> Metric:
    """The unweighted mean of the defined parts; n is how many there are. Undefined when none is.

    A part without rows is left out, never counted as 0 or 1; the gate compares n with the baseline's.
    """
    defined = [part for _, part in sorted(parts.items()) if part.value is not None]
    if not defined:
        return undefined(f"no {of} with rows")
    low, high = macro_mean([(part.numerator or 0.0, part.n) for part in defined])
    total = sum((part.numerator or 0.0) / part.n for part in defined)
    return Metric(
        value=_round(total / len(defined)),
        n=len(defined),
        numerator=_round(total),
        denominator=len(defined),
        low=_round(low),
        high=_round(high),
    )


def undefined(reason: str) -> Metric:
    """A metric without a value, and why."""
    return Metric(value=None, n=0, numerator=None, denominator=None, low=None, high=None, reason=reason)


def _round(value: float) -> float:
    return round(value, DECIMALS)
