"""All findings over one suite at two revisions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.tampering.cases import case_findings
from assay.tampering.evaluators import evaluator_findings
from assay.tampering.finding import NAMES, Finding, moved
from assay.tampering.measures import measure_findings
from assay.tampering.options import option_findings
from assay.tampering.providers import provider_findings, recording_findings
from assay.tampering.side import Side
from assay.tampering.thresholds import threshold_findings


def findings(before: Side, after: Side) -> list[Finding]:
    """Every way in which `after` makes passing easier than `before`, by name and then by place.

    What makes it harder is no finding, what is equal never is one, and no order of keys, cases or providers counts. Where
    the direction cannot be told (code, shared files, options that only the kind understands), any change is a finding.
    """
    parts = (
        suite_findings,
        case_findings,
        threshold_findings,
        provider_findings,
        evaluator_findings,
        option_findings,
        measure_findings,
        recording_findings,
    )
    return _in_order(found for part in parts for found in part(before, after))


def removed_suite(before: Side) -> Finding:
    """What to say of a suite that the later revision lacks."""
    suite = before.suite
    return Finding("removed suite", suite.suite, f"{suite.suite} {suite.version} with {len(before.cases)} cases -> gone")


def suite_findings(before: Side, after: Side) -> Iterator[Finding]:
    """What the suite says of itself."""
    old, new = before.suite, after.suite
    if old.version != new.version:
        yield Finding("replaced version", old.suite, f"version of the gold set: {old.version} -> {new.version}")
    if old.kind != new.kind:
        yield Finding("changed kind", old.suite, f"kind: {old.kind} -> {new.kind}")
    if old.contract is not None and new.contract is None:
        yield Finding("removed contract", old.suite, f"contract: prompt {old.contract.prompt} -> none")
    if old.synthetic != new.synthetic:
        yield Finding("flipped synthetic", old.suite, f"synthetic: {moved(old.synthetic, new.synthetic)}")


def _in_order(found: Iterable[Finding]) -> list[Finding]:
    """By name and place; two at one place become one that says both, so that an acknowledgement settles exactly one."""
    merged: dict[str, Finding] = {}
    for one in sorted(found, key=lambda f: (NAMES.index(f.name), f.place, f.what)):
        before = merged.get(one.subject)
        told = f"{before.what}; {one.what}" if before else one.what
        merged[one.subject] = Finding(one.name, one.suite, told, one.provider, one.detail)
    return list(merged.values())
