"""The report says what was decided, where its numbers come from and what they do not prove."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.model.exchange import IN_PROCESS
from assay.model.report import Comparison, Evidence, Judgement, Report
from assay.model.verdict import Check
from assay.reporting.build import build_report, deciding_checks, headline, json_bytes, provenance, provenances, report_bytes
from tests.builders import baseline_of, control_evidence, evidence, facts, recording
from tests.unit.reporting.reports import controlled, failing, good, hostile, judgement, manual, passing, report_of, undecided

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


FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 1e-4, 9.9e-5, 1e-7, 1e15, 1e16, -2.5e300]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inside),
)


@given(VALUES)
@example([[], {}, {"a": [1e-5, {"b": [], "a": "e-5,\n\u2028\x7f"}]}])
def test_the_bytes_are_those_of_the_standard_library(value: object) -> None:
    text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    assert json_bytes(value) == (text + "\n").encode()


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


def test_provenance_of_code_names_no_day_and_no_model_that_was_asked() -> None:
    coded = recording(cassette_kind=IN_PROCESS, model_asked="BM25", recorded_at=None, prompt_sha256=None, schema_sha256=None)
    report = report_on(good().model_copy(update={"cassette_kind": IN_PROCESS, "recording": coded}))
    assert provenance("p", report.providers["p"]) == "p (gated): computed in this run by code, BM25."
    assert report.limits == (SYNTHETIC_LIMIT, CAPACITY_LIMIT, KIND_LIMIT)
    idle = report.providers["p"].model_copy(update={"metrics": {}})
    assert provenance("p", idle) == "p (gated): BM25, as declared; not computed in this run. No numbers."


def test_subjects_have_a_sentence_each_and_all_controls_one() -> None:
    told = provenances(controlled())
    assert [sentence.split(" ")[0] for sentence in told] == ["p", "controls,"]
    assert told[1] == (
        "controls, computed in this run by code: "
        "constant (trivial strategy), hashes (negative control), keyword (positive control)."
    )
    assert provenances(passing()) == [provenance(name, provider) for name, provider in passing().providers.items()]


def test_headline_of_a_pass_counts_what_was_compared_of_subjects_alone() -> None:
    run = facts("recall")
    kept = control_evidence("positive_control", {"recall": good().metrics["recall"]})
    report = report_of({"p": good(), "k": kept}, baseline_of(good()), run)
    assert report.headline == "PASS extraction v1: 6 checks kept; 1 metric and 3 cases compared with the baseline"


def test_the_headline_counts_one_check_and_one_case_in_the_singular() -> None:
    provider = passing().providers["p"].model_copy(update={"checks": (), "compared": Comparison(cases=1, metrics=1)})
    check = Check(name="self_test", status="kept", message="")
    judged = Judgement(verdict="PASS", checks=(check,), providers={"p": provider})
    assert (
        headline(judged, facts("recall")) == "PASS extraction v1: 1 check kept; 1 metric and 1 case compared with the baseline"
    )


def test_the_report_holds_the_head_to_head() -> None:
    assert [(one.subject, one.against) for one in controlled().head_to_head] == [("p", "keyword")]
    assert Report.model_validate_json(report_bytes(controlled())) == controlled()


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
