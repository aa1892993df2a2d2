"""The measures on trial: green as they are, red as soon as any of them is wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import pytest

from assay.metrics import ranking
from assay.metrics.ranking_measures import STANDARD, Formulas
from assay.suites.retrieval.selftest import selftest


def wrong(formulas: Formulas) -> set[str]:
    """The names of the checks that do not hold."""
    return {check.name for check in selftest(formulas) if not check.holds}


def lenient_recall(order: Sequence[str], relevant: Collection[str], k: int) -> float | None:
    """1 as soon as anything relevant was found."""
    return 1.0 if set(order[:k]) & set(relevant) else 0.0 if relevant else None


def rank_off_by_one(order: Sequence[str], relevant: Collection[str], k: int | None) -> float | None:
    found = ranking.reciprocal_rank(order, relevant, k)
    return 1 / (1 / found + 1) if found else found


def over_returned(order: Sequence[str], relevant: Collection[str], k: int) -> float | None:
    """Precision that divides by what came back."""
    return ranking.precision_at(order, relevant, min(k, len(order)) or 1)


def zero_for_undefined(formula: Callable[..., float | None]) -> Callable[..., float]:
    return lambda *given: formula(*given) or 0.0


def constant(value: float | None) -> Callable[..., float | None]:
    return lambda *_: value


def sum_instead_of_mean(scores: Mapping[str, float], relevant: Collection[str]) -> float | None:
    gained = sum(score for name, score in scores.items() if name in relevant)
    return gained - sum(score for name, score in scores.items() if name not in relevant) if relevant else None


def by_id_descending(scores: Mapping[str, float], _: object) -> tuple[str, ...]:
    return ranking.ranked_by_score(scores, "trec_eval")


NAMES = [field.name for field in fields(Formulas)]
VALUES = [name for name in NAMES if name != "ranked"]


def test_the_measures_as_they_are_agree_with_paper() -> None:
    assert wrong(STANDARD) == set()


def test_there_are_twenty_checks_and_each_has_its_own_name() -> None:
    names = [check.name for check in selftest()]
    assert len(names) == len(set(names)) >= 20


def test_the_expectations_do_not_come_from_the_measures() -> None:
    broken = Formulas(**{name: constant(0.123) for name in VALUES})
    assert [check.expected for check in selftest(broken)] == [check.expected for check in selftest()]


@pytest.mark.parametrize(
    ("defect", "named"),
    [
        ({"recall": lenient_recall}, "recall@5 finds b and e of three"),
        ({"reciprocal_rank": rank_off_by_one}, "the first relevant document at rank 2 is worth 1/2"),
        ({"precision": over_returned}, "precision@5 of two returned, one right, divides by five"),
        ({"recall": zero_for_undefined(ranking.recall_at)}, "recall of no relevant document is undefined"),
        ({"precision": zero_for_undefined(ranking.precision_at)}, "precision of no relevant document is undefined"),
        ({"success": zero_for_undefined(ranking.success_at)}, "success of no relevant document is undefined"),
        (
            {"reciprocal_rank": zero_for_undefined(ranking.reciprocal_rank)},
            "the reciprocal rank of no relevant document is undefined",
        ),
        (
            {"average_precision": zero_for_undefined(ranking.average_precision)},
            "average precision of no relevant document is undefined",
        ),
        ({"ndcg": zero_for_undefined(ranking.ndcg_at)}, "nDCG without a gain is undefined"),
        ({"separation": zero_for_undefined(ranking.separation)}, "separation of no relevant document is undefined"),
        ({"separation": sum_instead_of_mean}, "separation is 1.3/3 - 1.9/3"),
        ({"ranked": by_id_descending}, "equal scores stand by id: z is third"),
        ({"ndcg": lambda order, gains, k: ranking.recall_at(order, set(gains), k or 9)}, "nDCG@5 discounts ranks 2 and 5"),
        (
            {"average_precision": lambda order, relevant, _: ranking.reciprocal_rank(order, relevant, None)},
            "average precision is (1/2 + 2/5 + 3/6) / 3",
        ),
        ({"success": ranking.recall_at}, "success@2 is reached"),
    ],
    ids=lambda value: value if isinstance(value, str) else "+".join(value),
)  # fmt: skip
def test_a_broken_measure_turns_the_check_red_that_is_there_for_it(defect: dict[str, Any], named: str) -> None:
    assert named in wrong(replace(STANDARD, **defect))


@pytest.mark.parametrize("value", [None, 0.0, 1.0, 0.5])
@pytest.mark.parametrize("name", VALUES)
def test_no_constant_in_place_of_a_measure_stays_green(name: str, value: float | None) -> None:
    assert wrong(replace(STANDARD, **{name: constant(value)}))


@pytest.mark.parametrize("name", VALUES)
def test_no_measure_that_is_off_by_a_millionth_stays_green(name: str) -> None:
    def shifted(*given: Any) -> float | None:
        found = getattr(STANDARD, name)(*given)
        return None if found is None else found + 1e-6

    assert wrong(replace(STANDARD, **{name: shifted}))


def test_a_recall_that_is_wrong_is_seen_in_the_scoring_of_a_case_too() -> None:
    assert "a case's recall@5" in wrong(replace(STANDARD, recall=constant(1.0)))
