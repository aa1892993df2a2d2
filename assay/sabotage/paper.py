"""What was worked out on paper as a check of the run, and what a verdict is worth without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from assay.model.report import Judgement, Report
from assay.model.selftest import SelfCheck
from assay.model.verdict import Check

SHOWN = 5


def paper_check(name: str, found: Sequence[SelfCheck]) -> Check:
    """One check over all that was worked out on paper. Nothing worked out is could-not-run."""
    wrong = [check for check in found if not check.holds]
    if wrong:
        told = "; ".join(f"{check.name}: expected {check.expected}, got {check.got}" for check in wrong[:SHOWN])
        more = f"; and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
        message = f"{len(wrong)} of {len(found)} are wrong, so no verdict is believed. {told}{more}"
        return Check(name=name, status="broken", message=message)
    if not found:
        return Check(name=name, status="could-not-run", message="nothing was worked out on paper")
    return Check(name=name, status="kept", message=f"{len(found)} of {len(found)} worked out on paper agree")


Said = TypeVar("Said", Judgement, Report)


def believed(said: Said, tried: Check) -> Said:
    """What was said as it is where its maker holds on paper; else FAIL, whatever it says, and the reason comes first."""
    if tried.status == "kept":
        return said
    update: dict[str, object] = {"verdict": "FAIL", "checks": (tried, *said.checks)}
    if isinstance(said, Report):
        update["headline"] = f"FAIL {said.facts.suite} {said.facts.version}: {tried.name}: {tried.message}"
    return said.model_copy(update=update)
