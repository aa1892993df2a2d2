"""Measures as ratios of counts: one definition gives the metric, and the same value for many resamples at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING

from assay.metrics.proportions import macro, mean, proportion
from assay.model.score import Measure, Ratio
from assay.model.verdict import Metric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def summed(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The rows' counts added up by name; the order of rows does not matter, not even for fractions."""
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, count in row.items():
            columns.setdefault(name, []).append(count)
    return {name: _total(column) for name, column in columns.items()}


def measured(totals: Mapping[str, float], measures: Mapping[str, Measure]) -> dict[str, Metric]:
    """Every measure's metric from counts summed over cases; what has no rows is undefined. An absent count is 0."""
    found = {}
    for name, measure in measures.items():
        parts = {f"{ratio.numerator}/{ratio.denominator}": _metric(ratio, totals) for ratio in measure.ratios}
        found[name] = next(iter(parts.values())) if len(parts) == 1 else macro(parts, measure.mean_of)
    return found


def _metric(ratio: Ratio, totals: Mapping[str, float]) -> Metric:
    total, n = totals.get(ratio.numerator, 0), int(totals.get(ratio.denominator, 0))
    if ratio.values == "reals":
        return mean(total, totals.get(f"{ratio.numerator}_squared", 0), n, ratio.of)
    return proportion(total, n, ratio.of)


def _total(column: Sequence[float]) -> float:
    return sum(column) if all(isinstance(count, int) for count in column) else fsum(column)


def values(measure: Measure, columns: Sequence[str], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """The measure's value for each row of totals.

    Args:
        measure: the definition.
        columns: the names of the counts.
        totals: float64, shape (resamples, counts): counts summed over the cases of each resample.

    Returns:
        float64, shape (resamples,); NaN where a resample has no rows to average over. Ratios without rows leave a mean.
    """
    import numpy as np

    if not measure.ratios:
        return np.full(len(totals), np.nan)
    place = {name: i for i, name in enumerate(columns)}
    zeros = np.zeros(len(totals))
    shares = []
    for ratio in measure.ratios:
        numerator = totals[:, place[ratio.numerator]] if ratio.numerator in place else zeros
        denominator = totals[:, place[ratio.denominator]] if ratio.denominator in place else zeros
        shares.append(np.divide(numerator, denominator, out=np.full(len(totals), np.nan), where=denominator > 0))
    stacked = np.vstack(shares)
    defined = ~np.isnan(stacked)
    sums = np.where(defined, stacked, 0.0).sum(axis=0)
    counted = defined.sum(axis=0)
    result: NDArray[np.float64] = np.divide(sums, counted, out=np.full(len(totals), np.nan), where=counted > 0)
    return result


def effective_cases(measure: Measure, columns: Sequence[str], rows: NDArray[np.float64]) -> float:
    """How many cases of equal weight the measure rests on: 1 / sum of squared weights, which sum to 1 (L. Kish, 1965).

    A case's weight is its share of each denominator, averaged over the ratios that have rows. 0 where none has.

    Args:
        measure: the definition.
        columns: the names of the counts.
        rows: float64, shape (cases, counts).
    """
    import numpy as np

    shares = [rows[:, columns.index(r.denominator)] for r in measure.ratios if r.denominator in columns]
    defined = [share / share.sum() for share in shares if share.sum() > 0]
    return float(1 / np.square(np.mean(defined, axis=0)).sum()) if defined else 0.0
