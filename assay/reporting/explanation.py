"""Why a case has its score, from the report, and from the suite's files where they are those of the run. Decides nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.model.exchange import IN_PROCESS
from assay.model.report import FailedCase, ProviderReport, Report
from assay.model.verdict import CaseOutcome
from assay.reporting.build import provenance
from assay.reporting.explanation_counts import Swap, added_lines, check_lines, flip_lines
from assay.reporting.explanation_judged import judged_lines
from assay.reporting.quoted import short
from assay.reporting.terminal import one_line

REASON = 300


@dataclass(frozen=True)
class Known:
    """What is known of a case beside the report. All of it is empty where the files are no longer those of the run."""

    why_not: str | None = None
    """Why nothing but the report may be told."""
    requests: tuple[str, ...] = ()
    """What was asked and what came back, or what code answered: a sentence each."""
    found: FailedCase | None = None
    """Status and detail of the case, right or not, scored again."""
    before: CaseOutcome | None = None
    """The case in the baseline that the run was compared with."""
    objectives: Mapping[str, str] | None = None
    """Of a suite of checks: what each evaluator's score is wanted to be."""


def case_text(report: Report, run: str, name: str, case: str, known: Known) -> str:
    """The explanation of one case of one provider, in sentences."""
    facts, provider = report.facts, report.providers[name]
    outcome, swap = provider.cases[case], Swap.of(report, name, case)
    counts, before = outcome.tallied, known.before.tallied if known.before else None
    right = "right" if outcome.passed else "not right"
    parts = {
        "Where its answer comes from": _answer(name, provider, case, known),
        "How it was judged": _judged(report, provider, case, known),
        "What it adds": _added(report, name, outcome),
        "Which checks it feeds": check_lines(swap, counts),
        "Whether it alone could flip the verdict": flip_lines(swap, counts, before),
    }
    head = f"{facts.suite} {facts.version}, case {case} of {name}: {right}, score {outcome.score:.4f}"
    lines = [one_line(f"{head} (run {run}, {facts.mode})")]
    if known.why_not:
        lines.append(one_line(f"Only the report is used, and nothing of the suite's files: {known.why_not}."))
    for title, sentences in parts.items():
        lines += ["", title, *(f"  {one_line(sentence)}" for sentence in sentences)]
        lines += ["  None."] if lines[-1] == title else []
    return "\n".join(lines) + "\n"


def _answer(name: str, provider: ProviderReport, case: str, known: Known) -> Iterator[str]:
    yield provenance(name, provider)
    if provider.recording and provider.cassette_kind != IN_PROCESS:
        yield f"Its recording has the SHA-256 {_digest(provider.recording.cassette_sha256)}."
    yield from known.requests
    found = _found(provider, case, known)
    if found is None:
        yield "Status: not in the report, which keeps the details of those that are not right."
    else:
        yield f"Status: {found.status}{f', {short(found.reason, REASON)}' if found.reason else ''}."
    if case in provider.stability:
        yield f"Over all askings it was a {provider.stability[case]}."


def _judged(report: Report, provider: ProviderReport, case: str, known: Known) -> Iterator[str]:
    outcome, found = provider.cases[case], _found(provider, case, known)
    if found is None or not found.detail:
        yield "What was compared is not in the report, which keeps the details of subjects' cases that are not right."
    else:
        yield from judged_lines(report.facts, outcome, found, known.objectives)
    yield from _change(provider, case, known.before)


def _change(provider: ProviderReport, case: str, before: CaseOutcome | None) -> Iterator[str]:
    was = f": it was {'right' if before.passed else 'not right'}, score {before.score:.4f}" if before else ""
    compared = provider.compared
    if case in compared.better:
        yield f"It is better than in the baseline{was}."
    elif case in compared.worse:
        yield f"It is worse than in the baseline{was}."
    elif case in compared.new:
        yield "The baseline does not have it."
    elif compared.cases:
        yield "It is no better and no worse than in the baseline."
    else:
        yield "It was compared with no baseline."


def _added(report: Report, name: str, outcome: CaseOutcome) -> Iterator[str]:
    if outcome.left_out:
        yield f"It is in no mean: {outcome.left_out}."
    yield from added_lines(report, name, outcome.tallied)


def _found(provider: ProviderReport, case: str, known: Known) -> FailedCase | None:
    kept = provider.failed.get(case)
    return kept if kept and kept.detail else known.found or kept


def _digest(sha256: str) -> str:
    return f"{sha256[:12]}…"
