"""Floors, ceilings and controls in the gate: what they decide, and that outside the calibration they decide nothing."""

from __future__ import annotations

from typing import Any

import pytest

from assay.gate import judge
from assay.model.baseline import Baseline
from assay.model.report import Evidence, Judgement, RunFacts
from assay.model.score import Measure
from assay.model.suite import GateRule
from assay.model.verdict import CaseOutcome, Check
from tests.builders import baseline_of, chance, control_evidence, evidence, facts, metric, recording

CALIBRATED = Check(name="calibration", status="kept", message="as measured")
MOVED = Check(name="calibration", status="could-not-run", message="top_k 5 -> 20")
RIGHT = CaseOutcome(passed=True, score=1.0)


def run(**rule: Any) -> RunFacts:
    """A run of recall (gated) and top (not gated, better when lower)."""
    measures = {"recall": Measure(), "top": Measure(direction="lower")}
    return facts(rule=GateRule(metrics=("recall",), **rule), measures=measures, chance={"n": chance(0.1, 0.2)})


def subject(recall: float | None = 0.9, top: float | None = 0.3, **changes: Any) -> Evidence:
    return evidence({"recall": metric(recall), "top": metric(top)}, **changes)


def judged(
    now: Evidence, about: RunFacts, *checks: Check, before: Baseline | None = None, controls: dict[str, Evidence] | None = None
) -> Judgement:
    return judge({"p": now, **(controls or {})}, before or baseline_of(now), about, checks, declared={"p": "ci"})


def told(judgement: Judgement, provider: str = "p") -> dict[str, tuple[str, str]]:
    return {check.name: (check.status, check.message) for check in judgement.providers[provider].checks}


def of_suite(judgement: Judgement) -> dict[str, tuple[str, str]]:
    return {check.name: (check.status, check.message) for check in judgement.checks}


@pytest.mark.parametrize(
    ("recall", "status", "verdict"), [(0.7, "kept", "PASS"), (0.6999, "broken", "FAIL"), (1.0, "kept", "PASS")]
)
def test_a_subject_must_reach_its_floor_whatever_the_baseline(recall: float, status: str, verdict: str) -> None:
    judgement = judged(subject(recall), run(floors={"recall": 0.7}))
    assert told(judgement)["floor.recall"] == (status, f"recall {recall:.4f} (n=100), floor 0.7")
    assert judgement.verdict == verdict


@pytest.mark.parametrize(
    ("top", "status", "verdict"), [(0.5, "kept", "PASS"), (0.5001, "broken", "FAIL"), (0.0, "kept", "PASS")]
)
def test_a_subject_may_not_exceed_its_ceiling(top: float, status: str, verdict: str) -> None:
    judgement = judged(subject(top=top), run(ceilings={"top": 0.5}))
    assert told(judgement)["ceiling.top"] == (status, f"top {top:.4f} (n=100), ceiling 0.5")
    assert judgement.verdict == verdict


@pytest.mark.parametrize("value", [0.1 + 0.2, 0.3])
def test_a_bound_is_compared_without_float_noise(value: float) -> None:
    judgement = judged(subject(value, value), run(floors={"recall": 0.3}, ceilings={"top": 0.3}))
    assert judgement.verdict == "PASS"


def test_a_bound_on_what_is_undefined_could_not_run_and_is_no_zero() -> None:
    judgement = judged(subject(top=None), run(ceilings={"top": 0.5}))
    assert told(judgement)["ceiling.top"] == ("could-not-run", "top is undefined: no rows")
    assert judgement.verdict == "NO VERDICT"


def test_a_bound_on_what_this_kind_does_not_measure_could_not_run() -> None:
    judgement = judged(subject(), run(floors={"mrr": 0.5}))
    assert told(judgement)["floor.mrr"] == ("could-not-run", "mrr is undefined: this kind does not measure it")
    assert judgement.verdict == "NO VERDICT"


def test_a_subject_of_which_nothing_is_claimed_has_no_bounds() -> None:
    judgement = judged(subject(0.1, 0.9, claims="none"), run(floors={"recall": 0.7}, ceilings={"top": 0.5}))
    assert not {"floor.recall", "ceiling.top"} & set(told(judgement))
    held = {check.name: check.message for check in judgement.checks if check.status == "could-not-run"}
    assert held == {"bounds": "the suite's floors and ceilings hold for nobody: nothing is claimed of p"}
    assert judgement.verdict == "NO VERDICT"


def test_bounds_hold_where_something_is_claimed_of_one_subject() -> None:
    both = {"p": subject(0.8, 0.1), "q": subject(0.1, 0.9, claims="none")}
    judgement = judge(both, None, run(floors={"recall": 0.7}), declared={"p": "ci", "q": "ci"})
    assert "bounds" not in {check.name for check in judgement.checks}


def test_a_floor_breaks_without_any_baseline() -> None:
    judgement = judge({"p": subject(0.5)}, None, run(floors={"recall": 0.7}), declared={"p": "ci"})
    assert judgement.verdict == "FAIL"


@pytest.mark.parametrize("checks", [(CALIBRATED,), ()], ids=["calibrated", "no calibration to check"])
def test_bounds_hold_where_the_calibration_is_kept(checks: tuple[Check, ...]) -> None:
    assert judged(subject(0.5), run(floors={"recall": 0.7}), *checks).verdict == "FAIL"


def test_outside_the_calibration_no_floor_and_no_ceiling_says_anything() -> None:
    judgement = judged(subject(0.5, 0.9), run(floors={"recall": 0.7}, ceilings={"top": 0.5}), MOVED)
    assert judgement.verdict == "NO VERDICT"
    assert not {"floor.recall", "ceiling.top"} & set(told(judgement))


def test_over_a_sample_no_floor_and_no_control_says_anything() -> None:
    about = run(floors={"recall": 0.7}).model_copy(update={"sample": 3})
    judgement = judge({"p": subject(0.5), **positive(0.1)}, None, about, declared={"p": "ci"})
    assert judgement.verdict == "NO VERDICT"
    assert "floor.recall" not in told(judgement)


def test_cases_that_a_sample_leaves_out_are_not_gone() -> None:
    before = baseline_of(subject(0.9, cases={**subject().cases, "left-out": CaseOutcome(passed=True, score=1)}))
    now = subject(0.9, recording=recording(gold_sha256="f" * 64))
    assert judge({"p": now}, before, run().model_copy(update={"sample": 3}), declared={"p": "ci"}).verdict == "NO VERDICT"
    assert judge({"p": now}, before, run(), declared={"p": "ci"}).verdict == "FAIL"


def test_outside_the_calibration_a_drop_still_breaks() -> None:
    assert judged(subject(0.5), run(), MOVED, before=baseline_of(subject(0.9))).verdict == "FAIL"


def positive(value: float | None) -> dict[str, Evidence]:
    return {"k": control_evidence("positive_control", {"recall": metric(value), "top": metric(0.1)})}


@pytest.mark.parametrize(("value", "verdict"), [(0.5, "PASS"), (0.4, "FAIL"), (None, "NO VERDICT")])
def test_a_control_decides_the_verdict(value: float | None, verdict: str) -> None:
    assert judged(subject(), run(), CALIBRATED, controls=positive(value)).verdict == verdict


def test_a_dead_control_fails_though_the_win_of_the_subject_grows() -> None:
    alive, dead = (judged(subject(), run(), controls=positive(value)) for value in (0.5, 0.0))
    assert (alive.verdict, dead.verdict) == ("PASS", "FAIL")


def test_outside_the_calibration_a_broken_control_decides_nothing_and_says_so() -> None:
    judgement = judged(subject(), run(), MOVED, controls=positive(0.4))
    assert judgement.verdict == "NO VERDICT"
    status, message = of_suite(judgement)["control.k"]
    assert status == "could-not-run"
    assert message.startswith("outside the calibration this decides nothing: recall of the positive control is 0.4000")


def test_outside_the_calibration_a_kept_control_stays_kept() -> None:
    assert of_suite(judged(subject(), run(), MOVED, controls=positive(0.6)))["control.k"][0] == "kept"


def test_a_control_needs_no_baseline_and_is_in_no_provider_set() -> None:
    judgement = judged(subject(), run(), controls=positive(0.6))
    assert judgement.verdict == "PASS"
    assert of_suite(judgement)["providers"] == ("kept", "gated: p")
    assert list(told(judgement, "k")) == ["results"]
    assert judgement.providers["k"].baseline == {}


def test_a_control_answers_every_case_or_the_run_fails() -> None:
    judgement = judged(subject(), run(), controls={"k": positive(0.6)["k"].model_copy(update={"cases": {"c1": RIGHT}})})
    assert told(judgement, "k")["results"][0] == "broken"
    assert judgement.verdict == "FAIL"


def test_a_check_of_a_controls_own_decides() -> None:
    hidden = Check(name="visible_corpus", status="broken", message="34 rows by SQL, 17 in a full ranking")
    control = positive(0.6)["k"].model_copy(update={"proof": (hidden,)})
    assert judged(subject(), run(), controls={"k": control}).verdict == "FAIL"


def test_controls_without_a_subject_never_pass() -> None:
    judgement = judge(positive(0.6), baseline_of(subject()), run(), declared={"p": "ci"})
    assert judgement.verdict != "PASS"
    assert of_suite(judgement)["providers"][0] != "kept"


def test_the_judgement_holds_the_head_to_head_of_subject_and_control() -> None:
    (found,) = judged(subject(), run(), controls=positive(0.6)).head_to_head
    assert (found.subject, found.against, found.metric) == ("p", "k", "case score")


def fewer(**changes: Any) -> Evidence:
    return subject(cases={"c1": RIGHT, "c2": RIGHT}, **changes)


def test_fewer_cases_break_even_where_the_baseline_cannot_be_compared() -> None:
    other = fewer(recording=recording(cassette_sha256="b" * 64))
    judgement = judged(other, run().model_copy(update={"cases": 2}), before=baseline_of(subject()))
    assert told(judgement)["baseline"][0] == "could-not-run"
    assert told(judgement)["cases"] == ("broken", "1 case of the baseline is gone: c3")
    assert judgement.verdict == "FAIL"


def test_more_cases_under_a_baseline_that_cannot_be_compared_give_no_verdict() -> None:
    other = subject(recording=recording(cassette_sha256="b" * 64))
    judgement = judged(other, run(), before=baseline_of(fewer()))
    assert "cases" not in told(judgement)
    assert judgement.verdict == "NO VERDICT"


def test_order_of_controls_and_subjects_changes_nothing() -> None:
    found = {"p": subject(0.9), "q": subject(0.8), **positive(0.6), "a": positive(0.7)["k"]}
    before = baseline_of(subject(0.9))
    blocks = before.model_copy(update={"providers": {name: before.providers["p"] for name in ("p", "q")}})
    one, other = (
        judge(dict(items), blocks, run(), declared={"p": "ci", "q": "ci"})
        for items in (found.items(), reversed(list(found.items())))
    )
    assert one == other
