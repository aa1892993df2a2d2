"""History and the kill matrix as sections of the page; both are there only where they are handed over."""

from __future__ import annotations

from assay.model.history import HistoryLine
from assay.model.report import Report
from assay.model.verdict import Metric
from assay.reporting.figures import COLUMNS, interval_text, value_text
from assay.reporting.html_extras import KillMatrix, KillRow
from assay.reporting.html_tags import Html, code, element, join, row, table
from assay.reporting.interval_plot import axis_of
from assay.reporting.trend import Point, day_of, trend_of

STEP, PAD, HEIGHT = 24, 10, 64
SHOWN = 30
"""How many of the newest lines are drawn and listed."""
SIGNS = {"caught": "●", "missed": "○", "could-not-run": "?", "not asked": "·"}


def history_section(report: Report, lines: tuple[HistoryLine, ...]) -> list[Html]:
    """A drawing and a table per provider and leading metric."""
    providers = list(dict.fromkeys(line.provider for line in lines))
    metrics = report.facts.rule.metrics[:COLUMNS]
    found = [(name, metric, _points(lines, name, metric)) for name in providers for metric in metrics]
    return [_trend(name, metric, points) for name, metric, points in found if points]


def kills_section(kills: KillMatrix) -> list[Html]:
    """Which check noticed which planted defect."""
    signs = ", ".join(f"{sign} {told}" for told, sign in SIGNS.items())
    header = ("defect", *kills.catchers, "noticed by")
    matrix = table(header, map(_kill_row, kills.rows), caption="Kill matrix", class_="kills")
    return [element("p", kills.told), matrix, element("p", signs, class_="quiet")]


def _kill_row(found: KillRow) -> Html:
    cells = [
        element("span", SIGNS[cell], class_=cell.replace(" ", "-"), title=cell, role="img", aria_label=cell)
        for cell in found.cells
    ]
    noticed = sum(cell == "caught" for cell in found.cells)
    return row([found.defect, *cells, str(noticed) if noticed else "nothing"], class_=None if noticed else "survived")


def _points(lines: tuple[HistoryLine, ...], provider: str, metric: str) -> list[Point]:
    points = trend_of((line for line in lines if line.provider == provider), metric)
    return [point for point in points if point.metric is not None][-SHOWN:]


def _trend(provider: str, metric: str, points: list[Point]) -> Html:
    rows = [_line(point) for point in reversed(points)]
    header = ("day", "value", "95 % interval", "change", "verdict", "remarks")
    listed = table(header, rows, caption=f"{metric} of {provider}, newest first")
    title = element("h3", code(provider), " ", code(metric))
    return element("div", title, _drawn(points), element("details", element("summary", f"{len(points)} runs"), listed))


def _line(point: Point) -> Html:
    metric, line = _metric(point), point.line
    remarks = "; ".join([*point.changed, *point.moved, *line.deviations])
    rise = "" if point.rise_pp is None else "0" if point.rise_pp == 0 else f"{point.rise_pp:+.2f} pp"
    return row([day_of(line), value_text(metric), interval_text(metric), rise, line.verdict, remarks])


def _drawn(points: list[Point]) -> Html:
    """Values with their intervals from left to right; no line joins numbers that may not be compared."""
    axis = axis_of(_metric(point) for point in points) if any(_metric(p).value is not None for p in points) else None
    if axis is None:
        return element("p", "No run has a value.")
    width = 2 * PAD + STEP * (len(points) - 1 or 1)
    spread = axis.high - axis.low

    def y(value: float) -> float:
        share = (value - axis.low) / spread if spread else 0.5
        return round(HEIGHT - PAD - min(max(share, 0.0), 1.0) * (HEIGHT - 2 * PAD), 1)

    drawn: list[Html] = []
    before: tuple[int, float, float] | None = None
    for place, point in enumerate(points):
        metric, x = _metric(point), float(PAD + STEP * place)
        if metric.value is None:
            continue
        if metric.low is not None and metric.high is not None:
            drawn.append(element("line", class_="interval thin", x1=x, x2=x, y1=y(metric.low), y2=y(metric.high)))
        if point.stretch is not None:
            if before is not None and before[0] == point.stretch:
                drawn.append(element("line", class_="trend", x1=before[1], y1=before[2], x2=x, y2=y(metric.value)))
            before = (point.stretch, x, y(metric.value))
        drawn.append(element("circle", class_="value" if point.in_trend else "apart", cx=x, cy=y(metric.value), r=3.5))
    told = (
        f"{len(points)} runs from {day_of(points[0].line)} to {day_of(points[-1].line)}, axis {axis.low:.4g} to {axis.high:.4g}"
    )
    return element("svg", join(drawn), viewBox=f"0 0 {width} {HEIGHT}", width=width, height=HEIGHT, role="img", aria_label=told)


def _metric(point: Point) -> Metric:
    if point.metric is None:  # pragma: no cover  # left out in _points
        raise ValueError("a point without a metric is not drawn")
    return point.metric
