"""score: the checks and how they are counted, on trial, over outputs whose judgement was worked out on paper."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.evaluators.metric import EvalMetric
from assay.evaluators.objectives import objective_of
from assay.evaluators.registry import get_evaluator
from assay.model.exchange import Failure, Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.score import CaseScore
from assay.model.selftest import SelfCheck
from assay.suites.checks.options import Options
from assay.suites.checks.planning import Plans
from assay.suites.checks.scoring import score_case

ScoreCase = Callable[..., CaseScore]
Found = Callable[[str, object, object, Mapping[str, object]], float | None]
Met = Callable[[float, Mapping[str, object]], float | None]
OPTIONS = Options.model_validate(
    {
        "checks": [
            {"name": "same", "evaluator": "exact_match", "path": "word", "expected": "word"},
            {"name": "long", "evaluator": "length_range", "path": "word", "config": {"max": 4}},
        ],
        "planted": {"wrong word": "same"},
    }
)
RECORD = Options.model_validate(
    {"checks": [{"name": "decision_scores"}], "planted": {"blank reasoning": "decision_scores.reasoning"}}
)
DECISION = {
    "outcome": "a", "confidence": 0.7, "decision_maker": "m", "reasoning": "r", "scenario": "s",
    "metadata": {"provenance": "p"}, "timestamp": "2026-11-30T00:00:00+00:00", "category": "c", "decision_id": "d",
}  # fmt: skip
CAT = {"required": ["cat"]}


def _passed(name: str, actual: object, expected: object, config: Mapping[str, object]) -> float | None:
    """1 passed, 0 failed, None could not run."""
    metric = get_evaluator(name)(actual, expected, config)
    return None if metric.error is not None else float(metric.passed)


def _score(name: str, actual: object, expected: object, config: Mapping[str, object]) -> float | None:
    metric = get_evaluator(name)(actual, expected, config)
    return None if metric.error is not None else metric.score


def _met(score: float, objective: Mapping[str, object]) -> float | None:
    """1 when the score meets the objective, 0 when it does not, None where the objective decides nothing."""
    found = objective_of(objective, "objective")
    return float(found.applied(EvalMetric(score, passed=False)).passed) if found and found.decides else None


def selftest(
    score: ScoreCase = score_case, passed: Found = _passed, scored: Found = _score, met: Met = _met
) -> Sequence[SelfCheck]:
    """What evaluators, objectives and counting give beside what they must give."""
    none: dict[str, Any] = {}
    rights = DECISION
    return [
        SelfCheck("equal texts match", 1.0, passed("exact_match", "ok", "ok", none)),
        SelfCheck("a capital is another text", 0.0, passed("exact_match", "Ok", "ok", none)),
        SelfCheck("nothing cannot be compared", None, passed("exact_match", None, None, none)),
        SelfCheck("a pattern is searched for", 1.0, passed("regex_match", "order 17", r"\d+", none)),
        SelfCheck("a broken pattern could not run", None, passed("regex_match", "x", "(", none)),
        SelfCheck("a keyword inside a word is no keyword", 0.0, passed("keyword_check", "scatter", None, CAT)),
        SelfCheck("every keyword, whatever its case", 1.0, passed("keyword_check", "A Cat", None, CAT)),
        SelfCheck("a bound is inside", 1.0, passed("numeric_range", 5, None, {"min": 1, "max": 5})),
        SelfCheck("beyond the bound is outside", 0.0, passed("numeric_range", 5.1, None, {"min": 1, "max": 5})),
        SelfCheck("one bound alone could not run", None, passed("numeric_range", 5, None, {"min": 1})),
        SelfCheck("five characters of at most four", 0.0, passed("length_range", "abcde", None, {"max": 4})),
        SelfCheck("apple and aple: 1 - 1/5", 0.8, scored("levenshtein", "aple", "apple", none)),
        SelfCheck("0.8 is not 0.9", 0.0, passed("levenshtein", "aple", "apple", {"threshold": 0.9})),
        SelfCheck("a score at the threshold passes", 1.0, passed("levenshtein", "aple", "apple", {"threshold": 0.8})),
        SelfCheck("two of three words each: F1 2/3", 2 / 3, scored("rouge", "a b c", "a b d", none)),
        SelfCheck("no word in common scores 0 and fails", 0.0, passed("rouge", "a", "b", none)),
        SelfCheck("a judge that was not given could not run", None, passed("llm_as_judge", "a", "b", none)),
        SelfCheck("a whole decision passes", 1.0, passed("decision_scores", rights, "a", none)),
        SelfCheck("blank reasoning fails it", 0.0, passed("decision_scores", rights | {"reasoning": " "}, "a", none)),
        SelfCheck("one of six checks broken: 5/6", 5 / 6, scored("decision_scores", rights | {"reasoning": ""}, "a", none)),
        SelfCheck("a maximum is met at its threshold", 1.0, met(0.8, {"direction": "maximize", "threshold": 0.8})),
        SelfCheck("a minimum is met at its threshold", 1.0, met(0.5, {"direction": "minimize", "threshold": 0.5})),
        SelfCheck("a score above its maximum fails", 0.0, met(0.6, {"direction": "minimize", "threshold": 0.5})),
        SelfCheck("a match that should not be one fails", 0.0, met(1.0, {"expect": False})),
        SelfCheck("what should not match and does not is met", 1.0, met(0.0, {"expect": False})),
        *_of_cases(score),
        *_of_reasons(score),
    ]


def _of_cases(score: ScoreCase) -> list[SelfCheck]:
    """The same through the scoring of a case with two checks."""

    def counted(outcomes: Sequence[Outcome], name: str, planted: str | None = None) -> float | None:
        expected = {"expected": {"word": "ship"}, "checks": None, "config": {}, "planted": planted}
        case = GoldCase.model_validate({"id": "c", "input": {}, "expected": expected})
        row = score(case, outcomes, Plans(OPTIONS, {}).of(case), OPTIONS.planted)
        return float(row.counts.get(name, 0))

    right, wrong, both = _reply({"word": "ship"}), _reply({"word": "bark"}), _reply({"word": "barque"})
    return [
        SelfCheck("both checks pass: the case passes", 1.0, counted([right], "passed")),
        SelfCheck("one check fails: the case does not", 0.0, counted([wrong], "passed")),
        SelfCheck("a planted fault that is noticed passes", 1.0, counted([wrong], "passed", "wrong word")),
        SelfCheck("a planted fault that is not noticed fails", 0.0, counted([right], "passed", "wrong word")),
        SelfCheck("a planted fault beside another one fails", 0.0, counted([both], "passed", "wrong word")),
        SelfCheck("an output without the value could not be checked", 2.0, counted([_reply({})], "errors")),
        SelfCheck("a planted fault is not noticed by an error", 0.0, counted([_reply({})], "passed", "wrong word")),
        SelfCheck("no output: no check came out as expected", 0.0, counted([], "same")),
        SelfCheck("a failed case stays in the denominator", 1.0, counted([Failure(reason="x", attempts=1)], "same of")),
        SelfCheck("one bad repeat of two fails the case", 0.0, counted([right, wrong], "passed")),
    ]


def _of_reasons(score: ScoreCase) -> list[SelfCheck]:
    """A planted fault has to be noticed for its own reason alone."""

    def noticed(change: dict[str, object]) -> float | None:
        expected: dict[str, object] = {"expected": "a", "checks": None, "config": {}, "planted": "blank reasoning"}
        case = GoldCase.model_validate({"id": "c", "expected": expected, "input": {}})
        row = score(case, [_reply(DECISION | change)], Plans(RECORD, {}).of(case), RECORD.planted)
        return float(row.counts.get("planted_noticed", 0))

    return [
        SelfCheck("a planted fault that is noticed for its reason passes", 1.0, noticed({"reasoning": " "})),
        SelfCheck("a planted fault that is noticed for another reason fails", 0.0, noticed({"scenario": " "})),
        SelfCheck("a planted fault that is noticed for two reasons fails", 0.0, noticed({"reasoning": "", "scenario": ""})),
    ]


def _reply(value: object) -> Reply:
    return Reply(text=json.dumps(value), finish_reason=None, model_served=None, usage=None, latency_ms=None)
