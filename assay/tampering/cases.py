"""Cases: removed, edited, or moved out of every mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from assay.digest import digest_of
from assay.model.gold import GoldCase
from assay.model.verdict import CaseOutcome
from assay.tampering.finding import Finding, moved
from assay.tampering.side import Side

_FIELDS = 3
"""How many changed fields of a case are shown."""


def case_findings(before: Side, after: Side) -> Iterator[Finding]:
    """Cases that are gone, whose input or expectation changed, or that count in no mean any more."""
    suite = before.suite.suite
    for case in sorted(before.cases.keys() - after.cases.keys()):
        told = f"case {case} is gone: {len(before.cases)} cases -> {len(after.cases)}"
        yield Finding("removed case", suite, told, detail=case)
    for case in sorted(before.cases.keys() & after.cases.keys()):
        old, new = before.cases[case], after.cases[case]
        if old.digest != new.digest:
            yield Finding("edited case", suite, _edit(old, new), detail=case)
    for case, reason in _left_out(before, after).items():
        told = f"case {case} counts in no mean any more: counted -> {reason}"
        yield Finding("left-out case", suite, told, detail=case)


def added_cases(before: Side, after: Side) -> list[str]:
    """The ids that only the later side has, sorted: no finding, since the head's baseline gates them."""
    return sorted(after.cases.keys() - before.cases.keys())


def unchanged_cases(before: Side, after: Side) -> set[str]:
    """The ids of cases whose input and expectation are the same on both sides."""
    both = before.cases.keys() & after.cases.keys()
    return {case for case in both if before.cases[case].digest == after.cases[case].digest}


def _edit(old: GoldCase, new: GoldCase) -> str:
    """Which parts changed, and how."""
    changes = [*_changes("input", old.input, new.input), *_changes("expected", old.expected, new.expected)]
    parts = [name for name, prefix in (("input", "input."), ("expectation", "expected.")) if _any(changes, prefix)]
    more = f" and {len(changes) - _FIELDS} more fields" if len(changes) > _FIELDS else ""
    return f"{' and '.join(parts)} of case {old.id} changed: {'; '.join(changes[:_FIELDS])}{more}"


def _any(changes: list[str], prefix: str) -> bool:
    return any(change.startswith(prefix) for change in changes)


def _changes(part: str, old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]) -> list[str]:
    return [
        f"{part}.{name} {moved(old.get(name), new.get(name))}"
        for name in sorted(old.keys() | new.keys())
        if (name in old) != (name in new) or digest_of(old.get(name)) != digest_of(new.get(name))
    ]


def _left_out(before: Side, after: Side) -> dict[str, str]:
    """By case, why it is in no mean now, where a committed baseline counted it before."""
    found: dict[str, str] = {}
    for provider, now in _outcomes(after).items():
        then = _outcomes(before).get(provider, {})
        for case, outcome in now.items():
            counted = case in then and then[case].left_out is None
            if outcome.left_out is not None and counted and case in before.cases and case in after.cases:
                found.setdefault(case, outcome.left_out)
    return dict(sorted(found.items()))


def _outcomes(side: Side) -> dict[str, Mapping[str, CaseOutcome]]:
    blocks = side.baseline.providers if side.baseline else {}
    return {name: block.cases for name, block in sorted(blocks.items()) if block is not None and block.cases is not None}
