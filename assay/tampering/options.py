"""A suite's other options. What only its kind understands may ease passing either way, so any change of it is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from assay.tampering.evaluators import CHECKS, entries_of
from assay.tampering.finding import Finding, moved
from assay.tampering.side import Side

_AUDIT = "audit"
_UPPER = ("_limit", "review_band")
"""Ends of the names of limits from which an audit finds fault: a higher one finds less. Other numbers are counts to hold to."""
_NAMED = 1
"""Below an option that is a mapping, a new name is something new: it changes nothing that was there."""


def option_findings(before: Side, after: Side) -> Iterator[Finding]:
    """Options that changed, apart from named checks; of the audit's only those that find less."""
    suite, old, new = before.suite.suite, _others(before.options), _others(after.options)
    for path, then, now in _differences(old, new):
        yield Finding("changed option", suite, f"option {path}: {moved(then, now)}", detail=path)
    for path, then, now in _eased(_audit(before.options), _audit(after.options)):
        yield Finding("eased audit", suite, f"option {_AUDIT}.{path}: {moved(then, now)}", detail=path)


def _others(options: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    told_elsewhere = {_AUDIT, *([CHECKS] if entries_of(options) else [])}
    return {name: value for name, value in options.items() if name not in told_elsewhere}


def _audit(options: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    audit = options.get(_AUDIT)
    return dict(audit) if isinstance(audit, dict) else {}


def _differences(
    old: Mapping[str, JsonValue], new: Mapping[str, JsonValue], path: tuple[str, ...] = ()
) -> Iterator[tuple[str, JsonValue, JsonValue]]:
    """(path, before, after) of every value that differs, down to values that are no mappings."""
    for name in sorted(old.keys() | new.keys()):
        then, now = old.get(name), new.get(name)
        if isinstance(then, dict) and isinstance(now, dict):
            yield from _differences(then, now, (*path, name))
        elif then != now and not (name not in old and len(path) == _NAMED):
            yield ".".join((*path, name)), then, now


def _eased(
    old: Mapping[str, JsonValue], new: Mapping[str, JsonValue], path: tuple[str, ...] = ()
) -> Iterator[tuple[str, JsonValue, JsonValue]]:
    """(path, before, after) of what the audit is held to no longer. A limit that is new, or not declared before, is harder."""
    for name, then in sorted(old.items()):
        now = new.get(name)
        if isinstance(then, dict) and isinstance(now, dict):
            yield from _eased(then, now, (*path, name))
        elif then is not None and then != now and not _is_harder(name, then, now):
            yield ".".join((*path, name)), then, now


def _is_harder(name: str, then: JsonValue, now: JsonValue) -> bool:
    if not _is_number(then) or not _is_number(now):
        return False
    return _value(now) < _value(then) if name.endswith(_UPPER) else _value(now) > _value(then)


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _value(number: JsonValue) -> float:
    return float(number) if isinstance(number, int | float) else 0.0
