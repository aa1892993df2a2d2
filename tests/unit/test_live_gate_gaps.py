"""Whatever is missing on one side of a live comparison, or too little to judge by, is never a pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from assay.gate import judge
from assay.model.baseline import Baseline
from assay.model.report import Evidence, Judgement
from assay.model.score import Measure, Ratio
from assay.model.suite import GateRule
from tests.builders import baseline_of, facts, metric
from tests.unit.live_builders import (
    ACCURACY,
    Cases,
    about,
    broken,
    cases,
    found,
    judged,
    outcome,
    right,
    share,
    told,
    wrong,
)

RARE = {"accuracy": share(), "rare": share(of="rare", right="rare_right")}


def statuses(judgement: Judgement) -> dict[str, str]:
    return {c.name: c.status for c in (*judgement.checks, *judgement.providers["p"].checks)}


def published(before: Evidence, **changes: Any) -> Baseline:
    """The baseline of this evidence, with a change to its block."""
    base = baseline_of(before)
    block = base.providers["p"]
    assert block
    return base.model_copy(update={"providers": {"p": block.model_copy(update=changes)}})


def without_counts(outcomes: Cases, *, every: int = 1) -> Cases:
    bare = {name: one.model_copy(update={"counts": {}}) for name, one in outcomes.items()}
    return {name: bare[name] if i % every == 0 else outcomes[name] for i, name in enumerate(outcomes)}


def with_rare(n: int, rare: int, right_of_rare: int) -> Cases:
    """Cases that are all right, the first few of which also carry the rare measure."""
    rares = [(1, outcome(passed=True, right=1, asked=1, rare=1, rare_right=int(i < right_of_rare))) for i in range(rare)]
    return cases(*rares, right(n - rare))


def test_only_the_cases_of_both_sides_are_tested() -> None:
    # Thirty new cases, all wrong, are reported and judged by nothing: the pairs are the 100 common ones.
    before, now = found(cases(right(100))), found(cases(right(100), wrong(30)))
    judgement = judged(now, before)
    assert judgement.verdict == "PASS"
    assert told(judgement)["live.cases_passed"][1].startswith("0 cases lost, 0 won of 100,")
    assert "drop +0.00 pp" in told(judgement)["live.accuracy"][1]
    assert (judgement.providers["p"].compared.cases, len(judgement.providers["p"].compared.new)) == (100, 30)


def test_fewer_cases_than_the_baseline_fail() -> None:
    judgement = judged(found(cases(right(99))), found(cases(right(100))))
    assert judgement.verdict == "FAIL"
    assert broken(judgement) == ["cases"]


def test_no_case_in_common_fails_and_says_so() -> None:
    before = found({f"other-{name}": one for name, one in cases(right(100)).items()})
    judgement = judged(found(cases(right(100))), before)
    assert judgement.verdict == "FAIL"
    assert told(judgement) == {"live": ("could-not-run", "no case in common with the baseline")}


@pytest.mark.parametrize("every", [1, 2])
def test_a_baseline_whose_cases_do_not_hold_the_counts_of_its_metrics_never_passes(every: int) -> None:
    """Older baselines kept no counts. Without them no metric can be tested, whatever the cases passed say."""
    old = cases(right(200))
    judgement = judged(found(old), published(found(old), cases=without_counts(old, every=every)))
    assert judgement.verdict == "NO VERDICT"


def test_a_drop_is_not_hidden_by_a_baseline_without_counts() -> None:
    before = cases((200, outcome(passed=False, right=1, asked=2)))
    now = found(cases((200, outcome(passed=False, right=0, asked=2))))  # 50 pp worse, and no case changes sides
    assert judged(now, published(found(before), cases=without_counts(before))).verdict != "PASS"


def test_a_run_whose_cases_hold_no_counts_never_passes() -> None:
    kept = cases(right(200))
    now = found(kept).model_copy(update={"cases": without_counts(kept)})
    assert judged(now, found(kept)).verdict != "PASS"


def test_a_metric_that_is_undefined_in_the_run_gives_no_verdict() -> None:
    judgement = judged(found(with_rare(200, 0, 0), RARE), found(with_rare(200, 40, 40), RARE), RARE)
    assert judgement.verdict == "NO VERDICT"
    assert statuses(judgement)["defined.rare"] == "could-not-run"


def test_a_metric_that_is_undefined_in_the_baseline_gives_no_verdict_as_on_replay() -> None:
    judgement = judged(found(with_rare(200, 40, 40), RARE), found(with_rare(200, 0, 0), RARE), RARE)
    assert judgement.verdict == "NO VERDICT"
    assert statuses(judgement)["live.rare"] == "could-not-run"


def test_a_metric_that_is_undefined_over_the_common_cases_gives_no_verdict() -> None:
    # Every rare row of the run lies in a case that the baseline does not have.
    measures = {**RARE, "rare": share(of="rare", right="rare_right", fixed_n=False)}
    new = {f"new-{name}": one for name, one in with_rare(50, 50, 50).items()}
    now, before = found({**cases(right(200)), **new}, measures), found(with_rare(200, 40, 40), measures)
    assert judged(now, before, measures).verdict == "NO VERDICT"


def test_a_metric_that_the_baseline_does_not_have_gives_no_verdict_and_no_crash() -> None:
    now = found(with_rare(200, 40, 40), RARE)
    older = published(now, metrics={"accuracy": now.metrics["accuracy"]})
    judgement = judged(now, older, RARE)
    assert judgement.verdict == "NO VERDICT"
    assert statuses(judgement)["live.rare"] == "could-not-run"


def test_a_metric_that_the_kind_does_not_measure_fails_without_a_crash() -> None:
    now = found(cases(right(200)))
    rule = GateRule(metrics=("accuracy", "unheard_of"), must_detect_pp=30.0)
    run = facts(mode="live", rule=rule, measures=dict(ACCURACY), cases=200)
    judgement = judge({"p": now}, baseline_of(now), run, declared={"p": "ci"})
    assert judgement.verdict == "FAIL"
    assert broken(judgement) == ["defined.unheard_of"]


def test_a_measure_without_counts_gives_no_verdict_and_no_crash() -> None:
    """A metric that is no ratio of counts cannot be resampled."""
    measures: Mapping[str, Measure] = {"score": Measure()}
    now = found(cases(right(200)), ACCURACY).model_copy(update={"metrics": {"score": metric(0.9)}})
    judgement = judge({"p": now}, baseline_of(now), about(now, measures), declared={"p": "ci"})
    assert judgement.verdict == "NO VERDICT"


def test_a_mean_over_fewer_ratios_than_the_baselines_is_another_measure() -> None:
    """Else a model that stops predicting its worst class would look better; replay has the same rule (`fixed_n`)."""
    ratios = tuple(Ratio(numerator=f"hit_{c}", denominator=f"predicted_{c}", of=f"predicted as {c}") for c in "ab")
    measures = {"precision": Measure(ratios=ratios, mean_of="class")}
    good, bad = outcome(passed=True, hit_a=1, predicted_a=1), outcome(passed=False, predicted_b=1)
    before, now = (
        found(cases((100, good), (100, bad)), measures),
        found(cases((100, good), (100, outcome(passed=False))), measures),
    )
    assert (before.metrics["precision"].value, now.metrics["precision"].value) == (0.5, 1.0)
    assert judged(now, before, measures).verdict == "NO VERDICT"


@pytest.mark.parametrize("rare", [1, 3, 5])
def test_a_metric_of_so_few_cases_that_nothing_could_reject_it_gives_no_verdict(rare: int) -> None:
    """All of its rows lost would still be p = 3 * 2^-5 = 0.094 with three tests, however many other cases there are."""
    now = found(with_rare(500, rare, rare), RARE)
    judgement = judged(now, now, RARE)
    assert judgement.verdict == "NO VERDICT"
    assert statuses(judgement)["live.rare"] == "could-not-run"


def test_all_rows_of_a_rare_metric_lost_are_never_a_pass() -> None:
    assert judged(found(with_rare(500, 5, 0), RARE), found(with_rare(500, 5, 5), RARE), RARE).verdict != "PASS"
