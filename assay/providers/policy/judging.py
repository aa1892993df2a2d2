"""A policy judged over one decision. In: rules, a decision, a moment. Out: which rules are broken, and which cannot be told.

A value that is absent or of another kind makes its condition neither true nor false. A rule is kept when it is kept whatever
such conditions would turn out to be, broken likewise, and untold otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from assay.providers.policy.paths import value_at
from assay.providers.policy.policy import Policy
from assay.providers.policy.predicates import CannotTell, Predicate
from assay.providers.policy.rules import OUTCOME, Forbid, Fresh, Must, Present, Rule

KNOWN_OUTCOME = "outcomes"
"""The rule that every policy has: the outcome is one of its outcomes."""


@dataclass(frozen=True)
class Finding:
    """A rule that is not kept, and why."""

    rule: str
    status: Literal["broken", "untold"]
    reason: str


@dataclass(frozen=True)
class Judgement:
    """What a policy says of one decision."""

    policy_id: str
    findings: tuple[Finding, ...]
    """In the order of the rules; empty when all are kept."""
    applied: tuple[str, ...]
    """The rules whose `when` held, so that they were put to the test."""

    @property
    def status(self) -> Literal["kept", "broken", "untold"]:
        """Broken when any rule is, else untold when any is."""
        found = {finding.status for finding in self.findings}
        return "broken" if "broken" in found else "untold" if found else "kept"


@dataclass(frozen=True)
class _Truth:
    """True, false, or None for untold, and why it is not true."""

    value: bool | None
    reason: str = ""


_TRUE = _Truth(value=True)


def judge(policy: Policy, decision: object, as_of: datetime) -> Judgement:
    """The judgement of all rules over a decision, an object or its dict. `as_of` has an offset."""
    outcome = value_at(decision, OUTCOME)
    findings: list[Finding] = []
    if outcome not in policy.outcomes:
        findings.append(Finding(KNOWN_OUTCOME, "broken", f"outcome is {outcome!r}, not one of {', '.join(policy.outcomes)}"))
    applied = []
    for rule in policy.rules:
        condition, demand = _all_hold(rule.when, decision), _demand(rule, decision, as_of)
        if condition.value:
            applied.append(rule.name)
        finding = _finding(rule.name, condition, demand)
        if finding is not None:
            findings.append(finding)
    return Judgement(policy.id, tuple(findings), tuple(applied))


def _finding(name: str, condition: _Truth, demand: _Truth) -> Finding | None:
    """Unless the rule is kept: `condition` implies `demand`, in Kleene's logic of three values."""
    if condition.value is False or demand.value is True:
        return None
    if condition.value is None or demand.value is None:
        return Finding(name, "untold", condition.reason if condition.value is None else demand.reason)
    return Finding(name, "broken", demand.reason)


def _demand(rule: Rule, decision: object, as_of: datetime) -> _Truth:
    match rule:
        case Must():
            return _all_hold(rule.must, decision)
        case Forbid():
            outcome = value_at(decision, OUTCOME)
            return _Truth(value=False, reason=f"outcome {outcome!r} is forbidden here") if outcome in rule.forbid else _TRUE
        case Present():
            absent = [path for path in rule.present if not _is_filled(value_at(decision, path))]
            return _Truth(value=False, reason=f"nothing at {', '.join(absent)}") if absent else _TRUE
        case Fresh():
            return _freshness(rule, decision, as_of)


def _all_hold(conditions: Mapping[str, Predicate], decision: object) -> _Truth:
    """False when any is false, else untold when any is."""
    found = [_holds(predicate, path, value_at(decision, path)) for path, predicate in conditions.items()]
    doubtful = [truth for truth in found if truth.value is None]
    false = [truth for truth in found if truth.value is False]
    failing = false or doubtful
    return _Truth(failing[0].value, "; ".join(truth.reason for truth in failing)) if failing else _TRUE


def _holds(predicate: Predicate, path: str, value: object) -> _Truth:
    try:
        return _TRUE if predicate.is_met(value) else _Truth(value=False, reason=f"{path} is {value!r}, not {predicate}")
    except CannotTell as doubt:
        return _Truth(None, f"{path} {doubt}")


def _is_filled(value: object) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return len(value) > 0 if isinstance(value, Sized) else value is not None


def _freshness(rule: Fresh, decision: object, as_of: datetime) -> _Truth:
    age = rule.fresh
    try:
        moment = _moment(value_at(decision, age.field), age.field)
        until = as_of if age.of == "as_of" else _moment(value_at(decision, age.of), age.of)
    except CannotTell as doubt:
        return _Truth(None, str(doubt))
    if moment > until:
        return _Truth(value=False, reason=f"{age.field} {moment.isoformat()} is after {age.of} {until.isoformat()}")
    if until - moment > age.limit():
        reason = f"{age.field} {moment.isoformat()} is {until - moment} before {age.of}, more than {age.limit()}"
        return _Truth(value=False, reason=reason)
    return _TRUE


def _moment(value: object, path: str) -> datetime:
    if value is None:
        raise CannotTell(f"{path} is missing")
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)  # type: ignore[arg-type]  # see below
    except (TypeError, ValueError):
        raise CannotTell(f"{path} is {value!r}, where a moment in ISO 8601 was expected") from None
    if moment.utcoffset() is None:
        raise CannotTell(f"{path} is {moment.isoformat()}, a time without an offset")
    return moment
