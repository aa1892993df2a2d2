"""publish: the report on trial. What it must say of a judgement made by hand was written down by hand.

One gated provider `p`, replies made from the expectations, 8 of 10 rows right; case c2 of three is wrong. Two checks decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.model.report import Comparison, FailedCase, Judgement, ProviderReport, Report
from assay.model.selftest import SelfCheck
from assay.model.verdict import CaseOutcome, Check, Metric
from assay.sabotage.gate_paper import FACTS, RECORDING
from assay.sabotage.parts import Build, Markdown

REPORT_SELF_TEST = "report_self_test"
EIGHT_OF_TEN = Metric(value=0.8, n=10, numerator=8.0, denominator=10.0, low=0.49, high=0.94)
HEADLINES = {
    "PASS": "PASS paper v1: 2 checks kept; 1 metric and 3 cases compared with the baseline",
    "FAIL": "FAIL paper v1: p: results: one row is lost",
    "NO VERDICT": "NO VERDICT paper v1: p: results: one row is lost",
}
STATUS = {"PASS": "kept", "FAIL": "broken", "NO VERDICT": "could-not-run"}
CODES = {"PASS": 0, "FAIL": 1, "NO VERDICT": 3}
PROVENANCE = "p (gated): replies made from the expectations for m, 2026-11-30"
LIMIT = "Live quality: the replies of p were made from the expectations; no model was asked."


def judgement_of(verdict: str) -> Judgement:
    """The judgement by hand, with this verdict and the check that it follows from."""
    decisive = Check.model_validate({"name": "results", "status": STATUS[verdict], "message": "one row is lost"})
    right, wrong = CaseOutcome(passed=True, score=1.0), CaseOutcome(passed=False, score=0.5)
    provider = ProviderReport(
        role="subject",
        enforcement="ci",
        model="m",
        cassette_kind=RECORDING.cassette_kind,
        recording=RECORDING,
        proof=(),
        metrics={"m": EIGHT_OF_TEN},
        cases={"c1": right, "c2": wrong, "c3": right},
        failed={"c2": FailedCase(status="scored", reason=None, detail={"expected": "a", "predicted": "b", "difference": []})},
        checks=(decisive,),
        compared=Comparison(cases=3, metrics=1),
        baseline={"m": EIGHT_OF_TEN},
        baseline_refreshed="2026-11-30",
    )
    suite = Check(name="self_test", status="kept", message="")
    return Judgement.model_validate({"verdict": verdict, "checks": (suite,), "providers": {"p": provider}})


def report_checks(build: Build, markdown: Markdown, exit_codes: Mapping[Any, int]) -> list[SelfCheck]:
    """What the given functions make of the judgements, beside what they must make of them."""
    found: list[SelfCheck] = []
    for verdict, headline in HEADLINES.items():
        report = build(judgement_of(verdict), FACTS, lambda _: ["by hand"])
        found += [
            _claim(f"{verdict}: the report says so", report.verdict == verdict),
            _claim(f"{verdict}: the headline", report.headline == headline),
            SelfCheck(f"{verdict}: the exit code", float(CODES[verdict]), float(exit_codes.get(verdict, -1))),
        ]
    report = build(judgement_of("PASS"), FACTS, lambda _: ["by hand"])
    return [*found, *_numbers(report), *_words(report, markdown(report))]


def _numbers(report: Report) -> list[SelfCheck]:
    found = report.providers.get("p")
    metric = found.metrics.get("m") if found else None
    return [
        SelfCheck("8 of 10 are 0.8", 0.8, metric.value if metric else None),
        SelfCheck("the denominator is 10", 10.0, metric.denominator if metric else None),
        SelfCheck("the rows are 10", 10.0, float(metric.n) if metric else None),
        SelfCheck("three cases", 3.0, float(len(found.cases)) if found else None),
        SelfCheck("one failing case", 1.0, float(len(found.failed)) if found else None),
        SelfCheck("two checks", 2.0, float(len(report.checks) + len(found.checks)) if found else None),
        SelfCheck("three cases compared", 3.0, float(found.compared.cases) if found else None),
    ]


def _words(report: Report, text: str) -> list[SelfCheck]:
    found = report.providers.get("p")
    return [
        _claim("the failing case is named", "c2" in (found.failed if found else {})),
        _claim("where the replies came from", bool(found and found.recording == RECORDING)),
        _claim("replies made from the expectations are a limit", LIMIT in report.limits),
        _claim("the kind's limits are there", "by hand" in report.limits),
        _claim("the text begins with the verdict", text.startswith("## PASS")),
        _claim("the text says where the replies came from", PROVENANCE in text),
        _claim("the text names the failing case", "c2" in text),
        _claim("the text gives value and rows", "0.8" in text and "10" in text),
        _claim("the text gives the limits", "by hand" in text),
    ]


def _claim(name: str, holds: bool) -> SelfCheck:  # the claim itself
    return SelfCheck(name, 1.0, float(holds))
