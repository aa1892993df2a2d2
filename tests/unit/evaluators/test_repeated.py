"""evaluate_repeated: stable, flaky or an error, and each evaluator's statistics by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import evaluate, evaluate_repeated
from assay.evaluators.refusal import InvalidCall


def answers(*outputs: object) -> Callable[[dict[str, object]], object]:
    """A target that gives the outputs in turn; an exception among them is raised."""
    left = iter(outputs)

    def target(case: dict[str, object]) -> object:
        output = next(left)
        if isinstance(output, Exception):
            raise output
        return output

    return target


CASE = {"id": "c1", "expected": "ok"}


@pytest.mark.parametrize(
    ("outputs", "verdict"),
    [
        (("ok", "ok", "ok"), "stable_pass"),
        (("ok", "no", "ok"), "flaky"),
        (("no", "no", "no"), "stable_fail"),
        (("ok", RuntimeError("boom"), "ok"), "error"),
        (("no", RuntimeError("boom"), "ok"), "error"),
    ],
)
def test_the_verdict_over_three_runs(outputs: tuple[object, ...], verdict: str) -> None:
    summary = evaluate_repeated([CASE], ["exact_match"], target_fn=answers(*outputs), runs=3)
    assert summary.cases[0].verdict == verdict
    counts = {
        "stable_pass": summary.stable_pass,
        "flaky": summary.flaky,
        "stable_fail": summary.stable_fail,
        "error": summary.errors,
    }
    assert counts == {name: int(name == verdict) for name in counts}
    assert (summary.runs, summary.total) == (3, 1)


def test_statistics_by_hand() -> None:
    target = answers("night", "nacht", "xxxxx")
    stats = evaluate_repeated([{"expected": "night"}], ["levenshtein"], target_fn=target, runs=3).cases[0].stats["levenshtein"]
    # scores 1.0, 0.6, 0.0: mean 1.6 / 3, variance (1 + 0.36 + 0) / 3 - (1.6 / 3)^2
    assert (stats.n, stats.passes, stats.errors, stats.pass_rate) == (3, 1, 0, 1 / 3)
    assert stats.mean_score == pytest.approx(1.6 / 3)
    assert stats.stddev == pytest.approx(math.sqrt(1.36 / 3 - (1.6 / 3) ** 2))
    assert (stats.any_passed, stats.all_passed) == (True, False)
    assert [sample.score for sample in stats.samples] == [1.0, 0.6, 0.0]


def test_errors_have_no_score() -> None:
    target = answers("ok", OSError("down"), "ok", "no")
    stats = evaluate_repeated([CASE], ["exact_match"], target_fn=target, runs=4).cases[0].stats["exact_match"]
    # two of four passed; of the three that were scored the mean is 2 / 3
    assert (stats.n, stats.passes, stats.errors, stats.pass_rate, stats.mean_score) == (4, 2, 1, 0.5, 2 / 3)
    assert stats.samples[1].error == "target_fn: OSError: down"


def test_without_any_score_the_mean_is_undefined() -> None:
    summary = evaluate_repeated([CASE], ["exact_match"], runs=4)
    stats = summary.cases[0].stats["exact_match"]
    assert (summary.cases[0].verdict, stats.n, stats.errors, stats.mean_score, stats.stddev) == ("error", 4, 4, None, None)
    assert (stats.any_passed, stats.all_passed, stats.pass_rate) == (False, False, 0.0)


def test_evaluators_that_disagree_the_same_way_every_time_are_stable() -> None:
    config = {"keyword_check": {"required": ["k"]}}
    summary = evaluate_repeated([CASE], ["exact_match", "keyword_check"], config, answers("ok", "ok"), runs=2)
    assert summary.cases[0].verdict == "stable_fail"
    assert summary.cases[0].stats["exact_match"].all_passed


def test_an_objective_holds_in_every_run() -> None:
    config = {"exact_match": {"objective": {"expect": False}}}
    summary = evaluate_repeated([CASE], ["exact_match"], config, answers("ok", "no"), runs=2)
    assert [sample.passed for sample in summary.cases[0].stats["exact_match"].samples] == [False, True]


def test_a_judge_is_asked_anew_in_every_run() -> None:
    verdicts = iter([True, False])
    config = {"llm_as_judge": {"judge_fn": lambda *_: next(verdicts)}}
    assert evaluate_repeated([CASE], ["llm_as_judge"], config, lambda _: "ok", runs=2).flaky == 1


def test_each_case_has_its_own_verdict() -> None:
    cases = [
        {"id": "a", "expected": "ok", "target_fn": answers("ok", "ok")},
        {"id": "b", "expected": "ok", "target_fn": answers("ok", "no")},
        {"id": "c", "expected": "ok", "target_fn": answers("no", "no")},
    ]
    summary = evaluate_repeated(cases, ["exact_match"], runs=2)
    assert [(case.case_id, case.verdict) for case in summary.cases] == [
        ("a", "stable_pass"),
        ("b", "flaky"),
        ("c", "stable_fail"),
    ]


@pytest.mark.parametrize("runs", [0, -1, 1.5, True, "3", None])
def test_there_is_at_least_one_run(runs: object) -> None:
    with pytest.raises(ValueError, match="runs must be >= 1"):
        evaluate_repeated([CASE], ["exact_match"], runs=runs)  # type: ignore[arg-type]  # the case


@pytest.mark.parametrize("case", [("ok", "ok"), {"id": "c1", "expected": "ok", "actual": "ok"}])
def test_a_fixed_output_cannot_be_repeated(case: object) -> None:
    with pytest.raises(ValueError, match="static `actual`"):
        evaluate_repeated([case], ["exact_match"], target_fn=answers("ok"), runs=2)  # type: ignore[list-item]
    assert evaluate_repeated([case], ["exact_match"], runs=1).stable_pass == 1  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("names", "said"), [([], "at least one"), (["rouge", "rouge"], "must be unique"), (["rogue"], "'rouge'")]
)
def test_evaluators_are_checked_as_in_a_single_run(names: list[str], said: str) -> None:
    with pytest.raises(InvalidCall, match=said):
        evaluate_repeated([CASE], names)


def test_no_cases_make_an_empty_summary() -> None:
    summary = evaluate_repeated([], ["exact_match"])
    assert (summary.runs, summary.total, summary.cases) == (10, 0, [])


@given(st.lists(st.sampled_from(["night", "nacht", "day"]), min_size=1, max_size=6))
def test_runs_are_single_runs(outputs: list[str]) -> None:
    stats = evaluate_repeated([{"expected": "night"}], ["rouge", "levenshtein"], target_fn=answers(*outputs), runs=len(outputs))
    single = [evaluate([("night", output)], ["rouge", "levenshtein"]).cases[0] for output in outputs]
    for name, found in stats.cases[0].stats.items():
        assert list(found.samples) == [case.metrics[name] for case in single]
        assert found.all_passed is all(sample.passed for sample in found.samples)
        assert found.any_passed is any(sample.passed for sample in found.samples)
    assert (
        stats.cases[0].verdict
        == {(True, True): "stable_pass", (False, True): "flaky", (False, False): "stable_fail"}[
            all(case.status == "pass" for case in single), any(case.status == "pass" for case in single)
        ]
    )
