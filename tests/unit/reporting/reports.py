"""Whole reports for the renderers, made by the real gate: a pass, a failure, no verdict, and one of hostile text."""

from __future__ import annotations

from typing import Any

from assay.gate import judge
from assay.model.baseline import Baseline
from assay.model.report import Evidence, FailedCase, Judgement, Report, RunFacts
from assay.model.run import RunOutcome, StageRun
from assay.model.score import Measure, Ratio
from assay.model.suite import SUBJECT, Role
from assay.model.verdict import CaseOutcome, Check, Metric
from assay.reporting.build import build_report, json_bytes
from tests.builders import baseline_of, chance, control_evidence, evidence, facts, recording

HOSTILE = "x](http://e.example) <script>alert(1)</script> `code` **bold** | [red]cell[/red] # title\n## heading\n- item"
CONTROL = "bell \x07 escape \x1b[31m null \x00 not-a-character \ufffe"
RIGHT = CaseOutcome(passed=True, score=1.0)
WRONG = CaseOutcome(passed=False, score=0.5)
STAGES = (
    StageRun("load", None, cached=True, seconds=0.0123, rows=3),
    StageRun("score", "p", cached=False, seconds=1.5, rows=3),
)
TIMING: dict[str, Any] = {
    "run_id": "20261130T120000Z-extraction-abc123",
    "engine": "offline",
    "started": "2026-11-30T12:00:00+00:00",
    "seconds": 1.5123,
    "stages": [vars(stage) for stage in STAGES],
    "ages_days": {"p.recording": 3, "p.baseline": 3},
    "stale_after_days": 90,
    "stale": [],
}


def ratio(numerator: int, denominator: int, low: float, high: float) -> Metric:
    """A share with its interval."""
    return Metric(
        value=numerator / denominator,
        n=denominator,
        numerator=numerator,
        denominator=denominator,
        low=low,
        high=high,
    )


def undefined(reason: str) -> Metric:
    """A metric without rows."""
    return Metric(value=None, n=0, numerator=None, denominator=0, low=None, high=None, reason=reason)


def judgement(found: dict[str, Evidence], baseline: Baseline | None, run: RunFacts, *checks: Check) -> Judgement:
    """What the gate makes of it, with every subject declared as it answered."""
    declared = {name: item.enforcement for name, item in found.items() if item.role == SUBJECT}
    return judge(found, baseline, run, checks, declared=declared)


def report_of(found: dict[str, Evidence], baseline: Baseline | None, run: RunFacts, *checks: Check) -> Report:
    """The report on it, with one limit of its kind."""
    return build_report(judgement(found, baseline, run, *checks), run, lambda _: ["Wording: the kind's own limit."])


def good() -> Evidence:
    """Two gated metrics, one a mean of classes."""
    return evidence({"recall": ratio(3, 3, 0.44, 1.0), "precision_macro": ratio(5, 5, 0.9, 1.0)})


def manual() -> Evidence:
    """A provider without a recording, which nothing is gated on."""
    check = Check(name="recording", status="could-not-run", message="provider q has no recording")
    nothing: dict[str, Any] = {"cassette_kind": None, "recording": None, "cases": {}, "proof": (check,)}
    return evidence({}, enforcement="manual", model="other-model", **nothing)


def passing() -> Report:
    """PASS: two metrics and three cases compared; a manual provider beside it."""
    return report_of({"p": good(), "q": manual()}, baseline_of(good()), facts("recall", "precision_macro"))


def failing(case_id: str = "c2", content: str = "The user lives in Lyon.") -> Report:
    """FAIL: one of three memories is no longer found, so recall drops by a third; that case got worse."""
    cases = {"c1": RIGHT, "c3": RIGHT, case_id: RIGHT}
    before = evidence({"recall": ratio(3, 3, 0.44, 1.0)}, cases=cases)
    memory = {"id": f"{case_id}-m1", "content": content, "categories": ["factual"]}
    detail: dict[str, Any] = {"expected": [memory], "predicted": [], "difference": [f"missing: {content}"]}
    wrong = FailedCase(status="scored", reason=None, detail=detail)
    after = evidence({"recall": ratio(2, 3, 0.2, 0.93)}, cases={**cases, case_id: WRONG}, failed={case_id: wrong})
    return report_of({"p": after}, baseline_of(before), facts("recall"))


def undecided() -> Report:
    """NO VERDICT: no baseline yet, and a gated metric without rows."""
    found = evidence({"recall": ratio(3, 3, 0.44, 1.0), "precision": undefined("no memories predicted")})
    return report_of({"p": found}, None, facts("recall", "precision"))


def controlled(lost: str = "c3", kept_out: str = "kept as a guard") -> Report:
    """FAIL: a positive control under its floor beside a negative and a trivial one; one case lost to it, one left out."""
    share = Measure(ratios=(Ratio(numerator="hits", denominator="asked", of="queries", values="shares"),))
    run = facts("recall", "mrr", cases=4, chance={"hashes": chance(0.1, 0.2)}, measures={"recall": share, "mrr": share})

    def cases(*hits: float) -> dict[str, CaseOutcome]:
        found = {name: hit_of(hit) for name, hit in zip(("c1", "c2", lost), hits, strict=True)}
        return {**found, "c4": CaseOutcome(passed=True, score=1.0, left_out=kept_out)}

    subject = evidence({"recall": ratio(9, 10, 0.6, 0.98), "mrr": ratio(8, 10, 0.49, 0.94)}, cases=cases(1.0, 1.0, 0.5))
    numbers: dict[str, tuple[Role, dict[str, Metric]]] = {
        "keyword": ("positive_control", {"recall": ratio(4, 10, 0.17, 0.69), "mrr": ratio(3, 10, 0.1, 0.6)}),
        "hashes": ("negative_control", {"recall": ratio(1, 10, 0.02, 0.4)}),
        "constant": ("trivial_strategy", {"recall": undefined("no queries")}),
    }
    controls = {name: control_evidence(*given, cases=cases(1.0, 0.25, 0.75)) for name, given in numbers.items()}
    return report_of({"p": subject, **controls}, baseline_of(subject), run)


def hit_of(hit: float) -> CaseOutcome:
    """A query with this much found."""
    return CaseOutcome(passed=hit == 1.0, score=hit, counts={"hits": hit, "asked": 1})


def hostile(text: str = HOSTILE) -> Report:
    """FAIL, with the same text wherever a gold set, a model or a person puts text."""
    failed = {text: FailedCase(status="malformed", reason=text, detail={"expected": [text], "difference": [text, text]})}
    asked = recording(model_asked=text)
    before = evidence({"recall": ratio(3, 3, 0.44, 1.0)}, cases={text: RIGHT, "c1": RIGHT, "c2": WRONG}, recording=asked)
    after = evidence(
        {"recall": ratio(2, 3, 0.2, 0.93)},
        cases={text: WRONG, "c1": RIGHT, "c2": RIGHT},
        failed=failed,
        recording=asked,
        notes=(f"1 recorded cases that no request asked for: {text}",),
        proof=(Check(name=text, status="broken", message=text),),
    )
    suite_check = Check(name="calibration", status="broken", message=text)
    silent = manual().model_copy(update={"model": text})
    run = facts("recall", overrides=(f"--set a={text}",))
    return report_of({"p": after, "q": silent}, baseline_of(before), run, suite_check)


def outcome_of(report: Report, folder: str = "/runs/r1") -> RunOutcome:
    """The finished run that such a report belongs to."""
    return RunOutcome(
        run_id=TIMING["run_id"],
        folder=folder,
        report=json_bytes({**report.model_dump(mode="json"), "timing": TIMING}),
        verdict=report.verdict,
        headline=report.headline,
        markdown="",
        stages=STAGES,
    )
