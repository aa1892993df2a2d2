"""Evaluators by name, ours and those of other distributions, found without importing them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay import EvalMetric, evaluate, get_evaluator, list_evaluators
from assay.evaluators.refusal import InvalidCall
from assay.evaluators.registry import BUILT_IN, evaluator_origin

TEN = [
    "decision_scores",
    "exact_match",
    "keyword_check",
    "length_range",
    "levenshtein",
    "llm_as_judge",
    "numeric_range",
    "regex_match",
    "rouge",
    "temporal_range",
]
SHOUTS = """\
from assay import EvalMetric


def shouts(actual, expected=None, config=None):
    is_loud = actual == str(actual).upper()
    return EvalMetric(float(is_loud), is_loud, {"config": dict(config or {})})


NOTHING = 5
"""
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a distribution with one module and entry points on the path, each in a folder of its own."""
    before = set(sys.modules)

    def installed(name: str, points: str, source: str = SHOUTS) -> None:
        folder = tmp_path / name
        meta = folder / f"{name}-1.2.dist-info"
        meta.mkdir(parents=True)
        (folder / f"{name}.py").write_text(source)
        (meta / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        (meta / "entry_points.txt").write_text(f"[assay.evaluators]\n{points}\n")
        monkeypatch.syspath_prepend(str(folder))

    yield installed
    for module in set(sys.modules) - before:
        if module.startswith("fake_"):
            del sys.modules[module]


def test_the_ten_are_listed_and_are_functions() -> None:
    assert sorted(BUILT_IN) == TEN
    assert set(TEN) <= set(list_evaluators())
    for name in TEN:
        assert isinstance(get_evaluator(name)("a", "a", None), EvalMetric)
        assert evaluator_origin(name) == "assay"


def test_an_unknown_name_lists_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(InvalidCall) as caught:
        get_evaluator("levenstein")
    text = str(caught.value)
    assert text.startswith("evaluators: unknown evaluator, got 'levenstein'; expected one of decision_scores, exact_match, ")
    assert text.endswith("Did you mean 'levenshtein'?")


def test_a_foreign_evaluator_is_found_without_importing_it(install: Install) -> None:
    install("fake_shouting", "shouts = fake_shouting:shouts")
    assert "shouts" in list_evaluators()
    assert evaluator_origin("shouts") == "fake_shouting 1.2 (fake_shouting:shouts)"
    assert "fake_shouting" not in sys.modules


def test_a_foreign_evaluator_runs_like_ours(install: Install) -> None:
    install("fake_running", "shouts = fake_running:shouts")
    config = {"shouts": {"volume": 11, "objective": {"expect": False}}}
    (case,) = evaluate([("x", "LOUD")], ["shouts", "exact_match"], config).cases
    metric = case.metrics["shouts"]
    assert (metric.score, metric.passed) == (1.0, False)
    assert metric.meta == {"config": {"volume": 11}, "objective": "expect False"}


def test_two_distributions_with_one_name_are_an_error_that_says_both(install: Install) -> None:
    install("fake_one", "shouts = fake_one:shouts")
    install("fake_two", "shouts = fake_two:shouts")
    with pytest.raises(InvalidCall) as caught:
        list_evaluators()
    text = str(caught.value)
    assert text.startswith("entry point 'shouts': two evaluators have this name: ")
    assert "fake_one 1.2 (fake_one:shouts)" in text
    assert "fake_two 1.2 (fake_two:shouts)" in text


def test_a_built_in_name_cannot_be_taken(install: Install) -> None:
    install("fake_thief", "rouge = fake_thief:shouts")
    with pytest.raises(InvalidCall, match=r"two evaluators have this name: assay and fake_thief 1.2 \(fake_thief:shouts\)"):
        get_evaluator("rouge")


@pytest.mark.parametrize(
    ("point", "source", "said"),
    [
        ("fake_broken:shouts", "raise OSError('no licence')", "cannot be loaded (OSError: no licence)"),
        ("fake_broken:whispers", SHOUTS, "cannot be loaded (AttributeError: "),
        ("fake_absent:shouts", SHOUTS, "cannot be loaded (ModuleNotFoundError: "),
        ("fake_broken:NOTHING", SHOUTS, "is no function, got 5"),
    ],
)
def test_one_that_does_not_load_is_refused_before_anything_runs(install: Install, point: str, source: str, said: str) -> None:
    install("fake_broken", f"shouts = {point}", source)
    with pytest.raises(InvalidCall) as caught:
        evaluate([("x", "y")], ["shouts"])
    assert "evaluator 'shouts': of fake_broken 1.2 (" in str(caught.value)
    assert said in str(caught.value)


RETURNS = """\
from assay import EvalMetric


def returns(actual, expected=None, config=None):
    return config["returned"]
"""


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "the evaluator returned NoneType, no EvalMetric"),
        (True, "the evaluator returned bool, no EvalMetric"),
        (EvalMetric(float("nan"), passed=True), "the evaluator returned score nan and passed True"),
        (EvalMetric(1.0, passed="yes"), "the evaluator returned score 1.0 and passed 'yes'"),  # type: ignore[arg-type]
        (EvalMetric("high", passed=True), "TypeError: "),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_metric_is_an_error_of_the_case(install: Install, returned: object, said: str) -> None:
    install("fake_returning", "returns = fake_returning:returns", RETURNS)
    (case,) = evaluate([("x", "y")], ["returns"], {"returns": {"returned": returned}}).cases
    assert case.status == "error"
    assert said in case.details["returns"]
