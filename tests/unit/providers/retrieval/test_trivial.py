"""Strategies without a search answer every query alike."""

from __future__ import annotations

import pytest

from assay.providers.retrieval.ranking import in_order
from assay.providers.retrieval.retriever import Retriever
from assay.providers.retrieval.trivial import Abstain, ConstantAnswer, LongestFirst, WholeCorpus
from tests.unit.providers.retrieval.small_corpus import corpus, document

ROWS = corpus(
    document("b", "longest text of all", day=1),
    document("a", "short", day=2),
    document("c", "a goal", day=3, content_type="goal"),
    document("d", "right", day=4),
)


@pytest.mark.parametrize(
    ("strategy", "order"),
    [
        (ConstantAnswer(ROWS), ["d", "c", "a", "b"]),
        (ConstantAnswer(ROWS, ["b", "unknown", "c"]), ["b", "c", "d", "a"]),
        (Abstain(), []),
        (LongestFirst(ROWS), ["b", "c", "a", "d"]),
        (WholeCorpus(ROWS), ["a", "b", "c", "d"]),
    ],
)
def test_every_query_gets_the_same_ranking(strategy: Retriever, order: list[str]) -> None:
    for query in ("short", "a goal", "", None):
        assert strategy.search(query) == in_order(order)
    facts = [name for name in order if name != "c"]
    assert [name for name, _ in strategy.search("short", "fact")] == facts
