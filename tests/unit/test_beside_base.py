"""What moved since the merge base, over the cases that a change left as they were."""

from __future__ import annotations

from assay.beside_base import beside_base
from assay.model.score import Measure, Ratio
from assay.model.verdict import CaseOutcome
from tests.builders import baseline_of, evidence, facts, metric

HITS = Measure(ratios=(Ratio(numerator="hits", denominator="asked", of="queries"),))
PASSED = Measure(ratios=(Ratio(numerator="passed", denominator="asked", of="cases"),))
RUN = facts("recall", "cases_passed", "gone", measures={"recall": HITS, "cases_passed": PASSED})


def cases(**hits: int) -> dict[str, CaseOutcome]:
    return {name: CaseOutcome(passed=hit == 2, score=hit / 2, counts={"hits": hit, "asked": 2}) for name, hit in hits.items()}


def compared(
    now: dict[str, int], then: dict[str, int], unchanged: set[str]
) -> tuple[dict[str, tuple[float | None, ...]], object]:
    block = baseline_of(evidence({"recall": metric(1.0)}, cases=cases(**then))).providers["p"]
    assert block is not None
    found = beside_base(evidence({"recall": metric(1.0)}, cases=cases(**now)), block, RUN, unchanged)
    return {name: tuple(side.value for side in sides) for name, sides in found.metrics.items()}, found.compared


def test_metrics_and_cases_are_compared_over_the_unchanged_cases_alone() -> None:
    now, then = {"a": 2, "b": 1, "c": 0, "new": 0}, {"a": 1, "b": 2, "c": 2, "gone": 2}
    metrics, by_case = compared(now, then, {"a", "b", "gone"})
    assert metrics["recall"] == (3 / 4, 3 / 4)  # a: 2 of 2, b: 1 of 2; at the merge base a: 1 of 2, b: 2 of 2
    assert by_case.model_dump() == {  # type: ignore[attr-defined]
        "cases": 2,
        "metrics": 2,
        "worse": ("b",),
        "better": ("a",),
        "new": ("c", "new"),
    }


def test_whether_a_case_passed_is_counted_like_everything_else() -> None:
    metrics, _ = compared({"a": 2, "b": 2}, {"a": 2, "b": 1}, {"a", "b"})
    assert metrics["cases_passed"] == (2 / 4, 1 / 4)


def test_without_an_unchanged_case_every_metric_is_undefined() -> None:
    metrics, _ = compared({"a": 2}, {"a": 2}, set())
    assert metrics == {"recall": (None, None), "cases_passed": (None, None)}
