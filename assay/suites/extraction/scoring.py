"""score: replies parsed against the schema, memories matched one to one, and what that counts for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import JsonValue, ValidationError

from assay.errors import InputError, Problem
from assay.metrics.ratios import measured
from assay.metrics.text import NORMALISER
from assay.model.baseline import Calibration
from assay.model.exchange import Failure, Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.score import CaseScore, Measure, Ratio
from assay.model.verdict import Metric
from assay.reading import record
from assay.suites.extraction.cases import ExpectedMemory
from assay.suites.extraction.matching import TIME_FIELDS, Alignment, aligned
from assay.suites.extraction.schema import CATEGORIES, BatchExtractionResult


def _measures() -> dict[str, Measure]:
    precision = {
        c: Ratio(numerator=f"hit_{c}", denominator=f"predicted_{c}", of=f"memories predicted as {c}") for c in CATEGORIES
    }
    recall = {c: Ratio(numerator=f"hit_{c}", denominator=f"expected_{c}", of=f"expected {c} memories") for c in CATEGORIES}
    named = {
        "multi_label_exact": ("multi_label_right", "multi_label", "expected memories with several categories"),
        "supersession_recall": ("superseding_right", "superseding", "expected supersessions"),
        "full_match_rate": ("full", "expected", "expected memories"),
        "abstention_accuracy": ("silent_right", "silent_cases", "cases that expect nothing"),
    }
    on_matched = {
        "category_assignment_accuracy": ("labels_right", "pairs", "matched memories"),
        "temporal_field_accuracy": ("time_fields_right", "time_fields", "matched memories"),
    }
    malformed = Ratio(numerator="malformed", denominator="responses", of="replies")
    return {
        **{f"precision_{c}": Measure(ratios=(ratio,), fixed_n=False) for c, ratio in precision.items()},
        "precision_macro": Measure(ratios=tuple(precision.values()), mean_of="category"),
        **{f"recall_{c}": Measure(ratios=(ratio,)) for c, ratio in recall.items()},
        "recall_macro": Measure(ratios=tuple(recall.values()), mean_of="category"),
        **{name: Measure(ratios=(_ratio(*ratio),), fixed_n=False) for name, ratio in on_matched.items()},
        **{name: Measure(ratios=(_ratio(*ratio),)) for name, ratio in named.items()},
        "malformed_response_rate": Measure(ratios=(malformed,), direction="lower"),
    }


def _ratio(numerator: str, denominator: str, of: str) -> Ratio:
    return Ratio(numerator=numerator, denominator=denominator, of=of)


MEASURES: Mapping[str, Measure] = _measures()
FILES = ("calibration",)
TEXT_NORMALISER = NORMALISER


def measures(options: Mapping[str, JsonValue]) -> Mapping[str, Measure]:
    """All measures of the kind; no option changes them."""
    return MEASURES


def scorer(
    files: Mapping[str, tuple[str, bytes]], options: Mapping[str, JsonValue]
) -> Callable[[GoldCase, Sequence[Outcome]], CaseScore]:
    """The kind's rule for one case, with the calibrated threshold built in."""
    threshold = threshold_in(*files["calibration"])

    def scored(case: GoldCase, outcomes: Sequence[Outcome]) -> CaseScore:
        return score_case(case, outcomes, threshold)

    return scored


def threshold_in(shown: str, data: bytes) -> float:
    """The calibrated content similarity from which two memories may be matched. Raises InputError."""
    found = record(data, shown, Calibration).constants.get("threshold")
    if found is None or not 0 < found <= 1:
        problem = Problem(f"{shown}: constants.threshold", "is no similarity", found, "a number over 0, at most 1")
        raise InputError([problem])
    return found


def score_case(case: GoldCase, outcomes: Sequence[Outcome], threshold: float) -> CaseScore:
    """One case's row, whatever was recorded for it.

    Nothing recorded is a failed case (`missing`), as is one without an answer (`unanswered`) or with a reply that does not
    parse (`malformed`). The replies of one case are joined before they are matched.
    `threshold` is the calibrated content similarity in (0, 1] from which two memories may be matched.
    """
    answers = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
    unanswered = [f"no answer: {outcome.reason}" for outcome in outcomes if isinstance(outcome, Failure)]
    parsed = [_parsed(reply.text) for reply in answers]
    malformed = [problem for problem in parsed if isinstance(problem, str)]
    faults = unanswered + malformed if outcomes else ["no recorded reply"]
    predicted = [m for result in parsed if not isinstance(result, str) for m in result.memories]
    found = aligned([ExpectedMemory.model_validate(row) for row in _rows(case.expected)], predicted, threshold)
    counts = Counter(responses=len(answers), malformed=len(malformed)) + _counts(found)
    if not found.expected:
        counts.update(silent_cases=1, silent_right=int(not predicted and not faults))
    flawless = sum(match.is_flawless for match in found.matches)
    return CaseScore(
        case_id=case.id,
        status="missing" if not outcomes else "unanswered" if unanswered else "malformed" if malformed else "scored",
        passed=not faults and flawless == len(found.expected) == len(found.predicted),
        score=_score(flawless, len(found.expected), len(found.predicted), failed=bool(faults)),
        counts=counts,
        reason="; ".join(faults) or None,
        detail=_detail(found),
    )


def metrics(totals: Mapping[str, float]) -> dict[str, Metric]:
    """All metrics of the kind from counts summed over the cases. What has no rows is undefined."""
    return measured(totals, MEASURES)


def _parsed(text: str) -> BatchExtractionResult | str:
    """The reply as a result, or why it is not one."""
    try:
        return BatchExtractionResult.model_validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        return f"{place}: {fault['msg']}" if place else str(fault["msg"])


def _counts(found: Alignment) -> Counter[str]:
    """What the case adds to the sums that the metrics are made of."""
    expected, predicted, matches = found.expected, found.predicted, found.matches
    counts = Counter(expected=len(expected), predicted=len(predicted), pairs=len(matches))
    counts.update(f"expected_{c}" for memory in expected for c in set(memory.categories))
    counts.update(f"predicted_{c}" for memory in predicted for c in set(memory.categories))
    counts.update(f"hit_{c}" for m in matches for c in set(m.want.categories) & set(m.got.categories))
    counts["labels_right"] = sum(match.labels_right for match in matches)
    counts["time_fields"] = len(TIME_FIELDS) * len(matches)
    counts["time_fields_right"] = sum(match.time_fields_right for match in matches)
    counts["multi_label"] = sum(len(memory.categories) > 1 for memory in expected)
    counts["multi_label_right"] = sum(match.labels_right and len(match.want.categories) > 1 for match in matches)
    counts["superseding"] = sum(memory.supersedes is not None for memory in expected)
    counts["superseding_right"] = sum(match.supersession_right for match in matches)
    counts["full"] = sum(match.is_full for match in matches)
    return counts


def _score(flawless: int, expected: int, predicted: int, *, failed: bool) -> float:
    """F1 of flawless matches; a case that rightly yields nothing has 1, a failed one that expects nothing 0."""
    if expected + predicted == 0:
        return 0.0 if failed else 1.0
    return round(2 * flawless / (expected + predicted), 12)


def _detail(found: Alignment) -> dict[str, Any]:
    return {
        "expected": [memory.model_dump(mode="json") for memory in found.expected],
        "predicted": [memory.model_dump(mode="json") for memory in found.predicted],
        "matched": [
            {"expected": i, "predicted": j, "similarity": round(match.similarity, 6), "full": match.is_full}
            for (i, j), match in zip(found.pairs, found.matches, strict=True)
        ],
        "difference": found.differences(),
    }


def _rows(expected: Mapping[str, Any]) -> list[Any]:
    return list(expected["memories"])
