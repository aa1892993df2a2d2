"""Whose numbers the gate lets decide, and what it says case by case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from assay.gate import judge
from assay.model.baseline import Baseline, Block
from assay.model.report import Comparison, Evidence, Judgement
from assay.model.verdict import CaseOutcome, Check
from tests.builders import baseline_of, evidence, facts, metric


def found(value: float = 0.9, **changes: Any) -> Evidence:
    return evidence({"recall": metric(value)}, **changes)


def published(**providers: Evidence) -> Baseline:
    blocks = {name: baseline_of(item).providers["p"] for name, item in providers.items()}
    return baseline_of(found()).model_copy(update={"providers": blocks})


def judged(run: Mapping[str, Evidence], baseline: Baseline | None, **declared: str) -> Judgement:
    return judge(run, baseline, facts(), declared=declared)


def told(judgement: Judgement) -> list[tuple[str, str]]:
    return [(check.status, check.message) for check in judgement.checks]


def outcomes(**scores: float) -> dict[str, CaseOutcome]:
    return {name: CaseOutcome(passed=score == 1.0, score=score) for name, score in scores.items()}


def test_a_suite_that_declares_no_gated_provider_fails() -> None:
    manual = found(enforcement="manual")
    judgement = judged({"p": manual}, published(p=manual), p="manual")
    assert judgement.verdict == "FAIL"
    assert told(judgement) == [("broken", "the suite declares no provider with enforcement ci, so nothing can fail")]


def test_a_suite_that_declares_no_provider_fails() -> None:
    assert judged({}, None).verdict == "FAIL"


def test_an_empty_provider_set_fails() -> None:
    assert judged({}, published(p=found()), p="ci").verdict == "FAIL"


def test_a_run_of_manual_providers_alone_gives_no_verdict() -> None:
    manual = found(enforcement="manual")
    judgement = judged({"q": manual}, published(p=found(), q=manual), p="ci", q="manual")
    assert judgement.verdict == "NO VERDICT"
    assert told(judgement) == [("could-not-run", "none of the gated providers (p) is part of this run")]


def test_a_gated_provider_without_any_metric_never_passes() -> None:
    silent = evidence({}, proof=(Check(name="replay", status="kept", message="all found"),))
    assert judged({"p": silent}, published(p=found()), p="ci").verdict != "PASS"


def test_a_gated_provider_that_the_baseline_does_not_know_fails() -> None:
    judgement = judged({"p": found()}, published(q=found(enforcement="manual")), p="ci", q="manual")
    assert judgement.verdict == "FAIL"
    assert told(judgement)[1:] == [("broken", "no block for gated p; the baseline holds q")]


@pytest.mark.parametrize(
    ("blocks", "what"),
    [
        ({}, "no block for gated p; the baseline holds no provider at all"),
        ({"p": None}, "null block for gated p; the baseline holds no provider at all"),
        ({"p": None, **published(q=found()).providers}, "null block for gated p; the baseline holds q"),
    ],
)
def test_an_emptied_block_of_a_gated_provider_fails(blocks: dict[str, Block | None], what: str) -> None:
    base = published(p=found()).model_copy(update={"providers": blocks})
    judgement = judged({"p": found()}, base, p="ci", q="ci")
    assert judgement.verdict == "FAIL"
    assert told(judgement)[1:] == [("broken", what)]
    assert judgement.providers["p"].checks[-1].status == "could-not-run"


def test_a_block_of_an_undeclared_provider_fails() -> None:
    judgement = judged({"p": found()}, published(p=found(), gone=found()), p="ci")
    assert judgement.verdict == "FAIL"
    assert told(judgement)[1:] == [("broken", "blocks of undeclared providers: gone")]


def test_a_manual_block_without_numbers_disturbs_nobody() -> None:
    base = published(p=found()).model_copy(update={"providers": {**published(p=found()).providers, "q": None}})
    run = {"p": found(), "q": evidence({}, enforcement="manual", recording=None)}
    assert judged(run, base, p="ci", q="manual").verdict == "PASS"


@pytest.mark.parametrize("status", ["broken", "could-not-run"])
@pytest.mark.parametrize("value", [0.0, 0.9])
def test_a_manual_provider_is_judged_and_never_decides(status: Any, value: float) -> None:
    base = published(p=found(), q=found(enforcement="manual"))
    proof = (Check(name="recording", status=status, message="m"),)
    judgement = judged({"p": found(), "q": found(value, enforcement="manual", proof=proof)}, base, p="ci", q="manual")
    assert judgement.verdict == "PASS"
    assert status in {check.status for check in judgement.providers["q"].checks}
    assert told(judgement)[0] == ("kept", "gated: p")


def test_a_good_manual_provider_excuses_no_gated_one() -> None:
    base = published(p=found(), q=found(enforcement="manual"))
    judgement = judged({"p": found(0.5), "q": found(1.0, enforcement="manual")}, base, p="ci", q="manual")
    assert judgement.verdict == "FAIL"


def test_one_bad_gated_provider_of_two_fails() -> None:
    base = published(p=found(), q=found())
    assert judged({"p": found(), "q": found(0.5)}, base, p="ci", q="ci").verdict == "FAIL"
    assert judged({"p": found(), "q": found()}, base, p="ci", q="ci").verdict == "PASS"


def test_a_gated_provider_with_a_manual_block_fails() -> None:
    judgement = judged({"p": found()}, published(p=found(enforcement="manual")), p="ci")
    assert judgement.verdict == "FAIL"
    wanted = Check(name="baseline.enforcement", status="broken", message="the baseline says manual for p, the suite ci")
    assert wanted in judgement.checks


def test_a_provider_is_not_ungated_by_the_suite_alone() -> None:
    base = published(p=found(), q=found())  # both blocks are ci: dropping q from the suite fails, so must demoting it
    run = {"p": found(), "q": found(0.1, enforcement="manual")}
    assert judged(run, base, p="ci", q="manual").verdict == "FAIL"


def test_a_proof_that_breaks_is_told_and_nothing_is_compared() -> None:
    broken = Check(name="contract.prompt_sha256", status="broken", message="differs")
    judgement = judged({"p": evidence({}, cases={}, proof=(broken,))}, published(p=found()), p="ci")
    assert judgement.verdict == "FAIL"
    assert judgement.providers["p"].checks == (broken,)
    assert judgement.providers["p"].compared == Comparison(cases=0, metrics=0)


def test_cases_that_got_worse_better_or_are_new_are_named() -> None:
    before = found(cases=outcomes(c1=1.0, c2=0.5, c3=0.5, gone=1.0))
    now = found(cases=outcomes(c3=0.5, c2=0.75, c1=0.5, c4=1.0))
    compared = judged({"p": now}, published(p=before), p="ci").providers["p"].compared
    assert compared == Comparison(cases=3, metrics=1, worse=("c1",), better=("c2",), new=("c4",))


def test_a_case_that_stops_passing_is_worse_even_at_the_same_score() -> None:
    right, wrong = CaseOutcome(passed=True, score=1.0), CaseOutcome(passed=False, score=1.0)
    before, now = found(cases={"c1": right, "c2": wrong}), found(cases={"c1": wrong, "c2": right})
    compared = judged({"p": now}, published(p=before), p="ci").providers["p"].compared
    assert (compared.worse, compared.better) == (("c1",), ("c2",))


def test_an_undefined_metric_does_not_count_as_compared() -> None:
    empty = evidence({"recall": metric(None)})
    compared = judged({"p": empty}, published(p=empty), p="ci").providers["p"].compared
    assert compared.metrics == 0


def test_a_report_keeps_the_evidence_and_shows_the_baseline_with_its_age() -> None:
    now = found(0.95)
    report = judged({"p": now}, published(p=found()), p="ci").providers["p"]
    assert {name: getattr(report, name) for name in Evidence.model_fields} == dict(now)
    assert report.baseline == {"recall": metric(0.9)}
    assert report.baseline_refreshed == "2026-11-30"
