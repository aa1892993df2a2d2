"""score: replies parsed against the schema, memories matched one to one, and what that counts for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from assay.digest import canonical
from assay.metrics.alignment import align
from assay.metrics.proportions import macro, proportion
from assay.metrics.similarity import similarity, similarity_matrix
from assay.metrics.text import NORMALISER
from assay.model.baseline import Calibration
from assay.model.exchange import Reply
from assay.model.gold import GoldCase
from assay.model.score import CaseScore, Measure
from assay.model.verdict import Metric
from assay.reading import record
from assay.suites.extraction.cases import ExpectedMemory
from assay.suites.extraction.schema import CATEGORIES, BatchExtractionResult, ExtractedMemory

MEASURES: Mapping[str, Measure] = {
    **{f"precision_{name}": Measure(fixed_n=False) for name in CATEGORIES},
    "precision_macro": Measure(),
    **{f"recall_{name}": Measure() for name in (*CATEGORIES, "macro")},
    "category_assignment_accuracy": Measure(fixed_n=False),
    "temporal_field_accuracy": Measure(fixed_n=False),
    "multi_label_exact": Measure(),
    "supersession_recall": Measure(),
    "full_match_rate": Measure(),
    "abstention_accuracy": Measure(),
    "malformed_response_rate": Measure(direction="lower"),
}
FILES = ("calibration",)
TEXT_NORMALISER = NORMALISER
TIME_FIELDS = ("temporal_kind", "valid_from", "valid_until")
Memory = TypeVar("Memory", ExpectedMemory, ExtractedMemory)


def scorer(files: Mapping[str, tuple[str, bytes]]) -> Callable[[GoldCase, Sequence[Reply]], CaseScore]:
    """The kind's rule for one case, with the calibrated threshold built in."""
    threshold = record(files["calibration"][1], files["calibration"][0], Calibration).threshold

    def scored(case: GoldCase, replies: Sequence[Reply]) -> CaseScore:
        return score_case(case, replies, threshold)

    return scored


def score_case(case: GoldCase, replies: Sequence[Reply], threshold: float) -> CaseScore:
    """One case's row. No replies at all is a failed case (`missing`); a reply that does not parse, `malformed`.

    `threshold` is the calibrated content similarity in (0, 1] from which two memories may be matched.
    """
    expected = _sorted([ExpectedMemory.model_validate(row) for row in _rows(case.expected)])
    parsed = [_parsed(reply.text) for reply in replies]
    reasons = [problem for problem in parsed if isinstance(problem, str)]
    predicted = _sorted([m for result in parsed if not isinstance(result, str) for m in result.memories])
    similarities = similarity_matrix([m.content for m in expected], [m.content for m in predicted]).tolist()
    pairs = align(similarities, threshold)
    counts = Counter(responses=len(replies), malformed=len(reasons))
    counts.update(_memory_counts(expected, predicted))
    full = _pair_counts(counts, expected, predicted, pairs, threshold)
    if not expected:
        counts.update(silent_cases=1, silent_right=int(bool(replies) and not predicted and not reasons))
    flawless = bool(replies) and not reasons and len(full) == len(expected) == len(predicted)
    passed = flawless and counts["superseding_right"] == counts["superseding"]
    return CaseScore(
        case_id=case.id,
        status="missing" if not replies else "malformed" if reasons else "scored",
        passed=passed,
        score=_score(len(full), len(expected), len(predicted), failed=not replies or bool(reasons)),
        counts=counts,
        reason="no recorded reply" if not replies else "; ".join(reasons) or None,
        detail=_detail(expected, predicted, pairs, similarities, full),
    )


def metrics(totals: Mapping[str, int]) -> dict[str, Metric]:
    """All metrics of the kind from counts summed over the cases. What has no rows is undefined."""

    def share(numerator: str, denominator: str, of: str) -> Metric:
        return proportion(totals.get(numerator, 0), totals.get(denominator, 0), of)

    precision: dict[str, Metric] = {c: share(f"hit_{c}", f"predicted_{c}", f"memories predicted as {c}") for c in CATEGORIES}
    recall: dict[str, Metric] = {c: share(f"hit_{c}", f"expected_{c}", f"expected {c} memories") for c in CATEGORIES}
    return {
        **{f"precision_{c}": metric for c, metric in precision.items()},
        "precision_macro": macro(precision, "category"),
        **{f"recall_{c}": metric for c, metric in recall.items()},
        "recall_macro": macro(recall, "category"),
        "category_assignment_accuracy": share("labels_right", "pairs", "matched memories"),
        "temporal_field_accuracy": share("time_fields_right", "time_fields", "matched memories"),
        "multi_label_exact": share("multi_label_right", "multi_label", "expected memories with several categories"),
        "supersession_recall": share("superseding_right", "superseding", "expected supersessions"),
        "full_match_rate": share("full", "expected", "expected memories"),
        "abstention_accuracy": share("silent_right", "silent_cases", "cases that expect nothing"),
        "malformed_response_rate": share("malformed", "responses", "replies"),
    }


def _parsed(text: str) -> BatchExtractionResult | str:
    """The reply as a result, or why it is not one."""
    try:
        return BatchExtractionResult.model_validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        return f"{place}: {fault['msg']}" if place else str(fault["msg"])


def _memory_counts(expected: Sequence[ExpectedMemory], predicted: Sequence[ExtractedMemory]) -> Counter[str]:
    counts = Counter(expected=len(expected), predicted=len(predicted))
    counts.update(f"expected_{c}" for memory in expected for c in set(memory.categories))
    counts.update(f"predicted_{c}" for memory in predicted for c in set(memory.categories))
    counts["multi_label"] = sum(len(memory.categories) > 1 for memory in expected)
    counts["superseding"] = sum(memory.supersedes is not None for memory in expected)
    return counts


def _pair_counts(
    counts: Counter[str],
    expected: Sequence[ExpectedMemory],
    predicted: Sequence[ExtractedMemory],
    pairs: Sequence[tuple[int, int]],
    threshold: float,
) -> set[int]:
    """Adds what the matched pairs count for; returns the expected memories that are right in content, labels and time."""
    contents = {memory.id: memory.content for memory in expected}
    full: set[int] = set()
    for i, j in pairs:
        want, got = expected[i], predicted[j]
        both = set(want.categories) & set(got.categories)
        labels = set(want.categories) == set(got.categories)
        right = sum(getattr(want, name) == getattr(got, name) for name in TIME_FIELDS)
        counts.update(f"hit_{c}" for c in both)
        counts.update(pairs=1, labels_right=int(labels), time_fields=len(TIME_FIELDS), time_fields_right=right)
        counts["multi_label_right"] += int(labels and len(want.categories) > 1)
        if want.supersedes is not None and got.supersedes is not None and got.temporal_kind == "supersession":
            counts["superseding_right"] += int(similarity(contents[want.supersedes], got.supersedes) >= threshold)
        if labels and right == len(TIME_FIELDS):
            full.add(i)
    counts["full"] = len(full)
    return full


def _score(full: int, expected: int, predicted: int, *, failed: bool) -> float:
    """F1 of full matches; a case that rightly yields nothing has 1, a failed one that expects nothing 0."""
    if expected + predicted == 0:
        return 0.0 if failed else 1.0
    return round(2 * full / (expected + predicted), 12)


def _detail(
    expected: Sequence[ExpectedMemory],
    predicted: Sequence[ExtractedMemory],
    pairs: Sequence[tuple[int, int]],
    similarities: Sequence[Sequence[float]],
    full: set[int],
) -> dict[str, Any]:
    return {
        "expected": [memory.model_dump(mode="json") for memory in expected],
        "predicted": [memory.model_dump(mode="json") for memory in predicted],
        "matched": [
            {"expected": i, "predicted": j, "similarity": round(similarities[i][j], 6), "full": i in full} for i, j in pairs
        ],
        "difference": _difference(expected, predicted, pairs),
    }


def _difference(
    expected: Sequence[ExpectedMemory], predicted: Sequence[ExtractedMemory], pairs: Sequence[tuple[int, int]]
) -> list[str]:
    """What is wrong, a line each: missing and extra memories, and the fields in which matched ones differ."""
    rows, columns = {i for i, _ in pairs}, {j for _, j in pairs}
    lines = [f"missing: {m.content}" for i, m in enumerate(expected) if i not in rows]
    lines += [f"extra: {m.content}" for j, m in enumerate(predicted) if j not in columns]
    for i, j in pairs:
        want, got = expected[i], predicted[j]
        fields = {"categories": (sorted(want.categories), sorted(set(got.categories)))}
        fields |= {name: (getattr(want, name), getattr(got, name)) for name in TIME_FIELDS}
        lines += [
            f"{want.id} {name}: expected {before}, got {after}" for name, (before, after) in fields.items() if before != after
        ]
    return lines


def _rows(expected: Mapping[str, Any]) -> list[Any]:
    return list(expected["memories"])


def _sorted(memories: Sequence[Memory]) -> list[Memory]:
    """In an order of content alone, so that the order of a reply never changes a number."""
    return sorted(memories, key=lambda m: canonical(m.model_dump(mode="json", exclude={"id", "conversation_id"})))
