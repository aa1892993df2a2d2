"""Whole outcomes of a change for the renderers, from the reports of `reports`."""

from __future__ import annotations

from typing import Any

from assay.acknowledgements import Settled, Told, settled
from assay.beside_base import beside_base
from assay.change import ChangeOutcome, SuiteChange, finding_check
from assay.errors import InputError, Problem
from assay.model.report import Report
from assay.model.score import Measure, Ratio
from assay.model.verdict import CaseOutcome, Check
from assay.tampering import NAMES, Finding
from tests.builders import baseline_of, evidence, facts
from tests.unit.reporting.reports import HOSTILE, hostile, outcome_of, passing, ratio, report_of, undecided

BASE = "0123456789abcdef0123456789abcdef01234567"
KEPT = (Check(name="gold_set", status="kept", message="as recorded"),)
TOLERANCE = Finding("raised max_drop_pp", "extraction", "the largest drop that is kept: 3.0 -> 5.0 pp")
EDITED = tuple(Finding("edited case", "extraction", f"case c{n} changed", detail=f"c{n}") for n in range(1, 8))
ORACLE = Finding("oracle policy", "extraction", "goldsets/extraction/v1/prompt.md changed, and nobody has seen an answer", "p")
UNCHANGED = SuiteChange(suite="retrieval", inputs=(), result=None, checks=KEPT)


def changed(report: Report, *findings: Finding, body: str = "", more: tuple[Check, ...] = (), **fields: Any) -> ChangeOutcome:
    """One suite run, one that the change cannot touch."""
    told = settled(findings, body)
    given: dict[str, Any] = {"suite": "extraction", "inputs": ("prompt", "schema", "suite.yaml", "code of score")}
    given |= {"result": outcome_of(report), "checks": (*map(finding_check, told.open), *more)}
    return outcome({"extraction": SuiteChange(**{**given, **fields}), "retrieval": UNCHANGED}, told)


def outcome(suites: dict[str, SuiteChange], told: Settled | None = None, **fields: Any) -> ChangeOutcome:
    return ChangeOutcome(base=BASE, suites=suites, settled=told or settled((), ""), **fields)


def acknowledged() -> ChangeOutcome:
    """PASS: two kinds of findings acknowledged, one line that says too little and one that says nothing any more."""
    lines = (
        "ASSAY_ACK: raised max_drop_pp extraction because three cases are few",
        "ASSAY_ACK: edited case extraction/all 7 because the dates were wrong",
        "ASSAY_ACK: removed case extraction/c9 because it was there twice",
        "ASSAY_ACK: edited case extraction/c1 because ...",
    )
    return changed(
        passing(), TOLERANCE, *EDITED, body="\n".join(lines), added=("c8",), notes=("not compared: another measure",)
    )


def regressed() -> ChangeOutcome:
    """FAIL: recall is down since the merge base over the cases that both have; the change's own baseline hides it."""
    run = facts(
        "recall", cases=4, measures={"recall": Measure(ratios=(Ratio(numerator="hits", denominator="asked", of="queries"),))}
    )
    then, now = {"c1": 1, "c2": 1, "c3": 0}, {"c1": 0, "c2": 1, "c3": 1, "c4": 0}
    before = evidence({"recall": ratio(2, 3, 0.2, 0.9)}, cases=_cases(then))
    after = evidence({"recall": ratio(2, 4, 0.15, 0.85)}, cases=_cases(now))
    block = baseline_of(before).providers["p"]
    assert block is not None
    report = report_of({"p": after}, baseline_of(after), run)
    told = (
        "recall 0.5000 (n=2) against 1.0000 (n=2) at the merge base over 2 unchanged cases: 50 pp worse, at most 3.0 pp allowed"
    )
    beside = {"p": beside_base(after, block, run, {"c1", "c2"})}
    checks = (Check(name="p: base.mrr", status="kept", message="unchanged"),)
    return changed(
        report, Finding("dropped metric", "extraction", told, "p", "recall"), beside=beside, more=checks, added=("c4",)
    )


def _cases(hits: dict[str, int]) -> dict[str, CaseOutcome]:
    return {name: CaseOutcome(passed=hit == 1, score=hit, counts={"hits": hit, "asked": 1}) for name, hit in hits.items()}


def violated() -> ChangeOutcome:
    """FAIL: a changed prompt over a recording made from the expectations."""
    return changed(passing(), ORACLE)


def unjudged() -> ChangeOutcome:
    """NO VERDICT: the run has none."""
    return changed(undecided())


def broken() -> ChangeOutcome:
    """FAIL and ERROR: a suite that cannot be read, a removed one, and a new one."""
    removed = Finding("removed suite", "facets", "facets v1 with 43 cases -> gone")
    told = settled((removed,), "")
    error = InputError(Problem("goldsets/decisions/v1/suite.yaml:3", "unknown key", "metricz", "one of metrics"))
    suites = {
        "decisions": SuiteChange(suite="decisions", inputs=("unreadable",), result=error),
        "extraction": SuiteChange(suite="extraction", inputs=("new suite",), result=outcome_of(passing()), is_new=True),
    }
    return outcome(suites, told, removed=("facets",), loose=(finding_check(removed),))


def hostile_change(text: str = HOSTILE) -> ChangeOutcome:
    """The same text wherever a gold set, a model or a pull request puts text."""
    open_one, known = (Finding(name, "extraction", text, detail=text) for name in NAMES[:2])
    told = Settled(((known, text),), (open_one,), (Told(text, text),), (Told(text, text),))
    change = changed(hostile(text), open_one, inputs=(text,), notes=(text,), added=(text,)).suites["extraction"]
    return outcome({"extraction": change, "retrieval": UNCHANGED}, told)
