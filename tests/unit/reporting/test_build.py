"""The report says what was decided, where its numbers come from and what they do not prove."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.model.report import Evidence, Report
from assay.model.verdict import Check
from assay.reporting.build import build_report, deciding_checks, headline, json_bytes, provenance, report_bytes
from tests.builders import baseline_of, evidence, facts, recording
from tests.unit.reporting.reports import failing, good, hostile, judgement, manual, passing, report_of, undecided

LIVE = recording(cassette_kind="live_openai_recorded", model_asked="gpt-4o-mini", model_served="gpt-4o-mini-2024-07-18")
ORACLE_LIMIT = "Live quality: the replies of p were made from the expectations; no model was asked."
LIVE_LIMIT = "Quality today: the replies of p are recordings; they move with parser, scorer and gold set, not with the model."
SYNTHETIC_LIMIT = "Customer traffic: the gold set is synthetic; real users write otherwise."
CAPACITY_LIMIT = "Latency, cost and capacity: a replay measures none of them."
KIND_LIMIT = "Wording: the kind's own limit."


def live() -> Evidence:
    return good().model_copy(update={"cassette_kind": LIVE.cassette_kind, "recording": LIVE})


def report_on(found: Evidence, **changes: Any) -> Report:
    return report_of({"p": found}, baseline_of(found), facts("recall", "precision_macro", **changes))


def test_headline_of_a_pass_says_how_much_was_checked_and_compared() -> None:
    # suite: providers; p: results, cases, two drops. The manual provider's check is not counted.
    assert passing().headline == "PASS extraction v1: 5 checks kept; 2 metrics and 3 cases compared with the baseline"


def test_headline_of_a_failure_names_provider_check_and_values() -> None:
    assert failing().headline == (
        "FAIL extraction v1: p: max_drop.recall: recall 0.6667 (n=3) against 1.0000 (n=3): "
        "33.33 pp worse, at most 3.0 pp worse allowed"
    )


def test_headline_of_no_verdict_names_the_first_reason_and_counts_the_others() -> None:
    assert undecided().headline == (
        "NO VERDICT extraction v1: p: defined.precision: precision is undefined: no memories predicted (and 1 more)"
    )


def test_headline_of_a_failure_passes_over_checks_that_could_not_run() -> None:
    checks = (
        Check(name="first", status="could-not-run", message="not this"),
        Check(name="second", status="broken", message="this\nand its details"),
    )
    judged = judgement({"p": good()}, baseline_of(good()), facts("recall"), *checks)
    assert headline(judged, facts("recall")) == "FAIL extraction v1: second: this"


def test_headline_is_one_line_whatever_the_message() -> None:
    assert len(hostile().headline.splitlines()) == 1


def test_a_manual_provider_decides_nothing() -> None:
    broken = Check(name="contract", status="broken", message="drifted")
    report = report_of(
        {"p": good(), "q": manual().model_copy(update={"proof": (broken,)})}, baseline_of(good()), facts("recall")
    )
    assert report.verdict == "PASS"
    assert broken in report.providers["q"].checks
    assert broken not in [check for _, check in deciding_checks(report)]


def test_the_report_carries_the_judgement_unchanged() -> None:
    judged = judgement({"p": good()}, baseline_of(good()), facts("recall"))
    report = build_report(judged, facts("recall"), lambda _: [])
    assert (report.verdict, report.checks, report.providers) == (judged.verdict, judged.checks, judged.providers)
    assert report.facts == facts("recall")


@pytest.mark.parametrize("report", [passing(), failing(), undecided(), hostile()], ids=lambda report: report.verdict)
def test_report_json_is_sorted_indented_and_ends_in_a_newline(report: Report) -> None:
    written = report_bytes(report)
    value = json.loads(written)
    assert written == (json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n").encode()
    assert Report.model_validate_json(written) == report
    assert "timing" not in value


def test_report_json_has_the_same_bytes_whatever_the_order_of_providers() -> None:
    one = report_of({"p": good(), "q": manual()}, baseline_of(good()), facts("recall"))
    other = report_of({"q": manual(), "p": good()}, baseline_of(good()), facts("recall"))
    assert report_bytes(one) == report_bytes(other)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_none_is_never_written(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_bytes({"value": value})


def test_provenance_of_an_oracle_says_that_it_proves_the_plumbing() -> None:
    assert provenance("p", passing().providers["p"]) == (
        "p (gated): replies made from the expectations for m, 2026-11-30 (oracle-aligned). "
        "A perfect score proves the plumbing, not the model."
    )


def test_provenance_of_a_live_recording_names_the_served_model_and_the_day() -> None:
    assert provenance("p", report_on(live()).providers["p"]) == (
        "p (gated): recorded live from gpt-4o-mini-2024-07-18, 2026-11-30. The numbers are that model's on that day."
    )


def test_provenance_without_a_recording_claims_no_numbers() -> None:
    assert provenance("q", passing().providers["q"]) == "q (manual, never gated): other-model; no recording, no numbers."


def test_limits_of_an_oracle_replay_end_with_those_of_the_kind() -> None:
    assert report_on(good()).limits == (ORACLE_LIMIT, SYNTHETIC_LIMIT, CAPACITY_LIMIT, KIND_LIMIT)


def test_limits_of_a_live_recording_do_not_speak_of_an_oracle() -> None:
    assert report_on(live()).limits == (LIVE_LIMIT, SYNTHETIC_LIMIT, CAPACITY_LIMIT, KIND_LIMIT)


def test_limits_over_real_traffic_do_not_call_it_synthetic() -> None:
    assert report_on(good(), synthetic=False).limits == (ORACLE_LIMIT, CAPACITY_LIMIT, KIND_LIMIT)


def test_a_live_recording_of_one_provider_does_not_excuse_the_oracle_of_another() -> None:
    report = report_of({"p": live(), "r": good()}, None, facts("recall", "precision_macro"))
    assert report.limits[:2] == (ORACLE_LIMIT.replace(" p ", " r "), LIVE_LIMIT)


def test_the_kind_sees_the_whole_draft_when_it_states_its_limits() -> None:
    seen: list[Report] = []
    judged = judgement({"p": good()}, baseline_of(good()), facts("recall"))
    build_report(judged, facts("recall"), lambda draft: seen.append(draft) or [])  # type: ignore[func-returns-value]
    assert [draft.facts for draft in seen] == [facts("recall")]
    assert seen[0].providers == judged.providers


def test_evidence_without_a_metric_of_the_gate_is_a_failure_with_that_reason() -> None:
    report = report_of({"p": evidence({"other": good().metrics["recall"]})}, None, facts("recall"))
    assert report.headline.startswith("FAIL extraction v1: p: defined.recall: the gate asks for a metric")
