"""The verdict on one subject of a suite, as the text of a failed test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.model.report import FailedCase, ProviderReport
from assay.model.suite import SUBJECT
from assay.model.verdict import Check, Outcome, outcome_of
from assay.pytest_plugin.runs import Ran
from assay.reporting.build import deciding_checks, provenance, provenances
from assay.reporting.figures import differences

CASES = 5
"""How many cases that got worse are told."""
DIFFERENCES = 2
"""Of each of them, how many lines of what differs."""


@dataclass(frozen=True)
class Told:
    """An outcome, its first reason in one line, and all that a person needs to see why."""

    outcome: Outcome
    reason: str
    text: str


def verdict_on(ran: Ran, provider: str | None) -> Told:
    """The verdict that follows from the suite's checks, its controls' and this subject's; without a name from all.

    A subject that the report does not hold is a FAIL.
    """
    report = ran.report
    if provider is not None and provider not in report.providers:
        missing = f"{provider} has no result in the report"
        return Told("FAIL", missing, f"{report.headline}\n{missing}")
    others = {f"{name}: " for name, p in report.providers.items() if p.role == SUBJECT and name != provider}
    deciding = [(place, c) for place, c in deciding_checks(report) if provider is None or place not in others]
    outcome = outcome_of(check for _, check in deciding)
    left = [(place, check) for place, check in deciding if check.status != "kept"]
    lines = [report.headline]
    if provider is None:
        lines += [f"  {told}" for told in provenances(report)]
    else:
        lines.append(f"  {provenance(provider, report.providers[provider])}")
    lines += [f"  {override}" for override in report.facts.overrides]
    lines += ["", f"{outcome}{f' for {provider}' if provider else ''}: {len(left)} of {len(deciding)} checks not kept"]
    lines += [f"  {check.status:<14}{place}{check.name}: {check.message}" for place, check in left]
    lines += list(_worse(report.providers[provider])) if provider else []
    lines += ["", f"Report: {ran.folder / 'report.md'}"]
    return Told(outcome, printable(_reason(outcome, left)), printable("\n".join(lines)))


def _reason(outcome: Outcome, left: Sequence[tuple[str, Check]]) -> str:
    wanted = "broken" if outcome == "FAIL" else "could-not-run"
    reasons = [f"{place}{check.name}: {check.message}" for place, check in left if check.status == wanted]
    first = (reasons or ["no check at all"])[0].partition("\n")[0]
    return f"{outcome}: {first}" + (f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else "")


def _worse(provider: ProviderReport) -> Iterator[str]:
    """A few cases that were right in the baseline and are not in this run."""
    worse = provider.compared.worse
    for case in worse[:CASES]:
        yield f"  worse         {case}: {_why(provider.failed.get(case))}"
    if len(worse) > CASES:
        yield f"  worse         and {len(worse) - CASES} more cases"


def _why(failed: FailedCase | None) -> str:
    """Why a case is not right, in one line."""
    if failed is None:
        return "right still, and scores less"
    reason = (failed.reason or "").strip().splitlines()
    return "; ".join([*reason[-1:], *differences(failed, DIFFERENCES)]) or failed.status


def printable(text: str) -> str:
    """The text without characters that could steer a terminal: what a model said may be part of it."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
