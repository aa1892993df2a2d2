"""Thresholds: what the gate compares with, each in the direction that makes passing easier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.model.suite import GateRule
from assay.tampering.finding import Finding, moved
from assay.tampering.side import Side


def threshold_findings(before: Side, after: Side) -> Iterator[Finding]:
    """The gate's rule, and how a suite without a verdict shows in pytest."""
    suite, old, new = before.suite.suite, before.suite.gate, after.suite.gate
    renamed = Cutoffs(before, after)
    if new.max_drop_pp > old.max_drop_pp:
        told = f"the largest drop that is kept: {moved(old.max_drop_pp, new.max_drop_pp)} pp"
        yield Finding("raised max_drop_pp", suite, told)
    if old.must_notice_cases is not None and (new.must_notice_cases is None or new.must_notice_cases > old.must_notice_cases):
        told = f"the rows whose loss a replay must notice: {moved(old.must_notice_cases, new.must_notice_cases)}"
        yield Finding("raised must_notice_cases", suite, told)
    gated = {renamed.later(name) for name in old.metrics} - set(new.metrics)
    for name in old.metrics:
        if renamed.later(name) in gated:
            told = f"{name} is no longer gated: {len(old.metrics)} gated metrics -> {len(new.metrics)}"
            yield Finding("ungated metric", suite, told, detail=name)
    for name, floor in sorted(old.floors.items()):
        now = new.floors.get(renamed.later(name))
        if now is None or now < floor:
            yield Finding("lowered floor", suite, f"floor of {name}: {moved(floor, now)}", detail=name)
    for name, ceiling in sorted(old.ceilings.items()):
        now = new.ceilings.get(renamed.later(name))
        if now is None or now > ceiling:
            yield Finding("raised ceiling", suite, f"ceiling of {name}: {moved(ceiling, now)}", detail=name)
    yield from _live(suite, old, new)
    if (before.suite.pytest.no_verdict, after.suite.pytest.no_verdict) == ("fail", "skip"):
        yield Finding("eased no_verdict", suite, "NO VERDICT in pytest: fail -> skip")
    yield from _declared(before, after)


def _declared(before: Side, after: Side) -> Iterator[Finding]:
    """What the suite says about its own age and its known gaps."""
    suite = after.suite.suite
    stale, now_stale = before.suite.stale_after_days, after.suite.stale_after_days
    if now_stale > stale:
        yield Finding("raised stale_after_days", suite, f"days after which a recording is stale: {moved(stale, now_stale)}")
    for defect in sorted(set(after.suite.sabotage.survivors) - set(before.suite.sabotage.survivors)):
        yield Finding("declared survivor", suite, f"sabotage by {defect!r} need no longer be noticed", detail=defect)


def _live(suite: str, old: GateRule, new: GateRule) -> Iterator[Finding]:
    """Without `must_detect_pp` no live run ever passes, so to declare one is to make passing possible."""
    must, now = old.must_detect_pp, new.must_detect_pp
    if now is not None and (must is None or now > must):
        told = f"the drop that a live run must notice: {moved(must, now)} pp"
        yield Finding("raised must_detect_pp", suite, told)
    if new.false_alarm < old.false_alarm:
        told = f"how often a live run may call a model worse that is not: {moved(old.false_alarm, new.false_alarm)}"
        yield Finding("lowered false_alarm", suite, told)


class Cutoffs:
    """The names of metrics on both sides, where another `top_k` spells `recall@5` as `recall@10`."""

    def __init__(self, before: Side, after: Side) -> None:
        self._old, self._new = (f"@{side.options.get('top_k')}" for side in (before, after))
        self._known = _named(after)

    def later(self, name: str) -> str:
        """What the earlier side's metric is called on the later side."""
        other = name.removesuffix(self._old) + self._new
        is_renamed = self._old != self._new and name.endswith(self._old) and name not in self._known and other in self._known
        return other if is_renamed else name


def _named(side: Side) -> set[str]:
    gate = side.suite.gate
    bounds: tuple[Mapping[str, float], ...] = (gate.floors, gate.ceilings)
    of_controls = {provider.control.metric for provider in side.suite.controls.values() if provider.control}
    return {*gate.metrics, *of_controls, *(name for bound in bounds for name in bound)}
