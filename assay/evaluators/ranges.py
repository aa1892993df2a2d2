"""numeric_range, temporal_range, length_range: the output lies between two bounds, both inclusive."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from datetime import datetime

from assay.evaluators.guard import CannotRun, guarded
from assay.evaluators.metric import EvalMetric
from assay.evaluators.options import bound, check_known, number

OPTIONS = ("min", "max")


@guarded
def numeric_range(actual: object, _expected: object, options: Mapping[str, object], /) -> EvalMetric:
    """Passes when `min <= actual <= max`; both are required, infinities are allowed. Score 1.0 or 0.0."""
    check_known(options, OPTIONS)
    low, high = bound(options, "min"), bound(options, "max")
    _check_order(options, is_empty=low > high)
    return _verdict(number(actual, "actual"), is_below=actual < low, is_above=actual > high)  # type: ignore[operator]  # a number


@guarded
def length_range(actual: object, _expected: object, options: Mapping[str, object], /) -> EvalMetric:
    """Passes when `min <= len(actual) <= max`; `min` is 0 by default, `max` is required. Score 1.0 or 0.0.

    The length of a text is in code points.
    """
    check_known(options, OPTIONS)
    low, high = bound(options, "min", 0), bound(options, "max")
    _check_order(options, is_empty=low > high)
    if not isinstance(actual, Sized):
        raise CannotRun("actual", "has no length", repr(actual) if actual is None else actual, "a text or a collection")
    length = len(actual)
    return _verdict(length, is_below=length < low, is_above=length > high)


@guarded
def temporal_range(actual: object, _expected: object, options: Mapping[str, object], /) -> EvalMetric:
    """Passes when `min <= actual <= max` as moments in ISO 8601; both are required. Score 1.0 or 0.0.

    All three have an offset, or none has: a moment and a wall-clock time cannot be compared.
    """
    check_known(options, OPTIONS)
    moment, low, high = (_moment(value, where) for where, value in _sides(actual, options))
    _check_order(options, is_empty=low > high)
    return _verdict(moment.isoformat(), is_below=moment < low, is_above=moment > high)


def _sides(actual: object, options: Mapping[str, object]) -> list[tuple[str, object]]:
    sides = [("actual", actual), ("min", options.get("min")), ("max", options.get("max"))]
    aware = {where: _moment(value, where).tzinfo is not None for where, value in sides}
    if len(set(aware.values())) > 1:
        told = ", ".join(f"{where} is {'aware' if is_aware else 'naive'}" for where, is_aware in aware.items())
        raise CannotRun(
            "actual, min, max", f"mix aware and naive times ({told})", expected="an offset in all of them or in none"
        )
    return sides


def _moment(value: object, where: str) -> datetime:
    if isinstance(value, datetime):
        return value
    if value is None:
        raise CannotRun(where, "is missing", expected="a date or time in ISO 8601")
    try:
        return datetime.fromisoformat(value)  # type: ignore[arg-type]  # what is no text is refused below
    except (TypeError, ValueError):
        raise CannotRun(where, "is not a date or time", value, "ISO 8601, as 2026-01-05T09:30:00+00:00") from None


def _check_order(options: Mapping[str, object], *, is_empty: bool) -> None:
    if is_empty:
        raise CannotRun("min", "is above max, so nothing can pass", options.get("min"), f"at most {options.get('max')!r}")


def _verdict(found: object, *, is_below: bool, is_above: bool) -> EvalMetric:
    if is_below or is_above:
        side = "below min" if is_below else "above max"
        return EvalMetric(0.0, passed=False, meta={"found": found, "reason": f"{found} is {side}"})
    return EvalMetric(1.0, passed=True, meta={"found": found})
