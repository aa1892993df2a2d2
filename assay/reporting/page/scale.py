"""Where a value stands in a drawing, and what is drawn of a metric: plain numbers for the templates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.model.score import Direction
from assay.model.verdict import Metric
from assay.reporting.along import along
from assay.reporting.figures import interval_text, value_text

LEFT, WIDTH = 10.0, 300.0
"""Where the axis of a drawing begins, and how long it is; in units of its view box."""


@dataclass(frozen=True)
class Scale:
    """From where to where an axis reaches."""

    low: float
    high: float

    @property
    def is_share(self) -> bool:
        """Whether it is the axis of shares, 0 to 1."""
        return (self.low, self.high) == (0.0, 1.0)

    def share(self, value: float) -> float:
        """How far along the axis a value is, 0 to 1."""
        return along(value, self.low, self.high)

    def x(self, value: float) -> float:
        """The horizontal place of a value, to a tenth."""
        return round(LEFT + WIDTH * self.share(value), 1)


@dataclass(frozen=True)
class Span:
    """A part of an axis."""

    x: float
    width: float


@dataclass(frozen=True)
class Plot:
    """One metric on its axis."""

    label: str
    """The same in words."""
    now: float
    interval: Span | None
    baseline: float | None
    line: float | None
    fires: Span | None
    """Where the gate fires."""
    ends: tuple[str, str]


def scale_of(ends: Iterable[float | None]) -> Scale:
    """0 to 1, and as far beyond on either side as the ends lie."""
    found = [end for end in ends if end is not None]
    return Scale(min(0.0, *found), max(1.0, *found)) if found else Scale(0.0, 1.0)


def ends_of(metric: Metric) -> tuple[float | None, ...]:
    """The numbers of a metric that an axis must hold."""
    return metric.value, metric.low, metric.high


def plot_of(
    metric: Metric,
    *,
    baseline: float | None = None,
    line: float | None = None,
    direction: Direction = "higher",
    scale: Scale | None = None,
) -> Plot | None:
    """The drawing of a metric; None where it is undefined. A line that no share can reach is told in words and not drawn.

    Args:
        metric: what this run came to.
        baseline: what it is compared with.
        line: the worst value that is kept.
        direction: on which side of the line the good values are.
        scale: the axis, where several drawings share one; else as wide as this metric needs.
    """
    if metric.value is None:
        return None
    own = scale_of((*ends_of(metric), baseline))
    reached = line if line is None or not own.is_share or 0 <= line <= 1 else None
    axis = scale or scale_of((*ends_of(metric), baseline, reached))
    is_spread = metric.low is not None and metric.high is not None
    return Plot(
        label=_label(metric, baseline, line, is_reached=reached is not None),
        now=axis.x(metric.value),
        interval=_span(axis.x(metric.low or 0.0), axis.x(metric.high or 0.0)) if is_spread else None,
        baseline=None if baseline is None else axis.x(baseline),
        line=None if reached is None else axis.x(reached),
        fires=None if reached is None else _fires(axis.x(reached), direction),
        ends=(f"{axis.low:.4g}", f"{axis.high:.4g}"),
    )


def _fires(line: float, direction: Direction) -> Span:
    return _span(LEFT, line) if direction == "higher" else _span(line, LEFT + WIDTH)


def _span(start: float, end: float) -> Span:
    return Span(start, round(end - start, 1))


def _label(metric: Metric, baseline: float | None, line: float | None, *, is_reached: bool) -> str:
    interval = interval_text(metric)
    told = [f"value {value_text(metric)}", f"95 % interval {interval}" if interval else "no interval"]
    told += [] if baseline is None else [f"baseline {baseline:.4f}"]
    told += [] if line is None else [f"gate line {line:.4f}{'' if is_reached else ', out of reach'}"]
    return ", ".join(told)
