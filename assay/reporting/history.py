"""`assay history`: the trend of one metric, per provider, as text and as JSON. Pure; it neither reads nor prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from pydantic import JsonValue

from assay.model.history import History
from assay.model.score import Direction
from assay.reporting.figures import interval_text, value_text
from assay.reporting.interval_plot import Axis, axis_of, plotted
from assay.reporting.terminal import one_line
from assay.reporting.trend import Point, day_of, trend_of

COMMIT_DIGITS = 7
NO_TREND = "not in the trend"
_RIGHT = frozenset({"n", "value", "change"})

Trends = Mapping[str, Sequence[Point]]
"""By provider, oldest first."""


def trends_of(history: History, metric: str) -> dict[str, list[Point]]:
    """The trend of every provider that has a line, by name."""
    names = sorted({line.provider for line in history.lines})
    return {name: trend_of((line for line in history.lines if line.provider == name), metric) for name in names}


def history_text(
    suite: str, metric: str, history: History, *, direction: Direction | None = None, last: int | None = None
) -> str:
    """The whole text, ending in a newline.

    Args:
        suite: whose history it is.
        metric: the one whose values are shown.
        history: the lines to show.
        direction: which way the metric is better, where that is known.
        last: how many lines of a provider are shown at most; how many are not is said.
    """
    trends = trends_of(history, metric)
    return "\n".join(_lines(suite, metric, history, trends, direction, last)) + "\n"


def history_value(suite: str, metric: str, history: History, *, last: int | None = None) -> dict[str, JsonValue]:
    """The same as plain JSON: a line per run and provider, with the stretch it belongs to."""
    trends = trends_of(history, metric)
    shown = {name: _newest(points, last) for name, points in trends.items()}
    return {
        "suite": suite,
        "metric": metric,
        "unreadable": history.unreadable,
        "repeated": history.repeated,
        "older": {name: len(points) - len(shown[name]) for name, points in trends.items()},
        "lines": [_point_value(point) for points in shown.values() for point in points],
    }


def _lines(
    suite: str, metric: str, history: History, trends: Trends, direction: Direction | None, last: int | None
) -> Iterator[str]:
    better = f", {direction} is better" if direction else ""
    yield f"{one_line(suite)}: {one_line(metric)}{better}; 95 % intervals; the change is against the line before"
    if history.unreadable:
        yield f"{_counted(history.unreadable, 'line')} could not be read: damaged, or written by another release of assay."
    if history.repeated:
        yield f"{_counted(history.repeated, 'line')} left out: the same run stands there twice."
    shown = {name: _newest(points, last) for name, points in trends.items()}
    axis = axis_of(p.metric for points in shown.values() for p in points if p.in_trend and p.metric)
    for name, points in shown.items():
        yield ""
        yield from _provider(name, points, older=len(trends[name]) - len(points), axis=axis)


def _provider(name: str, points: Sequence[Point], *, older: int, axis: Axis) -> Iterator[str]:
    newest = points[-1].line
    yield f"{one_line(name)}: {one_line(newest.model)}, {one_line(newest.cassette_kind)}, enforcement {newest.enforcement}"
    if older:
        yield f"{_counted(older, 'older line')} not shown"
    titles = ["date", "commit", "verdict", "mode", "n", "value", "95 % interval", "change", axis.title, ""]
    header, *rows = _aligned([titles, *(_cells(point, axis) for point in points)])
    yield header
    for point, row in zip(points, rows, strict=True):
        if point.changed:
            yield f"── {one_line('; '.join(point.changed))}: the trend starts again ──"
        yield row


def _cells(point: Point, axis: Axis) -> list[str]:
    line, metric = point.line, point.metric
    return [
        day_of(line),
        _commit(line.commit),
        line.verdict,
        line.mode,
        "" if metric is None else str(metric.n),
        "" if metric is None else value_text(metric),
        "" if metric is None else interval_text(metric),
        _change(point.rise_pp, axis),
        plotted(metric, axis) if point.in_trend and metric else "",
        one_line("; ".join(_notes(point))),
    ]


def _notes(point: Point) -> Iterator[str]:
    if not point.in_trend:
        yield f"{NO_TREND}: {', '.join(point.line.deviations)}"
    if point.metric is None:
        yield "not gated in this run"
    elif point.metric.reason is not None:
        yield f"undefined: {point.metric.reason}"
    yield from point.moved
    if point.is_alone:
        yield "one point, no trend"


def _commit(commit: str | None) -> str:
    """The first digits; `+` where the work tree was not clean, `none` outside git."""
    if commit is None:
        return "none"
    return commit[:COMMIT_DIGITS] + ("+" if "+" in commit else "")


def _change(rise_pp: Decimal | None, axis: Axis) -> str:
    """In percentage points for shares, as it is for other numbers."""
    if rise_pp is None:
        return ""
    if rise_pp == 0:
        return "0"
    return f"{rise_pp:+.2f} pp" if axis.is_share else f"{rise_pp / 100:+.4f}"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows under their titles, each column as wide as its widest cell, two blanks between them."""
    titles = rows[0]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if title in _RIGHT else cell.ljust(width)
            for title, cell, width in zip(titles, row, widths, strict=True)
        )
        yield "  ".join(cells).rstrip()


def _newest(points: Sequence[Point], last: int | None) -> Sequence[Point]:
    return points if last is None else points[-last:]


def _point_value(point: Point) -> dict[str, JsonValue]:
    line: dict[str, JsonValue] = point.line.model_dump(mode="json", exclude={"metrics"})
    metric: JsonValue = None if point.metric is None else point.metric.model_dump(mode="json")
    rise_pp = None if point.rise_pp is None else float(point.rise_pp)
    return {**line, "metric": metric, "stretch": point.stretch, "changed": list(point.changed), "change_pp": rise_pp}


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
