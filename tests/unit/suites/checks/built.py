"""Small suites of checks for tests: options, cases as they stand in a file, outputs, and what scoring makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.evaluators.metric import EvalMetric
from assay.model.exchange import Failure, Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.score import CaseScore
from assay.suites.checks.cases import load
from assay.suites.checks.scoring import scorer
from tests.builders import json_lines
from tests.builders import reply as replied

HERE = "tests.unit.suites.checks.built"
WORD: dict[str, Any] = {
    "checks": [
        {"name": "same", "evaluator": "exact_match", "path": "word", "expected": "word"},
        {"name": "long", "evaluator": "length_range", "path": "word", "config": {"max": 4}},
    ],
    "planted": {"wrong word": "same"},
}
"""Two checks of one word: the expected one, of at most four letters."""
RECORD: dict[str, Any] = {
    "checks": [{"name": "decision_scores", "expected": "outcome"}],
    "planted": {"blank reasoning": "decision_scores.reasoning", "anything": "decision_scores"},
}
DECISION: dict[str, Any] = {
    "outcome": "keep",
    "confidence": 0.7,
    "decision_maker": "m",
    "reasoning": "r",
    "scenario": "s",
    "metadata": {"provenance": "p"},
}


def row(name: str = "c", **changes: Any) -> dict[str, Any]:
    """A case as it stands in the cases file; it expects the word `ship`."""
    return {"id": name, "input": {"prompt": f"Say it, {name}."}, "expected": {"word": "ship"}, **changes}


def gold(*rows: Mapping[str, Any]) -> list[GoldCase]:
    return load({"cases": ("cases.jsonl", json_lines(*rows))})


def one(**changes: Any) -> GoldCase:
    (case,) = gold(row(**changes))
    return case


def said(value: object) -> Reply:
    """A reply: a text as it is, anything else as JSON."""
    import json

    return replied(text=value if isinstance(value, str) else json.dumps(value))


def failed() -> Failure:
    return Failure(reason="HTTP 500", attempts=3)


def score(
    options: Mapping[str, Any], *outputs: Outcome, files: Mapping[str, tuple[str, bytes]] | None = None, **changes: Any
) -> CaseScore:
    """The row of one case with these outcomes."""
    return scorer(files or {}, options)(one(**changes), outputs)


def difference(found: CaseScore) -> Sequence[str]:
    return list(found.detail["difference"])


def shout(actual: object, expected: object = None, config: Mapping[str, object] | None = None) -> EvalMetric:
    """A user's evaluator: passes for a text in capitals that ends as the options say."""
    ending = str((config or {}).get("ending", ""))
    is_loud = isinstance(actual, str) and actual.isupper() and actual.endswith(ending)
    return EvalMetric(float(is_loud), is_loud)


def always(actual: object, expected: object = None, config: Mapping[str, object] | None = None) -> EvalMetric:
    return EvalMetric(1.0, passed=True)


def crashing(actual: object, expected: object = None, config: Mapping[str, object] | None = None) -> EvalMetric:
    raise ZeroDivisionError("oh no")


def odd(actual: object, expected: object = None, config: Mapping[str, object] | None = None) -> object:
    return "passed"


def nan(actual: object, expected: object = None, config: Mapping[str, object] | None = None) -> EvalMetric:
    return EvalMetric(float("nan"), passed=True)


def dictionary(files: Mapping[str, tuple[str, bytes]], options: Mapping[str, Any]) -> frozenset[str]:
    """A resource: the words of a file, and those in the options."""
    return frozenset(files["words"][1].decode().split()) | frozenset(options.get("more", []))


def broken_factory(files: Mapping[str, tuple[str, bytes]], options: Mapping[str, Any]) -> object:
    raise KeyError("no such thing")


def known_word(actual: object, expected: object = None, config: Mapping[str, object] | None = None) -> EvalMetric:
    """Passes for a word in the option `words`."""
    words = (config or {})["words"]
    assert isinstance(words, frozenset)
    return EvalMetric(float(actual in words), actual in words)


NOT_CALLABLE = 17
