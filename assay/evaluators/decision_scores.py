"""decision_scores: what a decision record must have, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Protocol, runtime_checkable

from assay.evaluators.decision import fields_of
from assay.evaluators.guard import CannotRun, guarded
from assay.evaluators.metric import EvalMetric
from assay.evaluators.options import bound, check_known, verdict

OPTIONS = ("expected_outcome", "min_confidence", "max_confidence", "provenance_key", "policy_engine", "policy_id")
TEXTS = ("decision_maker", "reasoning", "scenario")
RESERVED = "causal_chain_exists"
PROVENANCE = "provenance"


@runtime_checkable
class PolicyEngine(Protocol):
    """Says whether a decision keeps a policy."""

    def check_compliance(self, decision: object, policy_id: str, /) -> bool:
        """True when it does. The decision comes as the evaluator got it, an object or a dict."""
        ...


@dataclass(frozen=True)
class _Checked:
    """One check that ran: why it was not kept, or None."""

    name: str
    broken: str | None


def decision_scores(actual: object, expected: object = None, config: Mapping[str, object] | None = None) -> EvalMetric:
    """Passes when every check of a Decision, or of its dict, is kept. Score: the share of checks that were.

    Always checked: `confidence` in [`min_confidence`, `max_confidence`] (default [0, 1]); decision_maker, reasoning and
    scenario not blank; something under `provenance_key` (default `provenance`) in the metadata. The outcome is checked
    against `expected_outcome`, else `expected`, unless both are None; the policy when `policy_engine` and `policy_id` are
    both set. `meta` holds `checks` by name, `reasons` of the broken ones, and `skipped`. A policy engine that raises could
    not run.

    Raises:
        NotImplementedError: the options hold `causal_chain_exists`, which is kept for a later version.
    """
    if isinstance(config, Mapping) and RESERVED in config:
        raise NotImplementedError(f"decision_scores: the option {RESERVED!r} is kept for a later version. Leave it out.")
    return _guarded_scores(actual, expected, config)


@guarded
def _guarded_scores(actual: object, expected: object, options: Mapping[str, object], /) -> EvalMetric:
    check_known(options, OPTIONS)
    fields = fields_of(actual)
    if fields is None:
        raise CannotRun("actual", "is no decision", repr(actual) if actual is None else actual, "a Decision or its dict")
    wanted = options.get("expected_outcome")
    found = [
        _outcome(fields, expected if wanted is None else wanted),
        _confidence(fields, options),
        *(_Checked(name, _blank(fields[name])) for name in TEXTS),
        _provenance(fields, options),
        _policy(actual, options),
    ]
    ran = [check for check in found if check is not None]
    reasons = {check.name: check.broken for check in ran if check.broken is not None}
    meta: dict[str, object] = {"checks": {check.name: check.broken is None for check in ran}, "reasons": reasons}
    skipped = [name for name, check in (("outcome", found[0]), ("policy", found[-1])) if check is None]
    if skipped:
        meta["skipped"] = skipped
    return EvalMetric((len(ran) - len(reasons)) / len(ran), not reasons, meta)


def _outcome(fields: Mapping[str, object], wanted: object) -> _Checked | None:
    if wanted is None:
        return None
    is_met = bool(fields["outcome"] == wanted)
    return _Checked("outcome", None if is_met else f"outcome is {fields['outcome']!r}, expected {wanted!r}")


def _confidence(fields: Mapping[str, object], options: Mapping[str, object]) -> _Checked:
    low, high = bound(options, "min_confidence", 0.0), bound(options, "max_confidence", 1.0)
    if low > high:
        raise CannotRun("min_confidence", "is above max_confidence, so nothing can pass", low, f"at most {high!r}")
    value = fields["confidence"]
    if isinstance(value, bool) or not isinstance(value, Real):
        return _Checked("confidence", f"confidence is {value!r}, no number")
    is_met = low <= float(value) <= high
    return _Checked("confidence", None if is_met else f"confidence is {value!r}, not in [{low}, {high}]")


def _blank(value: object) -> str | None:
    if not isinstance(value, str):
        return "is missing" if value is None else f"is {value!r}, no text"
    return None if value.strip() else "is blank"


def _provenance(fields: Mapping[str, object], options: Mapping[str, object]) -> _Checked:
    key, metadata = options.get("provenance_key", PROVENANCE), fields["metadata"]
    if not isinstance(key, str) or not key:
        raise CannotRun("provenance_key", "is no name", key, "a key of the metadata")
    value = metadata.get(key) if isinstance(metadata, Mapping) else None
    is_there = bool(value.strip() if isinstance(value, str) else value)
    return _Checked("provenance", None if is_there else f"nothing under {key!r} in the metadata")


def _policy(decision: object, options: Mapping[str, object]) -> _Checked | None:
    engine, policy = options.get("policy_engine"), options.get("policy_id")
    if engine is None or policy is None:
        return None
    if not isinstance(engine, PolicyEngine):
        raise CannotRun("policy_engine", "cannot check", engine, "an object with check_compliance(decision, policy_id)")
    if not isinstance(policy, str):
        raise CannotRun("policy_id", "is no name", policy, "text")
    is_kept = verdict(engine.check_compliance(decision, policy), "policy_engine")
    return _Checked("policy", None if is_kept else f"policy {policy!r} is not kept")
