"""decision_scores: which checks run, what each says, and their share."""

from __future__ import annotations

from dataclasses import asdict, replace
from types import SimpleNamespace

import pytest

from assay.evaluators.decision import Decision
from assay.evaluators.decision_scores import decision_scores
from assay.evaluators.evaluation import evaluate

GOOD = Decision(
    decision_id="d-1",
    category="loan",
    scenario="loan request of 5,000",
    reasoning="income covers the rate",
    outcome="approve",
    confidence=0.87,
    timestamp="2026-01-05T09:30:00+00:00",
    decision_maker="approver-a",
    metadata={"provenance": "workflow:loan/v3", "source": "form 7"},
)
ALWAYS = ["confidence", "decision_maker", "reasoning", "scenario", "provenance"]


class Engine:
    def __init__(self, verdict: object) -> None:
        self.verdict, self.asked = verdict, []  # type: ignore[var-annotated]

    def check_compliance(self, decision: object, policy_id: str) -> object:
        self.asked.append((decision, policy_id))
        return self.verdict


def test_a_whole_decision_keeps_every_check() -> None:
    metric = decision_scores(GOOD, "approve")
    assert (metric.score, metric.passed) == (1.0, True)
    assert metric.meta == {"checks": dict.fromkeys(["outcome", *ALWAYS], True), "reasons": {}, "skipped": ["policy"]}


def test_its_dict_and_any_object_with_its_fields_are_judged_alike() -> None:
    assert decision_scores(asdict(GOOD), "approve") == decision_scores(GOOD, "approve")
    assert decision_scores(SimpleNamespace(**asdict(GOOD)), "approve") == decision_scores(GOOD, "approve")


@pytest.mark.parametrize(
    ("changed", "broken", "reason"),
    [
        ({"outcome": "reject"}, "outcome", "outcome is 'reject', expected 'approve'"),
        ({"confidence": 1.2}, "confidence", "confidence is 1.2, not in [0.0, 1.0]"),
        ({"confidence": float("nan")}, "confidence", "confidence is nan, not in [0.0, 1.0]"),
        ({"confidence": "0.9"}, "confidence", "confidence is '0.9', no number"),
        ({"confidence": True}, "confidence", "confidence is True, no number"),
        ({"confidence": None}, "confidence", "confidence is None, no number"),
        ({"decision_maker": ""}, "decision_maker", "is blank"),
        ({"reasoning": " \n"}, "reasoning", "is blank"),
        ({"scenario": None}, "scenario", "is missing"),
        ({"scenario": 7}, "scenario", "is 7, no text"),
        ({"metadata": {}}, "provenance", "nothing under 'provenance' in the metadata"),
        ({"metadata": {"provenance": " "}}, "provenance", "nothing under 'provenance' in the metadata"),
        ({"metadata": {"provenance": []}}, "provenance", "nothing under 'provenance' in the metadata"),
        ({"metadata": None}, "provenance", "nothing under 'provenance' in the metadata"),
    ],
)
def test_one_fault_breaks_one_check(changed: dict[str, object], broken: str, reason: str) -> None:
    metric = decision_scores(replace(GOOD, **changed), "approve")  # type: ignore[arg-type]  # wrong records are the case
    assert metric.meta["reasons"] == {broken: reason}
    # 5 of 6 checks: outcome and the five that always run
    assert (metric.score, metric.passed) == (5 / 6, False)


def test_the_outcome_is_skipped_without_an_expectation() -> None:
    metric = decision_scores(replace(GOOD, outcome="reject"))
    assert (metric.passed, metric.meta["skipped"]) == (True, ["outcome", "policy"])
    assert list(metric.meta["checks"]) == ALWAYS  # type: ignore[call-overload]


def test_expected_outcome_comes_before_expected() -> None:
    assert decision_scores(GOOD, "reject", {"expected_outcome": "approve"}).passed
    assert not decision_scores(GOOD, "approve", {"expected_outcome": "reject"}).passed


def test_an_empty_dict_breaks_all_that_always_run() -> None:
    metric = decision_scores({}, "approve")
    assert (metric.score, len(metric.meta["reasons"])) == (0.0, 6)  # type: ignore[arg-type]


@pytest.mark.parametrize(("low", "high", "passes"), [(0.87, 1, True), (0, 0.87, True), (0.88, 1, False), (0, 0.86, False)])
def test_confidence_bounds_are_inclusive(low: float, high: float, passes: bool) -> None:
    assert decision_scores(GOOD, None, {"min_confidence": low, "max_confidence": high}).passed is passes


def test_provenance_may_lie_under_another_key() -> None:
    assert decision_scores(GOOD, None, {"provenance_key": "source"}).passed
    assert not decision_scores(GOOD, None, {"provenance_key": "origin"}).passed


@pytest.mark.parametrize(("verdict", "passes"), [(True, True), (False, False)])
def test_the_policy_is_asked_when_engine_and_id_are_both_set(verdict: bool, passes: bool) -> None:
    engine = Engine(verdict)
    metric = decision_scores(GOOD, "approve", {"policy_engine": engine, "policy_id": "loans/3"})
    assert metric.passed is passes
    assert engine.asked == [(GOOD, "loans/3")]
    assert metric.score == (1.0 if passes else 6 / 7)


@pytest.mark.parametrize("options", [{"policy_engine": Engine(verdict=False)}, {"policy_id": "loans/3"}])
def test_the_policy_is_skipped_when_one_of_them_is_missing(options: dict[str, object]) -> None:
    metric = decision_scores(GOOD, "approve", options)
    assert (metric.passed, metric.meta["skipped"]) == (True, ["policy"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"policy_engine": object(), "policy_id": "p"}, "policy_engine: cannot check"),
        ({"policy_engine": Engine("yes"), "policy_id": "p"}, "policy_engine: returned no verdict"),
        ({"policy_engine": Engine(verdict=True), "policy_id": 3}, "policy_id: is no name"),
        ({"min_confidence": "high"}, "min_confidence: is not a number"),
        ({"min_confidence": 0.9, "max_confidence": 0.1}, "min_confidence: is above max_confidence"),
        ({"provenance_key": ""}, "provenance_key: is no name"),
    ],
)
def test_what_it_cannot_run_on(options: dict[str, object], said: str) -> None:
    metric = decision_scores(GOOD, "approve", options)
    assert (metric.score, metric.passed) == (0.0, False)
    assert said in (metric.error or "")


@pytest.mark.parametrize("actual", [None, "approve", 5, []])
def test_only_decisions_are_judged(actual: object) -> None:
    assert "actual: is no decision" in (decision_scores(actual).error or "")


@pytest.mark.parametrize("value", [True, False, None])
def test_causal_chains_are_not_there_yet(value: object) -> None:
    with pytest.raises(NotImplementedError, match="causal_chain_exists"):
        decision_scores(GOOD, "approve", {"causal_chain_exists": value})
    summary = evaluate([("approve", GOOD)], ["decision_scores"], {"decision_scores": {"causal_chain_exists": value}})
    assert summary.errors == 1
    assert "causal_chain_exists" in summary.cases[0].details["decision_scores"]
