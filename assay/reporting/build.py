"""The report from a judgement: headline, provenance and limits in words. Decides nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from pydantic_core import to_json

from assay.model.exchange import ELSEWHERE, IN_PROCESS, ORACLE
from assay.model.report import Judgement, ProviderReport, Report, RunFacts
from assay.model.run import plural
from assay.model.suite import SUBJECT
from assay.model.verdict import Check

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_PLAIN = frozenset((str, int, bool, type(None)))
_LEAST, _MOST = 1e-4, 1e16
"""From the one to the other a number is written without an exponent, here and there."""


def build_report(judgement: Judgement, facts: RunFacts, kind_limits: Callable[[Report], list[str]]) -> Report:
    """The whole report. `kind_limits` adds what this kind's numbers do not prove."""
    draft = Report(
        format=1,
        verdict=judgement.verdict,
        headline=headline(judgement, facts),
        facts=facts,
        checks=judgement.checks,
        providers=judgement.providers,
        head_to_head=judgement.head_to_head,
        limits=(),
    )
    return draft.model_copy(update={"limits": (*_general_limits(draft), *kind_limits(draft))})


def report_bytes(report: Report) -> bytes:
    """`report.json` without its timing block: sorted keys, two spaces, the same bytes for the same report."""
    return json_bytes(report.model_dump(mode="json"))


def with_timing(report: bytes, timing: Mapping[str, object]) -> bytes:
    """`report.json` with its timing block in place; the rest keeps its bytes."""
    before, verdict, after = report.rpartition(b'\n  "verdict": ')
    block = json_bytes({"timing": timing}).decode().removeprefix("{\n").removesuffix("\n}\n")
    return before + f"\n{block},".encode() + verdict + after


def json_bytes(value: object) -> bytes:
    """A value as the JSON text of a report file."""
    return (_indented(value, "\n") + "\n").encode()


def _indented(value: object, newline: str) -> str:
    """What `json.dumps` gives with sorted keys and an indent of two, and sooner where no number is written otherwise."""
    try:
        return to_json(_sorted(value), indent=2).decode().replace("\n", newline)
    except _WrittenOtherwise:
        pass
    deeper = newline + "  "
    if isinstance(value, dict):
        fields = [f"{_ENCODER.encode(key)}: {_indented(value[key], deeper)}" for key in sorted(value)]
        return f"{{{deeper}{f',{deeper}'.join(fields)}{newline}}}"
    if isinstance(value, list | tuple):
        return f"[{deeper}{f',{deeper}'.join([_indented(item, deeper) for item in value])}{newline}]"
    return _ENCODER.encode(value)


def _sorted(value: object) -> object:
    """The value with the keys of all its objects in order. Raises _WrittenOtherwise."""
    if isinstance(value, dict):
        if _PLAIN.issuperset(map(type, value.values())):
            return dict(sorted(value.items()))
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return value if _PLAIN.issuperset(map(type, value)) else [_sorted(item) for item in value]
    if isinstance(value, float) and value and not _LEAST <= abs(value) < _MOST:
        raise _WrittenOtherwise
    return value


class _WrittenOtherwise(Exception):
    """A number that Python writes with an exponent, or refuses."""


def headline(judgement: Judgement, facts: RunFacts) -> str:
    """The verdict in one line, with the first reason where it is not PASS, and who was skipped."""
    reason = _reason(judgement, facts)
    skipped = {name: report.skipped for name, report in judgement.providers.items() if report.skipped}
    untold = [f"{name} ({why})" for name, why in skipped.items() if f"{name} skipped ({why})" not in reason]
    return reason + (f"; skipped: {', '.join(untold)}" if untold else "")


def _reason(judgement: Judgement, facts: RunFacts) -> str:
    name = f"{judgement.verdict} {facts.suite} {facts.version}"
    deciding = deciding_checks(judgement)
    wanted = {"FAIL": "broken", "NO VERDICT": "could-not-run"}.get(judgement.verdict)
    reasons = [(place, check) for place, check in deciding if check.status == wanted]
    if reasons:
        proofs = [check for report in judgement.providers.values() if report.role == SUBJECT for check in report.proof]
        causes = [reason for reason in reasons if reason[1] in proofs and wanted == "broken"]  # the rest may follow from these
        place, check = (causes or reasons)[0]
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        return f"{name}: {place}{' '.join(check.name.split())}: {check.message.splitlines()[0]}{more}"
    gated = [report for report in judgement.providers.values() if report.enforcement == "ci" and report.role == SUBJECT]
    compared = [report.compared for report in gated]
    metrics, cases = plural(sum(c.metrics for c in compared), "metric"), plural(sum(c.cases for c in compared), "case")
    return f"{name}: {plural(len(deciding), 'check')} kept; {metrics} and {cases} compared with the baseline"


def deciding_checks(judgement: Judgement | Report) -> list[tuple[str, Check]]:
    """The checks that the verdict follows from, each with the provider it belongs to."""
    return [("", check) for check in judgement.checks] + [
        (f"{name}: ", check) for name, report in judgement.providers.items() if report.decides for check in report.checks
    ]


def provenances(report: Report) -> list[str]:
    """Where all numbers come from: a sentence per subject, one for all controls."""
    found = [provenance(name, provider) for name, provider in report.providers.items() if provider.role == SUBJECT]
    controls = [f"{name} ({p.role.replace('_', ' ')})" for name, p in report.providers.items() if p.role != SUBJECT]
    return [*found, f"controls, computed in this run by code: {', '.join(controls)}."] if controls else found


def provenance(name: str, provider: ProviderReport) -> str:
    """Where a provider's numbers come from and what follows from that, in one sentence."""
    gated = "gated" if provider.enforcement == "ci" else "manual, never gated"
    recording = provider.recording
    if provider.skipped is not None:
        return f"{name} ({gated}): {provider.model}; skipped: {provider.skipped}. No numbers."
    if recording is None:
        return f"{name} ({gated}): {provider.model}; no recording, no numbers."
    day = (recording.recorded_at or "")[:10]
    if recording.cassette_kind == IN_PROCESS:
        model = recording.model_asked
        nothing = f"{model}, as declared; not computed in this run. No numbers."
        return f"{name} ({gated}): {f'computed in this run by code, {model}.' if provider.metrics else nothing}"
    if recording.cassette_kind == ELSEWHERE:
        return (
            f"{name} ({gated}): answers made elsewhere and read from the suite's files, declared as: {recording.model_asked}. "
            "Nobody was asked in this run."
        )
    if recording.cassette_kind == ORACLE:
        return (
            f"{name} ({gated}): replies made from the expectations for {recording.model_asked}, {day} "
            "(oracle-aligned). A perfect score proves the plumbing, not the model."
        )
    return (
        f"{name} ({gated}): recorded live from {recording.model_served or recording.model_asked}, "
        f"{day}. The numbers are that model's on that day."
    )


def _general_limits(report: Report) -> list[str]:
    oracles = [name for name, p in report.providers.items() if p.cassette_kind == ORACLE]
    without_model = {ORACLE, IN_PROCESS}
    recorded = [name for name, p in report.providers.items() if p.recording and p.cassette_kind not in without_model]
    found = []
    if oracles:
        found.append(f"Live quality: the replies of {', '.join(oracles)} were made from the expectations; no model was asked.")
    if recorded and report.facts.mode == "replay":
        found.append(
            f"Quality today: the replies of {', '.join(recorded)} are recordings; they move with parser, scorer and gold set, "
            "not with the model."
        )
    if report.facts.synthetic:
        found.append("Customer traffic: the gold set is synthetic; real users write otherwise.")
    found.append("Latency, cost and capacity: a replay measures none of them.")
    return found
