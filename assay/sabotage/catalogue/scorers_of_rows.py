"""Scorers that are wrong in the kinds that match and count rows: extraction and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.evaluators.registry import get_evaluator
from assay.metrics.alignment import align
from assay.metrics.ratios import measured, summed
from assay.model.exchange import Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.score import CaseScore, Measure
from assay.model.verdict import Metric
from assay.sabotage.catalogue.scorers import SELF_TEST, rescored
from assay.sabotage.defect import Defect, InParts
from assay.sabotage.parts import Parts, ScoreCase
from assay.suites.checks import scoring as checks
from assay.suites.checks import selftest as checks_paper
from assay.suites.checks.planning import Applied
from assay.suites.extraction import scoring as extraction
from assay.suites.extraction import selftest as extraction_paper

Pairs = list[tuple[int, int]]
Change = Callable[[CaseScore, Sequence[Outcome]], CaseScore]


def greedy(similarities: Sequence[Sequence[float]], threshold: float) -> Pairs:
    """The best pair first, then the best of what is left."""
    allowed = sorted(
        ((value, i, j) for i, row in enumerate(similarities) for j, value in enumerate(row) if value >= threshold),
        key=lambda found: (-found[0], found[1], found[2]),
    )
    pairs: Pairs = []
    for _, i, j in allowed:
        if all(i != a and j != b for a, b in pairs):
            pairs.append((i, j))
    return sorted(pairs)


def _many_to_one(similarities: Sequence[Sequence[float]], threshold: float) -> Pairs:
    return [(i, j) for i, row in enumerate(similarities) for j, value in enumerate(row) if value >= threshold]


def _any_threshold(similarities: Sequence[Sequence[float]], threshold: float) -> Pairs:
    return align(similarities, 0.0)


def _counted(score: CaseScore, **counts: float) -> CaseScore:
    return replace(score, counts={**score.counts, **counts})


def _passes(score: CaseScore, outcomes: Sequence[Outcome]) -> CaseScore:
    """Everything expected was found, as it was expected."""
    wanted = {name.removeprefix("expected_"): n for name, n in score.counts.items() if name.startswith("expected_")}
    counts = {name: n for name, n in score.counts.items() if not name.startswith(("hit_", "predicted_"))}
    counts |= {f"{word}_{category}": n for category, n in wanted.items() for word in ("hit", "predicted")}
    full = {"full": score.counts.get("expected", 0), "passed": score.counts.get("cases", 0)}
    return replace(score, passed=True, score=1.0, counts={**counts, **full})


def _over_expected(score: CaseScore, outcomes: Sequence[Outcome]) -> CaseScore:
    """Precision with recall's denominator."""
    changed = {
        name: score.counts.get(name.replace("predicted_", "expected_"), 0) for name in score.counts if "predicted_" in name
    }
    return _counted(score, **changed)


def _unfailed(score: ScoreCase) -> ScoreCase:
    """What was not answered, or not in the form, is taken for silence."""

    def scored(case: GoldCase, outcomes: Sequence[Outcome]) -> CaseScore:
        found = score(case, outcomes)
        if found.status == "scored":
            return found
        silent = Reply(text='{"memories": []}', finish_reason=None, model_served=None, usage=None, latency_ms=None)
        return score(case, [silent])

    return scored


EXTRACTION: Mapping[str, Callable[[ScoreCase], ScoreCase]] = {
    "every memory found": lambda score: rescored(score, _passes),
    "precision over what was expected": lambda score: rescored(score, _over_expected),
    "failures taken for silence": _unfailed,
    "malformed replies not counted": lambda score: rescored(score, lambda found, _: _counted(found, malformed=0)),
    "wrong categories let through": lambda score: rescored(
        score, lambda found, _: _counted(found, labels_right=found.counts.get("pairs", 0))
    ),
    "wrong times let through": lambda score: rescored(
        score, lambda found, _: _counted(found, time_fields_right=found.counts.get("time_fields", 0))
    ),
}


def _extraction(name: str, wrong: Callable[[ScoreCase], ScoreCase]) -> Defect:
    def changed(parts: Parts) -> Parts:
        def tried() -> Sequence[Any]:
            def score(case: GoldCase, outcomes: Sequence[Outcome], threshold: float) -> CaseScore:
                return wrong(lambda one, given: extraction.score_case(one, given, threshold))(case, outcomes)

            return extraction_paper.selftest(score=score)

        return replace(parts, scorer=lambda files, options: wrong(parts.scorer(files, options)), selftest=tried)

    return Defect(name, "scorer", InParts(changed), SELF_TEST, frozenset({"extraction"}))


def _aligned(name: str, wrong: Callable[[Sequence[Sequence[float]], float], Pairs]) -> Defect:
    """Another matching; the self-test sees it as every run would."""

    def changed(parts: Parts) -> Parts:
        return replace(parts, selftest=lambda: extraction_paper.selftest(align=wrong))

    return Defect(name, "scorer", InParts(changed), SELF_TEST, frozenset({"extraction"}), must_show=True)


def _undefined_as(value: float, kinds: frozenset[str]) -> Defect:
    def metrics(rows: Iterable[CaseScore], measures: Mapping[str, Measure]) -> dict[str, Metric]:
        return _defined(measured(summed(row.counts for row in rows), measures))

    def _defined(found: Mapping[str, Metric]) -> dict[str, Metric]:
        number = Metric(value=value, n=1, numerator=value, denominator=1, low=0.0, high=1.0)
        return {name: number if metric.value is None else metric for name, metric in found.items()}

    def changed(parts: Parts) -> Parts:
        paper = lambda: extraction_paper.selftest(metrics=lambda totals: _defined(extraction.metrics(totals)))  # noqa: E731  # one line
        return replace(parts, metrics=metrics, selftest=paper)

    return Defect(f"undefined metric as {value:g}", "scorer", InParts(changed), SELF_TEST, kinds)


def _verdict(name: str, *given: Any) -> float | None:  # noqa: ANN401  # what an evaluator takes
    metric = get_evaluator(name)(*given)
    return None if metric.error is not None else float(metric.passed)


ROWS: Mapping[str, Change] = {
    "every case passes": lambda found, _: _counted(replace(found, passed=True), passed=found.counts.get("cases", 0)),
    "errors not counted": lambda found, _: _counted(found, errors=0),
    "every planted fault noticed": lambda found, _: _counted(found, planted_noticed=found.counts.get("planted", 0)),
    "failed cases leave the denominator": lambda found, outcomes: (
        found if found.status == "scored" else replace(found, counts={})
    ),
}
EVALUATORS: Mapping[str, Callable[..., float | None]] = {
    "an evaluator that always passes": lambda *_: 1.0,
    "an evaluator that always fails": lambda *_: 0.0,
    "an evaluator's exception swallowed": lambda name, *given: _as_failed(_verdict(name, *given)),
    "thresholds ignored": lambda name, actual, expected, config: _verdict(
        name, actual, expected, {key: value for key, value in config.items() if key != "threshold"}
    ),
}


def _as_failed(found: float | None) -> float:
    return 0.0 if found is None else found


def _rows(name: str, change: Change) -> Defect:
    def changed(parts: Parts) -> Parts:
        def score(
            case: GoldCase, outcomes: Sequence[Outcome], applied: Sequence[Applied], planted: Mapping[str, str]
        ) -> CaseScore:
            return change(checks.score_case(case, outcomes, applied, planted), outcomes)

        return replace(
            parts,
            scorer=lambda files, options: rescored(parts.scorer(files, options), change),
            selftest=lambda: checks_paper.selftest(score=score),
        )

    return Defect(name, "scorer", InParts(changed), SELF_TEST, frozenset({"checks"}))


def _evaluating(name: str, passed: Callable[..., float | None]) -> Defect:
    """Another judgement of the evaluators; the self-test sees it as every run would."""

    def changed(parts: Parts) -> Parts:
        return replace(parts, selftest=lambda: checks_paper.selftest(passed=passed))

    return Defect(name, "scorer", InParts(changed), SELF_TEST, frozenset({"checks"}), must_show=True)


DEFECTS: tuple[Defect, ...] = (
    *(_extraction(name, wrong) for name, wrong in EXTRACTION.items()),
    _aligned("greedy for optimal matching", greedy),
    _aligned("one memory matched many times", _many_to_one),
    _aligned("matching threshold ignored", _any_threshold),
    _undefined_as(0.0, frozenset({"extraction"})),
    _undefined_as(1.0, frozenset({"extraction"})),
    *(_rows(name, change) for name, change in ROWS.items()),
    *(_evaluating(name, passed) for name, passed in EVALUATORS.items()),
)
