"""Metrics, checks and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

from pydantic import Field, model_validator

from assay.model.base import Frozen

Status = Literal["kept", "broken", "could-not-run"]
Outcome = Literal["PASS", "FAIL", "NO VERDICT"]
EXIT_CODES: dict[Outcome, int] = {"PASS": 0, "FAIL": 1, "NO VERDICT": 3}


class Metric(Frozen):
    """A measured value with what it averages over; undefined is `None` with a reason, never a number."""

    value: float | None
    n: int = Field(ge=0)
    numerator: float | None
    denominator: float | None
    low: float | None
    high: float | None
    reason: str | None = None

    @model_validator(mode="after")
    def _undefined_has_a_reason(self) -> Self:
        if (self.value is None) != (self.reason is not None):
            raise ValueError("a metric has either a value or a reason why it is undefined")
        return self


class Check(Frozen):
    """One condition of the gate."""

    name: str
    status: Status
    message: str


class CaseOutcome(Frozen):
    """What one case came to, under one provider."""

    passed: bool
    score: float = Field(ge=0, le=1)
    counts: dict[str, int | float] = Field(default_factory=dict)
    """What the case adds to the sums that metrics are made of; zeros are left out."""
    left_out: str | None = None
    """Why the case is in no mean, where it is in none."""

    @property
    def tallied(self) -> dict[str, int | float]:
        """Its counts, and whether it passed as one of them: what all metrics are made of."""
        return {**self.counts, "passed": int(self.passed)}


def outcome_of(checks: Iterable[Check]) -> Outcome:
    """PASS when all were kept, FAIL when any was broken, else NO VERDICT. No check at all is NO VERDICT."""
    statuses = [check.status for check in checks]
    if "broken" in statuses:
        return "FAIL"
    if not statuses or "could-not-run" in statuses:
        return "NO VERDICT"
    return "PASS"
