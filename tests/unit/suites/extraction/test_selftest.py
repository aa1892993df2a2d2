"""The self-test holds for the metrics as they are, and goes red for each way in which they could be wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from assay.metrics.similarity import similarity_matrix
from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.model.score import CaseScore
from assay.model.verdict import Metric
from assay.suites.extraction.schema import CATEGORIES
from assay.suites.extraction.scoring import metrics, score_case
from assay.suites.extraction.selftest import CROSSED, selftest
from tests.builders import metric

Totals = Mapping[str, float]
MALFORMED = "malformed"


def red(**broken: Any) -> set[str]:
    return {check.name for check in selftest(**broken) if not check.holds}


def changed(change: Callable[[str, Metric], Metric]) -> Callable[[Totals], dict[str, Metric]]:
    return lambda totals: {name: change(name, found) for name, found in metrics(totals).items()}


def with_value(found: Metric, value: float) -> Metric:
    return metric(value, max(found.n, 1))


def one_if_any_hit(name: str, found: Metric) -> Metric:
    return with_value(found, 1.0) if name.startswith("recall_") and found.value else found


def defined_as(value: float) -> Callable[[str, Metric], Metric]:
    return lambda _, found: with_value(found, value) if found.value is None else found


def precision_over_expected(totals: Totals) -> dict[str, Metric]:
    return metrics({**totals, **{f"predicted_{c}": totals.get(f"expected_{c}", 0) for c in CATEGORIES}})


def macro_over_all_five(totals: Totals) -> dict[str, Metric]:
    found = metrics(totals)
    for kind in ("precision", "recall"):
        parts = [found[f"{kind}_{c}"].value or 0.0 for c in CATEGORIES]
        found[f"{kind}_macro"] = metric(sum(parts) / len(parts))
    return found


def malformed_as_fine(case: GoldCase, outcomes: Sequence[Outcome], threshold: float) -> CaseScore:
    found = score_case(case, outcomes, threshold)
    counts = {**found.counts, MALFORMED: 0}
    if found.status == MALFORMED and "silent_cases" in counts:
        counts["silent_right"] = 1
    return replace(found, counts=counts)


def missing_left_out(case: GoldCase, outcomes: Sequence[Outcome], threshold: float) -> CaseScore:
    found = score_case(case, outcomes, threshold)
    return found if found.status == "scored" else replace(found, counts={MALFORMED: found.counts.get(MALFORMED, 0)})


def labels_ignored(case: GoldCase, outcomes: Sequence[Outcome], threshold: float) -> CaseScore:
    found = score_case(case, outcomes, threshold)
    matched = [found.detail["expected"][match["expected"]] for match in found.detail["matched"]]
    hits = Counter(f"hit_{category}" for memory in matched for category in memory["categories"])
    return replace(found, counts={**found.counts, **hits})


def greedily(similarities: Sequence[Sequence[float]], threshold: float) -> list[tuple[int, int]]:
    """The best pair first, then the best of what is left."""
    ranked = sorted(((-value, i, j) for i, row in enumerate(similarities) for j, value in enumerate(row) if value >= threshold))
    pairs: list[tuple[int, int]] = []
    for _, i, j in ranked:
        if all(i != a and j != b for a, b in pairs):
            pairs.append((i, j))
    return sorted(pairs)


def many_to_one(similarities: Sequence[Sequence[float]], threshold: float) -> list[tuple[int, int]]:
    return [(i, j) for i, row in enumerate(similarities) for j, value in enumerate(row) if value >= threshold]


def greedy_score(case: GoldCase, outcomes: Sequence[Outcome], threshold: float) -> CaseScore:
    """Only the number of factual hits of a greedy matching, which is all that the crossed corpus is about."""
    found = score_case(case, outcomes, threshold)
    contents = [[memory["content"] for memory in found.detail[side]] for side in ("expected", "predicted")]
    pairs = greedily(similarity_matrix(*contents).tolist(), threshold)
    return (
        found
        if len(pairs) == len(found.detail["matched"])
        else replace(found, counts={**found.counts, "hit_factual": len(pairs)})
    )


def duplicates_hit_twice(case: GoldCase, outcomes: Sequence[Outcome], threshold: float) -> CaseScore:
    """A hit for each prediction like a memory that was found, as long as no more hits than expectations come of it."""
    found = score_case(case, outcomes, threshold)
    contents = [[memory["content"] for memory in found.detail[side]] for side in ("expected", "predicted")]
    hits = len(many_to_one(similarity_matrix(*contents).tolist(), threshold))
    expected = found.counts.get("expected_factual", 0)
    return replace(found, counts={**found.counts, "hit_factual": hits}) if expected == hits == len(contents[1]) else found


def test_the_metrics_as_they_are_hold_every_check() -> None:
    assert red() == set()


def test_there_are_at_least_twenty_checks_each_with_a_name_of_its_own() -> None:
    names = [check.name for check in selftest()]
    assert len(names) == len(set(names)) >= 20


def test_expectations_do_not_depend_on_what_is_tried() -> None:
    tried = selftest(metrics=precision_over_expected, score=labels_ignored, align=greedily)
    assert [(check.name, check.expected) for check in tried] == [(check.name, check.expected) for check in selftest()]


def test_the_pair_that_must_differ_differs() -> None:
    by_name = {check.name: check.got for check in selftest()}
    assert by_name["precision is over what was predicted, 1 of 4: precision_factual"] == 0.25
    assert by_name["recall is over what was expected, 1 of 2: recall_factual"] == 0.5


def test_similarities_of_the_crossed_pair_are_shares_of_words() -> None:
    # Three words each: all three are shared by the equal ones, two by their neighbours, one by the outer two.
    (first, second), (third, fourth) = similarity_matrix(*CROSSED).tolist()
    assert sorted([first, second, third, fourth]) == pytest.approx([1 / 3, 2 / 3, 2 / 3, 1])


@pytest.mark.parametrize(
    ("broken", "named"),
    [
        ({"metrics": changed(one_if_any_hit)}, "recall is over what was expected, 1 of 2: recall_factual"),
        ({"metrics": precision_over_expected}, "precision is over what was predicted, 1 of 4: precision_factual"),
        ({"metrics": changed(defined_as(0.0))}, "a category without predictions has no precision: precision_procedural"),
        ({"metrics": changed(defined_as(1.0))}, "a category without predictions has no precision: precision_procedural"),
        ({"metrics": changed(defined_as(0.0))}, "nothing at all is undefined: recall_macro"),
        ({"metrics": macro_over_all_five}, "the macro mean leaves out undefined categories, (1/4 + 1) / 2: precision_macro"),
        ({"align": greedily}, "optimal matching: total similarity"),
        ({"align": many_to_one}, "one to one: pairs of one expected with two predicted"),
        ({"score": greedy_score}, "optimal matching finds both: recall_factual"),
        ({"score": malformed_as_fine}, "two of three replies are malformed: malformed_response_rate"),
        ({"score": malformed_as_fine}, "silence is right only as an empty list, 1 of 4: abstention_accuracy"),
        ({"score": missing_left_out}, "what is malformed or missing stays expected, 1 of 4: recall_factual"),
        ({"score": labels_ignored}, "a match under another category is no hit, 0 of 2: recall_factual"),
        ({"score": duplicates_hit_twice}, "a memory said twice is found once, 1 of 2: recall_factual"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_broken_version_turns_its_check_red(broken: dict[str, Any], named: str) -> None:
    assert named in red(**broken)
