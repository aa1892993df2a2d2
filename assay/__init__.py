"""Evaluate LLM systems with numbers that can be believed. Public names are resolved when they are first used."""

from __future__ import annotations

from importlib import import_module

_HOME = {
    "Baseline": "assay.model.baseline",
    "CaseResult": "assay.evaluators.metric",
    "Check": "assay.model.verdict",
    "Decision": "assay.evaluators.decision",
    "EvalMetric": "assay.evaluators.metric",
    "EvalSummary": "assay.evaluators.metric",
    "GoldCase": "assay.model.gold",
    "Metric": "assay.model.verdict",
    "RepeatedSummary": "assay.evaluators.repeated",
    "Report": "assay.model.report",
    "RunOutcome": "assay.model.run",
    "RunRequest": "assay.model.run",
    "Suite": "assay.model.suite",
    "UserError": "assay.errors",
    "evaluate": "assay.evaluators.evaluation",
    "evaluate_repeated": "assay.evaluators.repeated",
    "get_evaluator": "assay.evaluators.registry",
    "judge": "assay.gate",
    "list_evaluators": "assay.evaluators.registry",
    "open_suite": "assay.stores.goldsets",
    "similarity": "assay.metrics.similarity",
}

__all__ = sorted(_HOME)  # noqa: PLE0605  # made from the one table of names


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute {name!r}; it has {', '.join(_HOME)}")
    return getattr(import_module(_HOME[name]), name)
