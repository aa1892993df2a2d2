"""What may become a baseline, what may not, and what the update says."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import Refused
from assay.gate import judge
from assay.model.baseline import Baseline, Block, Source
from assay.model.report import REPORT_FORMAT, Evidence, FailedCase, Report, RunFacts
from assay.model.score import Measure
from assay.model.verdict import CaseOutcome, Check
from assay.publication import updated
from tests.builders import baseline_of, evidence, facts, metric, recording


def recall(value: float | None = 0.9, **changes: Any) -> Evidence:
    return evidence({"recall": metric(value)}, **changes)


def report_of(
    found: Evidence, baseline: Baseline | None = None, about: RunFacts | None = None, suite_checks: tuple[Check, ...] = ()
) -> Report:
    about = about or facts()
    judgement = judge({"p": found}, baseline, about, suite_checks, declared={"p": found.enforcement})
    return Report(
        format=REPORT_FORMAT,
        verdict=judgement.verdict,
        headline="",
        facts=about,
        checks=judgement.checks,
        providers=judgement.providers,
        head_to_head=judgement.head_to_head,
        limits=(),
    )


def publish(report: Report, baseline: Baseline | None = None, **changes: str) -> tuple[Baseline, list[str]]:
    words = {"run_id": "run-7", "reason": "first numbers", "today": "2026-12-01", **changes}
    return updated(baseline, report, "p", **words)


def block_of(baseline: Baseline, provider: str = "p") -> Block:
    block = baseline.providers[provider]
    assert block is not None
    return block


def refusal(report: Report, baseline: Baseline | None = None, **changes: str) -> str:
    with pytest.raises(Refused) as raised:
        publish(report, baseline, **changes)
    assert raised.value.exit_code == 1
    return str(raised.value)


def check(status: Any, name: str = "made") -> Check:
    return Check(name=name, status=status, message="first line\nsecond line")


def test_the_first_run_of_a_suite_becomes_its_baseline() -> None:
    report = report_of(recall())
    assert report.verdict == "NO VERDICT"
    new, difference = publish(report)
    assert (new.suite, new.gold_version, list(new.providers)) == ("extraction", "v1", ["p"])
    assert difference == ["recall: none -> 0.9000 (n=100)", "3 of 3 cases new or changed, 0 gone"]


def test_a_block_says_where_its_numbers_came_from() -> None:
    block = block_of(publish(report_of(recall()))[0])
    come_from = recording()
    assert block == Block(
        enforcement="ci",
        last_refreshed="2026-12-01",
        reason="first numbers",
        source=Source(
            run="run-7",
            cassette_kind=come_from.cassette_kind,
            cassette_sha256=come_from.cassette_sha256,
            recorded_at=come_from.recorded_at,
            gold_sha256=come_from.gold_sha256,
            prompt_sha256=come_from.prompt_sha256,
            schema_sha256=come_from.schema_sha256,
        ),
        metrics={"recall": metric(0.9)},
        cases=recall().cases,
    )


def test_a_published_run_passes_against_its_own_baseline() -> None:
    new, _ = publish(report_of(recall()))
    assert report_of(recall(), new).verdict == "PASS"


def test_a_regression_is_accepted_and_its_size_is_said() -> None:
    old = baseline_of(recall(0.95))
    report = report_of(recall(0.9), old)
    assert report.verdict == "FAIL"
    new, difference = publish(report, old)
    assert block_of(new).metrics == {"recall": metric(0.9)}
    assert difference == ["recall: 0.9500 -> 0.9000 (-5.00 pp, n=100)", "0 of 3 cases new or changed, 0 gone"]


def test_a_baseline_from_another_recording_is_replaced() -> None:
    old = baseline_of(recall(recording=recording(cassette_sha256="a" * 64)))
    new, _ = publish(report_of(recall(), old), old)
    source = block_of(new).source
    assert source is not None
    assert source.cassette_sha256 == recording().cassette_sha256


def test_a_manual_provider_may_have_a_baseline() -> None:
    new, _ = publish(report_of(recall(enforcement="manual")))
    assert block_of(new).enforcement == "manual"


def test_an_update_leaves_the_other_blocks_alone() -> None:
    old = baseline_of(recall(0.5))
    old = old.model_copy(update={"providers": {**old.providers, "q": old.providers["p"], "r": None}})
    new, _ = publish(report_of(recall(), old), old)
    assert (new.providers["q"], new.providers["r"]) == (old.providers["q"], None)
    assert block_of(old).metrics == {"recall": metric(0.5)}


def test_the_difference_counts_cases_that_changed_and_that_are_gone() -> None:
    old = baseline_of(recall())
    cases = {"c1": CaseOutcome(passed=True, score=1.0), "c2": CaseOutcome(passed=False, score=0.5)}
    new_case = {"c9": CaseOutcome(passed=True, score=1.0)}
    report = report_of(recall(cases={**cases, **new_case}), old)
    assert publish(report, old)[1] == ["2 of 3 cases new or changed, 1 gone"]


def test_an_unchanged_metric_has_no_line_and_a_better_one_has_a_plus() -> None:
    old = baseline_of(evidence({"a": metric(0.5), "b": metric(0.5)}))
    report = report_of(evidence({"a": metric(0.5), "b": metric(0.6)}), old, facts("a", "b"))
    assert publish(report, old)[1][:-1] == ["b: 0.5000 -> 0.6000 (+10.00 pp, n=100)"]


def test_the_printed_change_is_after_minus_before_also_where_lower_is_better() -> None:
    about = facts(measures={"recall": Measure(direction="lower")})
    old = baseline_of(recall(0.02))
    assert publish(report_of(recall(0.05), old, about), old)[1][0] == "recall: 0.0200 -> 0.0500 (+3.00 pp, n=100)"


def test_a_metric_that_the_run_no_longer_has_is_named() -> None:
    old = baseline_of(evidence({"recall": metric(0.9), "lost": metric(0.8)}))
    lines = publish(report_of(recall(), old), old)[1]
    assert any(line.startswith("lost: 0.8000 -> none") for line in lines)


@pytest.mark.parametrize("status", ["broken", "could-not-run"])
@pytest.mark.parametrize("name", ["contract.prompt_sha256", "integrity.cassette", "provenance", "calibration", "replay"])
def test_a_check_of_the_proof_that_is_not_kept_refuses(name: str, status: str) -> None:
    told = refusal(report_of(recall(proof=(check(status, name),))))
    assert told == f"run run-7: cannot become a baseline ({name}: first line)."


@pytest.mark.parametrize("status", ["broken", "could-not-run"])
def test_a_suite_check_that_is_not_kept_refuses(status: str) -> None:
    assert "(calibration: first line)" in refusal(report_of(recall(), suite_checks=(check(status, "calibration"),)))


@pytest.mark.parametrize(
    ("about", "told"),
    [
        (facts(sample=3), "sample: a smoke run over 3 sampled cases judges nothing"),
        (facts(overrides=("--set a=b",)), "override: --set a=b: not the committed suite"),
        (facts(overrides=("contract drift is allowed",)), "override: contract drift is allowed: not the committed suite"),
    ],
)
def test_a_sampled_overridden_or_drifted_run_is_refused(about: RunFacts, told: str) -> None:
    assert refusal(report_of(recall(), about=about)) == f"run run-7: cannot become a baseline ({told})."


@pytest.mark.parametrize("status", ["missing", "crashed"])
def test_a_case_without_a_result_refuses(status: str) -> None:
    failed = {"c2": FailedCase(status=status, reason="why", detail={})}
    assert "results: 2 of 3 cases have a result" in refusal(report_of(recall(failed=failed)))


def test_an_undefined_gated_metric_refuses() -> None:
    assert "recall is undefined" in refusal(report_of(recall(None)))


def test_a_gated_metric_that_nobody_measures_refuses() -> None:
    assert "defined.other" in refusal(report_of(recall(), about=facts("recall", "other")))


def test_an_undefined_metric_that_is_not_gated_does_not_refuse() -> None:
    report = report_of(evidence({"recall": metric(0.9), "other": metric(None)}))
    assert "other: none -> none (n=0)" in publish(report)[1]


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_an_update_needs_a_reason(reason: str) -> None:
    assert refusal(report_of(recall()), reason=reason) == "run run-7: cannot become a baseline (an update needs a reason)."


@pytest.mark.parametrize("found", [evidence({}), recall(recording=None)])
def test_a_provider_without_numbers_or_recording_is_refused(found: Evidence) -> None:
    assert refusal(report_of(found)) == "run run-7: has no numbers for provider 'p'."


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(Refused, match="has no numbers for provider 'nobody'"):
        updated(None, report_of(recall()), "nobody", run_id="r", reason="r", today="2026-12-01")


def test_all_reasons_against_a_run_are_told_at_once() -> None:
    report = report_of(recall(proof=(check("broken", "provenance"),)), about=facts(sample=3))
    assert refusal(report, reason="").count("cannot become a baseline") == 3
