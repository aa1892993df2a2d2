"""Proportions, means and macro means as metrics that show what they average over; of nothing they are undefined."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

from assay.metrics.intervals import macro_mean, student_95, wilson
from assay.model.verdict import Metric

DECIMALS = 12
"""Values are rounded here, so that equal fractions are equal numbers whatever the order of summation."""

NOISE = 1e-9
"""How far outside its range a sum of fractions may lie and still be a proportion."""


def proportion(numerator: float, denominator: int, of: str) -> Metric:
    """Numerator / denominator in [0, 1] with a Wilson interval; undefined when there are no rows `of` that kind.

    The numerator may also sum values in [0, 1], a recall per query for instance. Such values scatter at most as much as a
    proportion of the same mean, so the interval is then the widest that fits.
    """
    if denominator == 0:
        return undefined(f"no {of}")
    total = min(max(numerator, 0.0), denominator)
    if abs(total - numerator) > NOISE:
        total = numerator
    low, high = wilson(total, denominator)
    return Metric(
        value=_round(numerator / denominator),
        n=denominator,
        numerator=numerator,
        denominator=denominator,
        low=_round(low),
        high=_round(high),
    )


def mean(total: float, squares: float, n: int, of: str) -> Metric:
    """The mean of n numbers from their sum and sum of squares, with Student's t interval; undefined when n is 0.

    One number alone has no interval.
    """
    if n == 0:
        return undefined(f"no {of}")
    value = total / n
    half = None
    if n > 1:
        spread = max(squares - total * value, 0.0) / (n - 1)
        half = student_95(n - 1) * sqrt(spread / n)
    return Metric(
        value=_round(value),
        n=n,
        numerator=_round(total),
        denominator=n,
        low=None if half is None else _round(value - half),
        high=None if half is None else _round(value + half),
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
