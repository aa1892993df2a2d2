"""The examples in the package's docstrings give what they show."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import assay
from assay import evaluators


def test_every_documented_example_gives_what_it_shows() -> None:
    names = [module.name for module in pkgutil.iter_modules(evaluators.__path__, "assay.evaluators.")]
    results = [doctest.testmod(import_module(name)) for name in names]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) >= 12


def test_public_names_are_those_of_the_package() -> None:
    for name in (
        "evaluate",
        "evaluate_repeated",
        "list_evaluators",
        "get_evaluator",
        "EvalMetric",
        "CaseResult",
        "EvalSummary",
    ):
        assert name in assay.__all__
        assert getattr(assay, name).__module__.startswith("assay.evaluators.")
