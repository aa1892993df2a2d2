"""Policies of a few rules, for the tests of this folder."""

from __future__ import annotations

from typing import Any

from assay.providers.policy.policy import Policy
from assay.providers.policy.rules import form_of

OUTCOMES = ("yes", "no", "later")


def policy(*rules: dict[str, Any]) -> Policy:
    """One policy `p` with rules r1, r2, ..."""
    named = [{"name": f"r{number}", **rule} for number, rule in enumerate(rules, start=1)]
    return Policy("p", "P", OUTCOMES, tuple(form_of(rule).model_validate(rule) for rule in named))


def decision(outcome: object = "yes", timestamp: object = "2026-11-10T12:00:00+00:00", **facts: object) -> dict[str, Any]:
    """A decision record with these facts."""
    return {"outcome": outcome, "timestamp": timestamp, "confidence": 0.9, "metadata": {"facts": facts}}
