"""llm_as_judge: the verdict of the function that is passed in, and nothing that only looks like one."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from assay.evaluators.judge import llm_as_judge


def asked(actual: object, expected: object) -> bool:
    return (actual, expected) == ("a", "b")


def test_the_judge_gets_actual_then_expected() -> None:
    assert llm_as_judge("a", "b", {"judge_fn": asked}).passed
    assert llm_as_judge("b", "a", {"judge_fn": asked}).score == 0.0


def test_a_judge_may_do_without_a_reference() -> None:
    assert llm_as_judge("a", None, {"judge_fn": lambda actual, _: actual == "a"}).passed


@pytest.mark.parametrize("verdict", [True, 1, 1.0, np.True_])
def test_yes(verdict: object) -> None:
    metric = llm_as_judge("a", "b", {"judge_fn": lambda *_: verdict})
    assert (metric.score, metric.passed) == (1.0, True)


@pytest.mark.parametrize("verdict", [False, 0, np.False_])
def test_no(verdict: object) -> None:
    metric = llm_as_judge("a", "b", {"judge_fn": lambda *_: verdict})
    assert (metric.score, metric.passed, metric.error) == (0.0, False, None)


@pytest.mark.parametrize("verdict", [None, "no", "", 0.7, 2, [], object()])
def test_what_is_no_verdict_is_refused(verdict: object) -> None:
    assert "judge_fn: returned no verdict" in (llm_as_judge("a", "b", {"judge_fn": lambda *_: verdict}).error or "")


@pytest.mark.parametrize(
    ("options", "said"), [(None, "is missing"), ({}, "is missing"), ({"judge_fn": "gpt"}, "cannot be called")]
)
def test_without_a_judge_it_cannot_run(options: dict[str, object] | None, said: str) -> None:
    assert f"judge_fn: {said}" in (llm_as_judge("a", "b", options).error or "")


def test_a_judge_that_raises_could_not_run() -> None:
    def crashes(actual: object, expected: object) -> bool:
        raise ConnectionError("no answer")

    assert llm_as_judge("a", "b", {"judge_fn": crashes}).error == "ConnectionError: no answer"


def test_a_missing_output_is_not_judged() -> None:
    assert "actual: is None" in (llm_as_judge(None, "b", {"judge_fn": lambda *_: True}).error or "")


def test_evaluators_import_no_model_and_no_prefect() -> None:
    code = (
        "import sys; from assay import evaluate, get_evaluator\n"
        "evaluate([('a', 'a')], ['exact_match']); get_evaluator('llm_as_judge')\n"
        "heavy = {'openai', 'prefect', 'xllamacpp', 'torch', 'transformers', 'numpy'}\n"
        "print(sorted({module.split('.')[0] for module in sys.modules} & heavy))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
