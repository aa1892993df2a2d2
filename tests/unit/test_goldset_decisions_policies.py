"""Each rule of the committed policies: a right record of the gold set, one change, and the rule that it breaks."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from assay.providers.policy.engine import Engine, engine_of

FOLDER = Path(__file__).resolve().parents[2] / "goldsets" / "decisions" / "v1"
CHANGES: list[tuple[str, str, dict[str, Any]]] = [
    ("debt-burden", "loan-01", {"debt_to_income": 0.46}),
    ("nobody-unknown", "loan-01", {"identity_verified": False}),
    ("second-signature", "loan-16", {"second_signatory": " "}),
    ("recent-bureau-report", "loan-01", {"bureau_report_at": "2026-08-12T00:00:00+02:00"}),
    ("refusal-has-a-reason-code", "loan-04", {"reason_code": None}),
    ("debt-service-coverage", "loan-02", {"coverage_ratio": 1.19}),
    ("collateral-for-large-loans", "loan-13", {"collateral_ratio": 0.79}),
    ("young-firm-needs-a-guarantor", "loan-09", {"has_guarantor": False}),
    ("recent-accounts", "loan-02", {"accounts_closed_at": "2025-10-25T00:00:00+00:00"}),
    ("low-oxygen-does-not-wait", "triage-12", {"spo2_percent": 91}),
    ("no-self-care-with-red-flags", "triage-03", {"red_flags": 1}),
    ("vitals-taken-lately", "triage-15", {"vitals_at": "2026-11-26T16:40:00+01:00"}),
    ("somebody-to-call-back", "triage-03", {"callback_number": ""}),
    ("feverish-newborn", "triage-16", {"age_months": 2.9, "temperature_c": 38}),
    ("child-who-does-not-drink", "triage-07", {"drinking": "not at all"}),
    ("guardian-knows-when-to-return", "triage-16", {"guardian_informed": False}),
    ("suspension-by-two", "mod-05", {"reviewers": 1}),
    ("cites-the-rule", "mod-08", {"rule_cited": ""}),
    ("author-is-told", "mod-02", {"notice_sent": False}),
    ("threats-do-not-stay", "mod-01", {"flagged_as": "credible threat"}),
    ("trained-within-the-year", "mod-10", {"moderator_trained_on": "2025-11-29T23:59:59+00:00"}),
]


@cache
def engine() -> Engine:
    return engine_of((FOLDER / "policies.yaml").read_bytes(), "policies.yaml", "2026-11-30T00:00:00+00:00")


@cache
def outputs() -> dict[str, dict[str, Any]]:
    rows = map(json.loads, (FOLDER / "outputs.jsonl").read_text("utf-8").splitlines())
    return {row["id"]: row["output"] for row in rows}


@pytest.mark.parametrize(("rule", "case", "change"), CHANGES)
def test_one_change_to_a_right_record_breaks_one_rule(rule: str, case: str, change: dict[str, Any]) -> None:
    output = deepcopy(outputs()[case])
    policy = output["metadata"]["policy_id"]
    assert engine().check_compliance(output, policy)
    output["metadata"]["facts"] |= change
    findings = engine().judgement(output, policy).findings
    assert [(finding.rule, finding.status) for finding in findings] == [(rule, "broken")]
    assert not engine().check_compliance(output, policy)


def test_every_rule_is_broken_once() -> None:
    assert [rule for rule, _, _ in CHANGES] == [rule.name for policy in engine().policies for rule in policy.rules]
