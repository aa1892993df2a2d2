"""A value with its interval as a line of text on a shared axis: `  ├──●──┤  `."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.model.verdict import Metric
from assay.reporting.along import along

WIDTH = 31
"""Columns of a plot."""


@dataclass(frozen=True)
class Axis:
    """From where to where a plot reaches."""

    low: float
    high: float

    @property
    def is_share(self) -> bool:
        """Whether the axis is that of shares, 0 to 1."""
        return (self.low, self.high) == (0.0, 1.0)

    @property
    def title(self) -> str:
        """Its two ends, as wide as a plot."""
        low, high = f"{self.low:.4g}", f"{self.high:.4g}"
        return f"{low}{high:>{WIDTH - len(low)}}"

    def column(self, value: float) -> int:
        """The 0-based column of a value; one beyond an end stands at that end."""
        return round(along(value, self.low, self.high) * (WIDTH - 1))


def axis_of(metrics: Iterable[Metric]) -> Axis:
    """0 to 1 where all values and intervals lie there, else from the least to the greatest of them."""
    found = [end for metric in metrics for end in (metric.value, metric.low, metric.high) if end is not None]
    if all(0 <= end <= 1 for end in found):
        return Axis(0.0, 1.0)
    return Axis(min(found), max(found))


def plotted(metric: Metric, axis: Axis) -> str:
    """The value and its interval; blank where the metric is undefined, the value alone where it has no interval."""
    cells = [" "] * WIDTH
    if metric.value is None:
        return "".join(cells)
    if metric.low is not None and metric.high is not None:
        first, last = axis.column(metric.low), axis.column(metric.high)
        cells[first : last + 1] = "─" * (last + 1 - first)
        cells[first], cells[last] = "├", "┤"
    cells[axis.column(metric.value)] = "●"
    return "".join(cells)
