"""Which measures have an exact luck, and over which queries."""

from __future__ import annotations

import pytest

from assay.metrics.chance import precision_luck, recall_luck, success_luck
from assay.suites.retrieval.luck import luck_of
from tests.unit.suites.retrieval.small import cases


def test_luck_runs_over_the_live_queries_alone() -> None:
    # q1 has one answer and q2 two; q3, q4 and q5 are in no mean.
    assert luck_of("recall@2", cases(), 6) == recall_luck(6, [1, 2], 2)
    assert luck_of("P@2", cases(), 6) == precision_luck(6, [1, 2], 2)
    assert luck_of("success@2", cases(), 6) == success_luck(6, [1, 2], 2)


@pytest.mark.parametrize("name", ["RR", "AP", "nDCG", "separation", "recall", "no_answer_top_score", "retired_recall@2"])
def test_luck_of_another_measure_is_unknown(name: str) -> None:
    assert luck_of(name, cases(), 6) is None


def test_luck_of_no_live_query_or_of_a_corpus_too_small_is_unknown() -> None:
    assert luck_of("recall@2", cases("q3", "q4", "q5"), 6) is None
    assert luck_of("recall@2", cases(), 1) is None
