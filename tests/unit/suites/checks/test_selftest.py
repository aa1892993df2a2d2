"""The kind's trial of itself: green as it is, red for each thing that is broken and passed in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from assay.evaluators.metric import EvalMetric
from assay.evaluators.objectives import objective_of
from assay.evaluators.registry import get_evaluator
from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.model.score import CaseScore
from assay.suites.checks.planning import Applied
from assay.suites.checks.scoring import score_case
from assay.suites.checks.selftest import selftest

Config = Mapping[str, object]


def red(**broken: Any) -> list[str]:
    return [check.name for check in selftest(**broken) if not check.holds]


def passing(name: str, wrong: Callable[[object, object, Config], float | None]) -> Callable[..., float | None]:
    """What `passed` says when one evaluator is broken."""

    def passed(asked: str, actual: object, expected: object, config: Config) -> float | None:
        if asked == name:
            return wrong(actual, expected, config)
        return verdict(asked, actual, expected, config)

    return passed


def verdict(name: str, actual: object, expected: object, config: Config) -> float | None:
    metric = get_evaluator(name)(actual, expected, config)
    return None if metric.error is not None else float(metric.passed)


def test_it_is_green_as_it_is_and_no_check_stands_twice() -> None:
    found = selftest()
    assert [check for check in found if not check.holds] == []
    names = [check.name for check in found]
    assert len(set(names)) == len(names) >= 29


def inside_words(actual: object, _: object, config: Config) -> float:
    required = config["required"]
    assert isinstance(required, list)
    return float(all(str(word).lower() in str(actual).lower() for word in required))


def cased(actual: object, _: object, config: Config) -> float:
    required = config["required"]
    assert isinstance(required, list)
    return float(all(re.search(rf"\b{word}\b", str(actual)) is not None for word in required))


def anchored(actual: object, pattern: object, _: Config) -> float | None:
    return None if pattern == "(" else float(re.match(str(pattern), str(actual)) is not None)


def between(is_inside: Callable[[float, float, float], bool]) -> Callable[[object, object, Config], float | None]:
    def judged(value: object, _: object, config: Config) -> float | None:
        low, high = config.get("min"), config.get("max")
        if not isinstance(low, int | float) or not isinstance(high, int | float) or not isinstance(value, int | float):
            return None
        return float(is_inside(value, low, high))

    return judged


BROKEN: dict[str, tuple[str, Callable[[object, object, Config], float | None], str]] = {
    "always passes": ("exact_match", lambda *_: 1.0, "a capital is another text"),
    "case folded": ("exact_match", lambda a, b, _: float(str(a).lower() == str(b).lower()), "a capital is another text"),
    "nothing equals nothing": ("exact_match", lambda a, b, _: float(a == b), "nothing cannot be compared"),
    "match in place of search": ("regex_match", anchored, "a pattern is searched for"),
    "a broken pattern fails": ("regex_match", lambda a, b, _: float(b != "("), "a broken pattern could not run"),
    "word boundary dropped": ("keyword_check", inside_words, "a keyword inside a word is no keyword"),
    "case matters": ("keyword_check", cased, "every keyword, whatever its case"),
    "bounds outside": ("numeric_range", between(lambda value, low, high: low < value < high), "a bound is inside"),
    "no upper bound": ("numeric_range", between(lambda value, low, high: low <= value), "beyond the bound is outside"),
    "a missing bound is none": ("numeric_range", lambda *_: 1.0, "one bound alone could not run"),
    "max is ignored": ("length_range", lambda *_: 1.0, "five characters of at most four"),
    "threshold is ignored": ("levenshtein", lambda a, b, _: verdict("levenshtein", a, b, {}), "0.8 is not 0.9"),
    "rouge of 0 passes": ("rouge", lambda *_: 1.0, "no word in common scores 0 and fails"),
    "a judge that is not there passes": ("llm_as_judge", lambda *_: 1.0, "a judge that was not given could not run"),
    "a judge that is not there fails": ("llm_as_judge", lambda *_: 0.0, "a judge that was not given could not run"),
    "blank is something": ("decision_scores", lambda *_: 1.0, "blank reasoning fails it"),
    "nothing is good": ("decision_scores", lambda *_: 0.0, "a whole decision passes"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_it_is_red_for_a_broken_evaluator(name: str) -> None:
    evaluator, wrong, told = BROKEN[name]
    assert told in red(passed=passing(evaluator, wrong))


WRONG_SCORES: dict[str, tuple[str, float | None, str]] = {
    "edits are not normalised": ("levenshtein", 1.0, "apple and aple: 1 - 1/5"),
    "divided by the shorter": ("levenshtein", 0.75, "apple and aple: 1 - 1/5"),
    "recall in place of F1 and one word lost": ("rouge", 1 / 3, "two of three words each: F1 2/3"),
    "all or nothing": ("decision_scores", 0.0, "one of six checks broken: 5/6"),
    "a skipped check counts as kept": ("decision_scores", 6 / 7, "one of six checks broken: 5/6"),
}


@pytest.mark.parametrize("name", WRONG_SCORES)
def test_it_is_red_for_a_wrong_score(name: str) -> None:
    evaluator, value, told = WRONG_SCORES[name]

    def scored(asked: str, actual: object, expected: object, config: Config) -> float | None:
        metric = get_evaluator(asked)(actual, expected, config)
        return value if asked == evaluator else metric.score

    assert red(scored=scored) == [told]


Score = Callable[[GoldCase, Sequence[Outcome], Sequence[Applied], Mapping[str, str]], CaseScore]


def counting(**counts: Callable[[CaseScore], float]) -> Score:
    """Scoring whose counts of these names are wrong."""

    def wrong(case: GoldCase, outcomes: Sequence[Outcome], applied: Sequence[Applied], planted: Mapping[str, str]) -> CaseScore:
        found = score_case(case, outcomes, applied, planted)
        return replace(
            found, counts={**found.counts, **{name.replace("_of", " of"): made(found) for name, made in counts.items()}}
        )

    return wrong


def answered(found: CaseScore) -> float:
    return found.counts.get("same of", 0) * (found.status == "scored")


def or_missing(found: CaseScore) -> float:
    return found.counts.get("same", 0) or found.status == "missing"


def ignoring_planted(
    case: GoldCase, outcomes: Sequence[Outcome], applied: Sequence[Applied], _: Mapping[str, str]
) -> CaseScore:
    plain = GoldCase(id=case.id, input=case.input, expected={**case.expected, "planted": None})
    return score_case(plain, outcomes, applied, {})


def first_repeat(
    case: GoldCase, outcomes: Sequence[Outcome], applied: Sequence[Applied], planted: Mapping[str, str]
) -> CaseScore:
    return score_case(case, outcomes[:1], applied, planted)


def any_failure_is_the_planted_one(
    case: GoldCase, outcomes: Sequence[Outcome], applied: Sequence[Applied], planted: Mapping[str, str]
) -> CaseScore:
    found = ignoring_planted(case, outcomes, applied, planted)
    if case.expected["planted"] is None:
        return found
    return replace(found, counts={**found.counts, "passed": int(not found.passed)})


def no_row_for_a_failed_case(
    case: GoldCase, outcomes: Sequence[Outcome], applied: Sequence[Applied], planted: Mapping[str, str]
) -> CaseScore:
    found = score_case(case, outcomes, applied, planted)
    return found if found.status == "scored" else replace(found, counts={})


def erring(metric: EvalMetric) -> EvalMetric:
    """An error that counts as a pass."""
    return metric if metric.error is None else EvalMetric(1.0, passed=True)


class Lenient:
    """A plan whose errors are passes."""

    def __init__(self, plan: Any) -> None:
        self._plan = plan

    def metric(self, actual: object, expected: object) -> EvalMetric:
        return erring(self._plan.metric(actual, expected))


def an_error_is_a_failure(
    case: GoldCase, outcomes: Sequence[Outcome], applied: Sequence[Applied], planted: Mapping[str, str]
) -> CaseScore:
    found = score_case(case, outcomes, applied, planted)
    is_noticed = case.expected["planted"] is not None and found.counts["errors"] > 0
    return replace(found, counts={**found.counts, "errors": 0, "passed": max(found.counts["passed"], int(is_noticed))})


def for_any_reason(
    case: GoldCase, outcomes: Sequence[Outcome], applied: Sequence[Applied], planted: Mapping[str, str]
) -> CaseScore:
    return score_case(case, outcomes, applied, {fault: noticed.partition(".")[0] for fault, noticed in planted.items()})


SCORING: dict[str, tuple[Score, str]] = {
    "every case passes": (counting(passed=lambda _: 1), "one check fails: the case does not"),
    "no case passes": (counting(passed=lambda _: 0), "both checks pass: the case passes"),
    "planted is ignored": (ignoring_planted, "a planted fault that is noticed passes"),
    "any failure is the planted one": (any_failure_is_the_planted_one, "a planted fault beside another one fails"),
    "an error is a failure": (an_error_is_a_failure, "a planted fault is not noticed by an error"),
    "an error is not counted": (counting(errors=lambda _: 0), "an output without the value could not be checked"),
    "a failed case is left out": (no_row_for_a_failed_case, "a failed case stays in the denominator"),
    "a failed case counts nothing": (counting(same_of=answered), "a failed case stays in the denominator"),
    "a missing output is as expected": (counting(same=or_missing), "no output: no check came out as expected"),
    "any reason will do": (for_any_reason, "a planted fault that is noticed for another reason fails"),
    "only the first repeat counts": (first_repeat, "one bad repeat of two fails the case"),
}  # fmt: skip


@pytest.mark.parametrize("name", SCORING)
def test_it_is_red_for_broken_scoring(name: str) -> None:
    wrong, told = SCORING[name]
    assert told in red(score=wrong)


def test_a_threshold_that_has_to_be_exceeded_is_noticed() -> None:
    def exclusive(name: str, actual: object, expected: object, config: Config) -> float | None:
        metric = get_evaluator(name)(actual, expected, config)
        bound = config.get("threshold", 0.8)
        assert isinstance(bound, float)
        is_levenshtein = name == "levenshtein"
        return float(metric.score > bound) if is_levenshtein else verdict(name, actual, expected, config)

    assert red(passed=exclusive) == ["a score at the threshold passes"]


def applied(score: float, objective: Mapping[str, object]) -> float | None:
    found = objective_of(objective, "objective")
    assert found is not None
    return float(found.applied(EvalMetric(score, passed=False)).passed)


OBJECTIVES: dict[str, tuple[Callable[[float, Mapping[str, object]], float | None], list[str]]] = {
    "as they are": (applied, []),
    "exclusive maximum": (
        lambda s, o: float(s > o["threshold"]) if o.get("direction") == "maximize" else applied(s, o),  # type: ignore[operator]
        ["a maximum is met at its threshold"],
    ),
    "exclusive minimum": (
        lambda s, o: float(s < o["threshold"]) if o.get("direction") == "minimize" else applied(s, o),  # type: ignore[operator]
        ["a minimum is met at its threshold"],
    ),
    "ignored": (
        lambda *_: 0.0,
        ["a maximum is met at its threshold", "a minimum is met at its threshold", "what should not match and does not is met"],
    ),
    "always met": (lambda *_: 1.0, ["a score above its maximum fails", "a match that should not be one fails"]),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_it_is_red_for_a_broken_objective(name: str) -> None:
    wrong, told = OBJECTIVES[name]
    assert red(met=wrong) == told


def test_an_error_that_counts_as_a_pass_is_noticed() -> None:
    def lenient(name: str, actual: object, expected: object, config: Config) -> float | None:
        return float(erring(get_evaluator(name)(actual, expected, config)).passed)

    assert {"nothing cannot be compared", "a broken pattern could not run", "one bound alone could not run"} <= set(
        red(passed=lenient)
    )

    def wrong(case: GoldCase, outcomes: Sequence[Outcome], applied: Sequence[Applied], planted: Mapping[str, str]) -> CaseScore:
        loose = [replace(one, plan=Lenient(one.plan)) for one in applied]  # type: ignore[arg-type]  # a plan in all but name
        found = score_case(case, outcomes, loose, planted)
        absent = [o for o in outcomes if getattr(o, "text", "") == "{}"]
        return replace(found, counts={**found.counts, "errors": 0}) if absent else found

    assert "an output without the value could not be checked" in red(score=wrong)
