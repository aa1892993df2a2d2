"""A live run that nobody waits for: which suites it asks, and in which week."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from assay.errors import UserError
from assay.model.evidence import Limits
from assay.model.suite import Suite
from assay.stores.evidence import measured_in, skipped_in
from assay.stores.goldsets import open_suite


def week_of(now: datetime) -> str:
    """The ISO week, such as `2026-W49`."""
    year, week, _ = now.isocalendar()
    return f"{year}-W{week:02d}"


def due(
    root: Path, suites: Iterable[str], evidence: Path, period: str, *, once: Limits | None
) -> tuple[list[str], dict[str, str]]:
    """The suites to be measured, and those that are not, with the reason.

    A suite that cannot be read is due: its error is the run's result. With `once`, the limits of this run, a suite of which
    every provider was measured in this period, or skipped with a reason, is not, so that a schedule which was missed or
    overlaps runs once. A run of some providers does not stand for the others, and one that was cut short under a tighter
    limit not for the whole.
    """
    names, left_out = [], {}
    for name in suites:
        try:
            suite = open_suite(root, name).suite
        except UserError:
            names.append(name)
            continue
        asked = [provider for provider, declared in suite.subjects.items() if declared.live is not None]
        measured = _measured(asked, evidence, suite, period, once) if once else []
        if not asked:
            left_out[name] = "no provider of it can be asked"
        elif measured:
            left_out[name] = f"measured in {period} already: {', '.join(measured)}"
        else:
            names.append(name)
    return names, left_out


def _measured(asked: Iterable[str], evidence: Path, suite: Suite, period: str, limits: Limits) -> list[str]:
    """What was measured of a suite, with the day; nothing where one that is asked was neither measured nor skipped."""
    days = {name: measured_in(evidence, suite.suite, suite.version, name, period, limits) for name in asked}
    left = {name for name, day in days.items() if not day} - skipped_in(evidence, suite.suite, suite.version, period, limits)
    return [] if left else [f"{name} on {day}" for name, day in days.items() if day]
