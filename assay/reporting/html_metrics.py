"""Metrics as rows of a table, each drawn: value, interval, baseline, gate line, and what power adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.model.report import HeadToHead, ProviderReport, RunFacts
from assay.model.verdict import Metric
from assay.reporting.figures import change_text, count_text, head_to_head_text, interval_text, value_text
from assay.reporting.html_extras import PowerMark
from assay.reporting.html_tags import Html, code, element, row, table
from assay.reporting.interval_plot import Axis, axis_of

WIDTH, HEIGHT, PAD = 220, 26, 7
BAR = 8
"""Height of a bar."""
LEGEND = (
    ("value", "this run's value"),
    ("interval", "95 % interval"),
    ("baseline", "baseline"),
    ("gate", "gate: the check is broken beyond it"),
    ("power", "where a live gate notices"),
)


@dataclass(frozen=True)
class GateLine:
    """A bound of the gate: the shaded side is where the check is broken."""

    at: float
    broken_below: bool
    told: str


def metrics_table(provider: ProviderReport, facts: RunFacts, power: Mapping[str, PowerMark], names: list[str]) -> Html:
    """The metrics of these names that the provider has."""
    shown = [name for name in names if name in provider.metrics]
    header = ("metric", "value", "rows", "95 % interval", "change", "drawn")
    rows = [_metric_row(name, provider, facts, power.get(name)) for name in shown]
    return table(header, rows, caption="Gated metrics" if names == list(facts.rule.metrics) else "Metrics", class_="metrics")


def gate_lines(name: str, provider: ProviderReport, facts: RunFacts) -> list[GateLine]:
    """Where the gate draws its lines on this metric. A live gate judges by test, and has none against the baseline."""
    if name not in facts.rule.metrics and name not in facts.rule.floors and name not in facts.rule.ceilings:
        return []
    return [*_bounds(name, facts), *_drop(name, provider, facts)]


def legend(*, has_power: bool) -> Html:
    """What the signs of the drawings mean."""
    signs = [(sign, told) for sign, told in LEGEND if has_power or sign != "power"]
    return element("ul", [element("li", _sign(sign), told) for sign, told in signs], class_="legend")


def head_to_head(found: HeadToHead) -> Html:
    """Won, lost and tied cases as one bar, and in words."""
    parts = (("won", len(found.wins)), ("tied", len(found.ties)), ("lost", len(found.losses)))
    whole = sum(count for _, count in parts)
    label = ", ".join(f"{count} {told}" for told, count in parts)
    return element("li", _bar(parts, whole, label) if whole else "", element("p", head_to_head_text(found)))


def _bounds(name: str, facts: RunFacts) -> Iterator[GateLine]:
    if name in facts.rule.floors:
        floor = facts.rule.floors[name]
        yield GateLine(floor, broken_below=True, told=f"floor {floor:g}")
    if name in facts.rule.ceilings:
        ceiling = facts.rule.ceilings[name]
        yield GateLine(ceiling, broken_below=False, told=f"ceiling {ceiling:g}")


def _drop(name: str, provider: ProviderReport, facts: RunFacts) -> Iterator[GateLine]:
    before, measure = provider.baseline.get(name), facts.measures.get(name)
    if facts.mode == "live" or name not in facts.rule.metrics or before is None or before.value is None or measure is None:
        return
    allowed, is_higher = facts.rule.max_drop_pp / 100, measure.direction == "higher"
    told = f"at most {facts.rule.max_drop_pp:g} pp worse than the baseline"
    yield GateLine(before.value - allowed if is_higher else before.value + allowed, broken_below=is_higher, told=told)


def _metric_row(name: str, provider: ProviderReport, facts: RunFacts, power: PowerMark | None) -> Html:
    metric = provider.metrics[name]
    change = change_text(name, provider, facts)
    told = [element("small", power.told)] if power else []
    cells = [
        element("span", code(name), told),
        value_text(metric),
        count_text(name, metric),
        interval_text(metric),
        change,
        _drawn(name, provider, facts, power),
    ]
    return row(cells)


def _drawn(name: str, provider: ProviderReport, facts: RunFacts, power: PowerMark | None) -> Html | str:
    metric, before = provider.metrics[name], provider.baseline.get(name)
    if metric.value is None:
        return ""
    lines = gate_lines(name, provider, facts)
    axis = _axis(metric, before, lines)
    parts = [*(_gate(line, axis) for line in lines), element("line", class_="axis", **_across(PAD, WIDTH - PAD))]
    if metric.low is not None and metric.high is not None:
        parts.append(element("line", class_="interval", **_across(_x(metric.low, axis), _x(metric.high, axis))))
    if before is not None and before.value is not None:
        parts.append(element("path", class_="baseline", d=f"M{_x(before.value, axis)} 4V{HEIGHT - 4}"))
    if power is not None and power.fires_at is not None:
        parts.append(element("path", class_="power", d=f"M{_x(power.fires_at, axis)} 4V{HEIGHT - 4}"))
    parts.append(element("circle", class_="value", cx=_x(metric.value, axis), cy=HEIGHT // 2, r=4))
    return _svg(WIDTH, HEIGHT, _told(name, metric, before, lines, axis), parts)


def _told(name: str, metric: Metric, before: Metric | None, lines: list[GateLine], axis: Axis) -> str:
    """The drawing in words."""
    interval = f", interval {interval_text(metric)}" if interval_text(metric) else ""
    baseline = f", baseline {value_text(before)}" if before is not None and before.value is not None else ""
    gates = "".join(f", {line.told}" for line in lines)
    return f"{name} {value_text(metric)}{interval}{baseline}{gates}, on an axis from {axis.low:.4g} to {axis.high:.4g}"


def _axis(metric: Metric, before: Metric | None, lines: list[GateLine]) -> Axis:
    bounds = [line.at for line in lines]
    known = [metric, *([before] if before is not None else [])]
    axis = axis_of(known)
    if axis.is_share:
        return axis
    return Axis(min([axis.low, *bounds]), max([axis.high, *bounds]))


def _gate(line: GateLine, axis: Axis) -> Html:
    at = _x(line.at, axis)
    start, end = (PAD, at) if line.broken_below else (at, WIDTH - PAD)
    zone = element("rect", class_="broken-zone", x=start, y=4, width=round(max(end - start, 0), 1), height=HEIGHT - 8)
    return element("g", zone, element("path", class_="gate", d=f"M{at} 2V{HEIGHT - 2}"))


def _x(value: float, axis: Axis) -> float:
    width = axis.high / 2 - axis.low / 2
    share = (value / 2 - axis.low / 2) / width if width else 0.5
    return round(PAD + min(max(share, 0.0), 1.0) * (WIDTH - 2 * PAD), 1)


def _across(start: float, end: float) -> dict[str, object]:
    return {"x1": start, "x2": end, "y1": HEIGHT // 2, "y2": HEIGHT // 2}


def _bar(parts: tuple[tuple[str, int], ...], whole: int, label: str) -> Html:
    at, drawn = 0.0, []
    for told, count in parts:
        width = round(WIDTH * count / whole, 1)
        drawn.append(element("rect", class_=told, x=round(at, 1), y=0, width=width, height=BAR))
        at += width
    return _svg(WIDTH, BAR, label, drawn)


def _sign(sign: str) -> Html:
    shapes = {
        "value": element("circle", class_="value", cx=9, cy=7, r=4),
        "interval": element("line", class_="interval", x1=1, x2=17, y1=7, y2=7),
        "baseline": element("path", class_="baseline", d="M9 1V13"),
        "gate": element(
            "g",
            element("rect", class_="broken-zone", x=1, y=1, width=8, height=12),
            element("path", class_="gate", d="M9 0V14"),
        ),
        "power": element("path", class_="power", d="M9 1V13"),
    }
    return element("svg", shapes[sign], viewBox="0 0 18 14", width=18, height=14, aria_hidden="true")


def _svg(width: int, height: int, label: str, parts: list[Html]) -> Html:
    return element("svg", parts, viewBox=f"0 0 {width} {height}", width=width, height=height, role="img", aria_label=label)
