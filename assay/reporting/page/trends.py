"""Trends as small drawings: by provider and gated metric, with intervals, and no line where numbers may not be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.model.history import History
from assay.model.verdict import Metric
from assay.reporting.case_view import cut
from assay.reporting.figures import interval_text, value_text
from assay.reporting.page.scale import LEFT, WIDTH, Scale, ends_of
from assay.reporting.trend import Point, day_of, metrics_in, trend_of

TOP, HEIGHT = 8.0, 48.0
"""Where the vertical axis begins, and how long it is; in units of the view box."""
SHOWN_POINTS, SHOWN_TRENDS, SHOWN_DOTS = 30, 60, 1_200
"""How many runs of a trend, how many trends, and how many runs of all trends together are drawn at most."""
SHOWN_NOTES, NOTE = 5, 200
"""How many notes of a trend are shown, the newest, and how much of each."""
_HAIR = 0.005
"""How much an axis without extent is widened to each side."""


@dataclass(frozen=True)
class Dot:
    """One run."""

    x: float
    y: float | None
    """None where the metric has no value."""
    low: float | None
    high: float | None
    in_trend: bool
    label: str


@dataclass(frozen=True)
class Trend:
    """One metric of one provider over its runs, oldest first."""

    provider: str
    metric: str
    dots: tuple[Dot, ...]
    lines: tuple[str, ...]
    """The points of each unbroken line."""
    marks: tuple[float, ...]
    """Where a contract changes."""
    ends: tuple[str, str]
    days: tuple[str, str]
    latest: str
    change: str
    notes: tuple[str, ...]
    """The newest ones, oldest first."""
    more_notes: int
    older: int
    """How many runs are not drawn."""


@dataclass(frozen=True)
class Trends:
    """All that is shown of a history."""

    shown: tuple[Trend, ...]
    more: int
    """How many trends are not drawn."""
    unreadable: int
    repeated: int
    before: int
    """How many older lines of the history were not looked at; above 0 no count of older runs or of trends is complete."""
    suite: str
    """Whose history it is; empty where it has no line."""


def trends_told(history: History) -> Trends:
    """The trends of every provider and each metric that one of its lines has."""
    found = []
    for name in sorted({line.provider for line in history.lines}):
        lines = [line for line in history.lines if line.provider == name]
        found += [(name, metric, trend_of(lines, metric)) for metric in metrics_in(lines)]
    wanted = found[:SHOWN_TRENDS]
    last = min(SHOWN_POINTS, SHOWN_DOTS // max(len(wanted), 1))
    shown = tuple(_trend(*each, last) for each in wanted)
    return Trends(
        shown=shown,
        more=len(found) - len(shown),
        unreadable=history.unreadable,
        repeated=history.repeated,
        before=history.before,
        suite=history.lines[0].suite if history.lines else "",
    )


def _trend(provider: str, metric: str, every: Sequence[Point], last: int) -> Trend:
    points = every[-last:]
    notes = [cut(note, NOTE) for note in _notes(points)]
    scale = _scale([end for point in points if point.metric for end in ends_of(point.metric) if end is not None])
    dots = [_dot(point, place, len(points), scale) for place, point in enumerate(points)]
    newest = points[-1].metric
    return Trend(
        provider=provider,
        metric=metric,
        dots=tuple(dots),
        lines=tuple(_lines(points, dots)),
        marks=tuple(round(dot.x - _step(len(points)) / 2, 1) for point, dot in zip(points, dots, strict=True) if point.changed),
        ends=(f"{scale.low:.3g}", f"{scale.high:.3g}"),
        days=(day_of(points[0].line), day_of(points[-1].line)),
        latest="not gated in this run" if newest is None else _value(newest),
        change=_change(points[-1], newest),
        notes=tuple(notes[-SHOWN_NOTES:]),
        more_notes=max(len(notes) - SHOWN_NOTES, 0),
        older=len(every) - len(points),
    )


def _scale(ends: Sequence[float]) -> Scale:
    """From the least to the greatest of all values and interval ends."""
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    return Scale(low, high) if low < high else Scale(low - _HAIR, high + _HAIR)


def _dot(point: Point, place: int, of: int, scale: Scale) -> Dot:
    metric = point.metric
    values = ends_of(metric) if metric else (None, None, None)
    y, low, high = [None if value is None else round(TOP + HEIGHT * (1 - scale.share(value)), 1) for value in values]
    x = round(LEFT + WIDTH / 2 if of == 1 else LEFT + place * _step(of), 1)
    told = "not gated" if metric is None else _value(metric)
    return Dot(x, y, low, high, point.in_trend, f"{day_of(point.line)}: {told}")


def _step(of: int) -> float:
    return WIDTH / max(of - 1, 1)


def _lines(points: Sequence[Point], dots: Sequence[Dot]) -> Iterator[str]:
    """Lines through neighbours in one stretch that have a value; runs that are in no stretch are passed over."""
    run: list[str] = []
    stretch: int | None = None
    for point, dot in zip(points, dots, strict=True):
        if not point.in_trend:
            continue
        if (point.stretch != stretch or dot.y is None) and run:
            yield from _drawn(run)
            run = []
        stretch = point.stretch
        if dot.y is not None:
            run.append(f"{dot.x},{dot.y}")
    yield from _drawn(run)


def _drawn(run: Sequence[str]) -> Iterator[str]:
    if len(run) > 1:
        yield " ".join(run)


def _value(metric: Metric) -> str:
    interval = interval_text(metric)
    return (
        f"undefined: {metric.reason}" if metric.value is None else value_text(metric) + (f" [{interval}]" if interval else "")
    )


def _change(point: Point, metric: Metric | None) -> str:
    if point.rise_pp is None:
        return ""
    if point.rise_pp == 0:
        return "0 against the run before"
    is_share = metric is not None and all(end is None or 0 <= end <= 1 for end in ends_of(metric))
    return (f"{point.rise_pp:+.2f} pp" if is_share else f"{point.rise_pp / 100:+.4f}") + " against the run before"


def _notes(points: Sequence[Point]) -> Iterator[str]:
    for point in points:
        day = day_of(point.line)
        if point.changed:
            yield f"{day}: {'; '.join(point.changed)}: the trend starts again"
        if not point.in_trend:
            yield f"{day}: not in the trend: {', '.join(point.line.deviations)}"
        elif point.metric is None:
            yield f"{day}: not gated in that run"
        elif point.metric.reason is not None:
            yield f"{day}: undefined: {point.metric.reason}"
        if point.moved:
            yield f"{day}: {'; '.join(point.moved)}"
