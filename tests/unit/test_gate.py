"""Every check of the gate and what it decides; drops, provider sets and properties have files of their own."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import NotComparable
from assay.gate import judge
from assay.model.report import Evidence, FailedCase, Judgement, RunFacts
from assay.model.score import Measure
from assay.model.verdict import CaseOutcome, Check
from tests.builders import baseline_of, evidence, facts, metric, recording

GATED = {"p": "ci"}
RIGHT = CaseOutcome(passed=True, score=1.0)
UPDATE = '`assay baseline update extraction --provider p --from latest --reason "..."`'


def recall(value: float | None = 0.9, n: int = 100, **changes: Any) -> Evidence:
    return evidence({"recall": metric(value, n)}, **changes)


def failed(status: str, reason: str = "why") -> FailedCase:
    return FailedCase(status=status, reason=reason, detail={})


def against(now: Evidence, before: Evidence, run: RunFacts | None = None) -> Judgement:
    return judge({"p": now}, baseline_of(before), run or facts(), declared=GATED)


def found(judgement: Judgement, name: str, provider: str = "p") -> Check:
    checks = (*judgement.checks, *(judgement.providers[provider].checks if judgement.providers else ()))
    return next(check for check in checks if check.name == name)


def test_a_run_against_itself_passes_and_says_what_it_compared() -> None:
    judgement = against(recall(), recall())
    assert judgement.verdict == "PASS"
    assert (judgement.providers["p"].compared.metrics, judgement.providers["p"].compared.cases) == (1, 3)
    assert [(c.name, c.message) for c in (*judgement.checks, *judgement.providers["p"].checks)] == [
        ("providers", "gated: p"),
        ("results", "3 of 3 cases have a result"),
        ("cases", "3 cases, 3 in the baseline"),
        ("max_drop.recall", "recall 0.9000 (n=100) against 0.9000 (n=100): unchanged, at most 3.0 pp worse allowed"),
    ]


def test_every_gated_metric_is_checked_and_others_are_not() -> None:
    before = evidence({"recall": metric(0.9), "precision": metric(0.9), "extra": metric(0.9)})
    now = evidence({"recall": metric(0.9), "precision": metric(0.5), "extra": metric(0.1)})
    judgement = against(now, before, facts("recall", "precision"))
    drops = {c.name: c.status for c in judgement.providers["p"].checks if c.name.startswith("max_drop")}
    assert drops == {"max_drop.recall": "kept", "max_drop.precision": "broken"}


@pytest.mark.parametrize(
    ("now", "before", "name", "told"),
    [
        (recall(None), recall(), "defined.recall", "recall is undefined: no rows"),
        (recall(), recall(None), "max_drop.recall", "recall 0.9000 (n=100); the baseline has no value for it"),
        (
            recall(),
            evidence({"other": metric(1.0)}),
            "max_drop.recall",
            "recall 0.9000 (n=100); the baseline has no value for it",
        ),
        (
            recall(n=99),
            recall(n=100),
            "max_drop.recall",
            "recall averages over n=99, the baseline over n=100: not the same measure",
        ),
        (
            recall(recording=recording(cassette_sha256="b" * 64)),
            recall(recording=recording(cassette_sha256="a" * 64)),
            "baseline",
            f"made from another recording ({'a' * 40}, now {'b' * 40}). Publish this run with {UPDATE}.",
        ),
        (
            recall(recording=recording(cassette_kind="live_p_recorded")),
            recall(),
            "baseline",
            f"made from another kind of recording (oracle_aligned_expected_json, now live_p_recorded). "
            f"Publish this run with {UPDATE}.",
        ),
        (recall(recording=None), recall(), "baseline", "the run has no recording to compare by"),
    ],
)
def test_what_cannot_be_compared_gives_no_verdict(now: Evidence, before: Evidence, name: str, told: str) -> None:
    judgement = against(now, before)
    assert judgement.verdict == "NO VERDICT"
    assert found(judgement, name) == Check(name=name, status="could-not-run", message=told)


def test_a_smaller_n_is_compared_where_n_depends_on_the_answers() -> None:
    run = facts(measures={"recall": Measure(fixed_n=False)})
    assert against(recall(n=99), recall(n=100), run).verdict == "PASS"


def test_more_rows_than_the_baseline_are_compared() -> None:
    assert against(recall(n=101), recall(n=100)).verdict == "PASS"


def test_no_baseline_at_all_gives_no_verdict_and_the_command_that_makes_one() -> None:
    judgement = judge({"p": recall()}, None, facts(), declared=GATED)
    assert judgement.verdict == "NO VERDICT"
    assert found(judgement, "baseline").message == f"no baseline yet. Publish this run with {UPDATE}."
    assert (judgement.providers["p"].compared.metrics, judgement.providers["p"].baseline) == (0, {})


def test_a_block_without_numbers_gives_no_verdict() -> None:
    base = baseline_of(recall())
    empty = base.providers["p"].model_copy(update={"metrics": None, "cases": None, "source": None})  # type: ignore[union-attr]
    judgement = judge({"p": recall()}, base.model_copy(update={"providers": {"p": empty}}), facts(), declared=GATED)
    assert judgement.verdict == "NO VERDICT"
    assert found(judgement, "baseline").message == f"its baseline block has no numbers. Publish a run with {UPDATE}."


@pytest.mark.parametrize("changes", [{"metrics": {}}, {"cases": {}}])
def test_a_block_that_was_emptied_never_passes(changes: dict[str, Any]) -> None:
    assert against(recall(), recall().model_copy(update=changes)).verdict != "PASS"


def test_a_sample_gives_no_verdict_even_when_all_is_right() -> None:
    judgement = against(recall(), recall(), facts(sample=3))
    assert judgement.verdict == "NO VERDICT"
    assert found(judgement, "sample").message == "a smoke run over 3 sampled cases judges nothing"
    assert judgement.providers["p"].compared.metrics == 0


def test_an_override_gives_no_verdict_and_is_named() -> None:
    judgement = against(recall(), recall(), facts(overrides=("--set gate.max_drop_pp=50",)))
    assert judgement.verdict == "NO VERDICT"
    assert found(judgement, "override").message == "--set gate.max_drop_pp=50: not the committed suite"


@pytest.mark.parametrize(("status", "verdict"), [("kept", "PASS"), ("could-not-run", "NO VERDICT"), ("broken", "FAIL")])
def test_checks_of_suite_and_proof_decide_like_any_other(status: Any, verdict: str) -> None:
    made = Check(name="made", status=status, message="said before")
    base = baseline_of(recall())
    assert judge({"p": recall()}, base, facts(), (made,), declared=GATED).verdict == verdict
    assert judge({"p": recall(proof=(made,))}, base, facts(), declared=GATED).verdict == verdict


def test_broken_outweighs_could_not_run() -> None:
    assert against(recall(0.1), recall(), facts(overrides=("--set a=b",))).verdict == "FAIL"


@pytest.mark.parametrize(
    ("now", "name", "told"),
    [
        (
            recall(failed={"c2": failed("crashed", "ValueError: no"), "c3": failed("missing")}),
            "results",
            "1 of 3 cases have a result; without one: c2, c3; c2: ValueError: no",
        ),
        (recall(cases={"c1": RIGHT, "c2": RIGHT}), "cases", "1 case of the baseline is gone: c3"),
        (
            evidence({"other": metric(1.0)}),
            "defined.recall",
            "the gate asks for a metric that this kind does not measure",
        ),
    ],
)
def test_a_run_that_lacks_something_breaks(now: Evidence, name: str, told: str) -> None:
    judgement = against(now, recall())
    assert judgement.verdict == "FAIL"
    assert found(judgement, name) == Check(name=name, status="broken", message=told)


@pytest.mark.parametrize("cases", [{"c1": RIGHT}, {f"c{i}": RIGHT for i in range(1, 5)}, {}])
def test_any_other_number_of_results_than_cases_breaks(cases: dict[str, CaseOutcome]) -> None:
    now = recall(cases=cases)
    assert found(against(now, now), "results").status == "broken"
    assert against(now, now).verdict == "FAIL"


def test_a_malformed_reply_is_a_result() -> None:
    now = recall(failed={"c1": failed("malformed")})
    assert against(now, now).verdict == "PASS"


def test_a_case_without_an_answer_is_a_result_and_is_told() -> None:
    now = recall(failed={"c2": failed("unanswered", "Traceback:\nRuntimeError: api down")})
    told = "3 of 3 cases have a result; for 1 of them it is that no answer came (c2: RuntimeError: api down)"
    assert found(against(now, now), "results") == Check(name="results", status="kept", message=told)


def test_no_answer_at_all_breaks_whatever_the_baseline_holds() -> None:
    now = recall(failed={name: failed("unanswered", "RuntimeError: api down") for name in ("c1", "c2", "c3")})
    told = "no case got an answer; c1: RuntimeError: api down"
    assert found(against(now, now), "results") == Check(name="results", status="broken", message=told)
    assert against(now, now).verdict == "FAIL"


def test_fewer_cases_than_the_baseline_break_even_when_the_run_has_all_of_its_own() -> None:
    now = recall(cases={"c1": RIGHT, "c2": RIGHT})
    judgement = against(now, recall(), facts(cases=2))
    assert [c.name for c in judgement.providers["p"].checks if c.status == "broken"] == ["cases"]
    assert judgement.verdict == "FAIL"


@pytest.mark.parametrize(("field", "other"), [("gold_version", "v2"), ("suite", "retrieval")])
def test_a_baseline_of_another_gold_set_is_not_comparable(field: str, other: str) -> None:
    with pytest.raises(NotComparable, match="Numbers of different gold-set versions are never compared") as raised:
        judge({"p": recall()}, baseline_of(recall(), **{field: other}), facts(), declared=GATED)
    assert raised.value.exit_code == 2
    assert other in str(raised.value)
