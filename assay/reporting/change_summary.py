"""The public summary of a change, `change.json`; its JSON Schema is `schemas/change-summary.schema.json`."""

from __future__ import annotations

from typing import Literal, get_args

from assay.acknowledgements import Settled, Told
from assay.change import ChangeOutcome, SuiteChange
from assay.errors import UserError
from assay.model.base import Documented
from assay.model.verdict import Check
from assay.reporting.run_report import report_of, timing_of
from assay.reporting.summary import RunSummary, summary_of
from assay.tampering import Finding

ChangeVerdict = Literal["PASS", "FAIL", "NO VERDICT", "ERROR", "UNCHANGED"]


class FindingSummary(Documented):
    """One way in which the change makes passing easier."""

    name: str
    suite: str
    provider: str | None
    detail: str | None
    """Which case, metric, check, module or file."""
    what: str
    """In words, with both values."""
    acknowledgement: str
    """The line that settles it once a reason stands in it."""
    reason: str | None
    """Why, where the pull request acknowledges it; null where it is open and fails the gate."""


class LineSummary(Documented):
    """A line of the pull request's text that settles nothing."""

    line: str
    why: str


class SuiteSummary(Documented):
    """One suite under the change."""

    verdict: ChangeVerdict
    touched_by: tuple[str, ...]
    """What differs from the merge base of all that the suite's run follows from; empty where the change cannot touch it."""
    is_new: bool
    """Whether the merge base does not have it; then its own baseline gates it."""
    added_cases: tuple[str, ...]
    """Cases that the merge base does not have; the change's own baseline gates them."""
    checks: tuple[Check, ...]
    """What is asked of the change beside the run."""
    notes: tuple[str, ...]
    run: RunSummary | None
    """Null for a suite that was not run."""
    errors: tuple[str, ...]
    """Why it could not be run."""


class ChangeSummary(Documented):
    """A change in short."""

    format: Literal[1]
    verdict: ChangeVerdict
    headline: str
    base: str
    """The merge base."""
    suites: dict[str, SuiteSummary]
    removed_suites: tuple[str, ...]
    findings: tuple[FindingSummary, ...]
    """All that makes passing easier, acknowledged or not."""
    unused_acknowledgements: tuple[LineSummary, ...]
    malformed_acknowledgements: tuple[LineSummary, ...]


def change_summary(outcome: ChangeOutcome) -> ChangeSummary:
    """The summary of an outcome."""
    return ChangeSummary(
        format=1,
        verdict=_verdict(outcome.verdict),
        headline=outcome.headline,
        base=outcome.base,
        suites={name: _suite(change) for name, change in outcome.suites.items()},
        removed_suites=outcome.removed,
        findings=_findings(outcome.settled),
        unused_acknowledgements=tuple(map(_line, outcome.settled.unused)),
        malformed_acknowledgements=tuple(map(_line, outcome.settled.malformed)),
    )


def _suite(change: SuiteChange) -> SuiteSummary:
    report = report_of(change)
    return SuiteSummary(
        verdict=_verdict(change.verdict),
        touched_by=change.inputs,
        is_new=change.is_new,
        added_cases=change.added,
        checks=change.checks,
        notes=change.notes,
        run=summary_of(report, timing_of(change)) if report else None,
        errors=tuple(map(str, change.result.problems)) if isinstance(change.result, UserError) else (),
    )


def _findings(settled: Settled) -> tuple[FindingSummary, ...]:
    acknowledged = [_finding(finding, reason) for finding, reason in settled.acknowledged]
    return (*(_finding(finding, None) for finding in settled.open), *acknowledged)


def _finding(finding: Finding, reason: str | None) -> FindingSummary:
    return FindingSummary(
        name=finding.name,
        suite=finding.suite,
        provider=finding.provider,
        detail=finding.detail,
        what=finding.what,
        acknowledgement=finding.acknowledgement,
        reason=reason,
    )


def _line(told: Told) -> LineSummary:
    return LineSummary(line=told.line, why=told.why)


def _verdict(told: str) -> ChangeVerdict:
    return next(verdict for verdict in get_args(ChangeVerdict) if verdict == told)
