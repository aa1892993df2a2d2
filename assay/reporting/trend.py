"""A provider's history as a trend: which lines belong together, what changed where they do not, and by how much a value moved.

A stretch is a run of lines under one contract. Lines with deviations are in none. No change is worked out between stretches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from assay.drops import drop_pp
from assay.model.history import HistoryLine
from assay.model.verdict import Metric

SHOWN_DIGITS = 7
"""How much of a digest is shown."""


@dataclass(frozen=True)
class Point:
    """One line of a history, seen by one metric."""

    line: HistoryLine
    metric: Metric | None
    """None where the metric was not gated in that run."""
    stretch: int | None
    """1-based; None where the line is part of no trend."""
    changed: tuple[str, ...] = ()
    """Why a new stretch starts here: what is no longer what it was, in words. Empty for the first."""
    rise_pp: Decimal | None = None
    """The value minus that of the line before in the stretch, in percentage points; None where either is missing
    or absurd."""
    moved: tuple[str, ...] = ()
    """What moved against the line before in the stretch without ending it, in words."""
    is_alone: bool = False
    """Whether the stretch has no other line."""

    @property
    def in_trend(self) -> bool:
        """Whether the line may be compared with its neighbours."""
        return self.stretch is not None


def trend_of(lines: Iterable[HistoryLine], metric: str) -> list[Point]:
    """The lines of one provider as points, oldest first."""
    points: list[Point] = []
    before: Point | None = None
    for line in sorted(lines, key=_moment):
        point = _point(line, metric, before)
        points.append(point)
        before = point if point.in_trend else before
    lengths = Counter(point.stretch for point in points)
    return [replace(point, is_alone=point.in_trend and lengths[point.stretch] == 1) for point in points]


def day_of(line: HistoryLine) -> str:
    """The day on which the run was started, as its own clock had it."""
    return datetime.fromisoformat(line.at).date().isoformat()


def _moment(line: HistoryLine) -> datetime:
    at = datetime.fromisoformat(line.at)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _point(line: HistoryLine, metric: str, before: Point | None) -> Point:
    found = line.metrics.get(metric)
    if line.deviations:
        return Point(line, found, None)
    if before is None or before.stretch is None:
        return Point(line, found, 1)
    changed = tuple(_contract_changes(before.line, line))
    if changed:
        return Point(line, found, before.stretch + 1, changed)
    return Point(line, found, before.stretch, (), _rise(before.metric, found), tuple(_moves(before.line, line)))


def _rise(before: Metric | None, now: Metric | None) -> Decimal | None:
    if before is None or now is None or before.value is None or now.value is None:
        return None
    try:
        return drop_pp(now.value, before.value, "lower")
    except InvalidOperation:  # a value of 18 digits and more
        return None


def _contract_changes(before: HistoryLine, now: HistoryLine) -> Iterator[str]:
    """What makes the numbers of two lines incomparable, in words; nothing where they may be compared."""
    if (before.version, before.contract) == (now.version, now.contract):
        return
    told = [
        _change("gold set", _gold(before), _gold(now)),
        _change("prompt", _short(before.prompt_sha256), _short(now.prompt_sha256)),
        _change("schema", _short(before.schema_sha256), _short(now.schema_sha256)),
        _change("kind of recording", before.cassette_kind, now.cassette_kind),
        _measures_change(before, now),
    ]
    yield from filter(None, told)
    if not any(told):
        yield f"contract {_short(before.contract)} -> {_short(now.contract)}"


def _measures_change(before: HistoryLine, now: HistoryLine) -> str:
    if before.measures_sha256 == now.measures_sha256:
        return ""
    names = [("added", now.metrics.keys() - before.metrics.keys()), ("removed", before.metrics.keys() - now.metrics.keys())]
    told = "; ".join(f"{word} {', '.join(sorted(found))}" for word, found in names if found)
    return f"measures ({told or 'defined otherwise'})"


def _moves(before: HistoryLine, now: HistoryLine) -> Iterator[str]:
    if before.model != now.model:
        yield f"model {before.model} -> {now.model}"
    if before.mode == now.mode == "replay" and before.recording != now.recording:
        yield "new recording"


def _change(what: str, before: str, now: str) -> str:
    return "" if before == now else f"{what} {before} -> {now}"


def _gold(line: HistoryLine) -> str:
    return f"{line.version} {_short(line.gold_sha256)}"


def _short(digest: str | None) -> str:
    return "none" if digest is None else digest[:SHOWN_DIGITS]


def metrics_in(lines: Sequence[HistoryLine]) -> list[str]:
    """Every metric that a line has, in the order in which they first stand."""
    return list(dict.fromkeys(name for line in lines for name in line.metrics))
