"""What a retrieval suite may set, and what its measures are called."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import InputError
from assay.metrics.ranking_measures import RankingMeasure
from assay.suites.retrieval.measures import named
from assay.suites.retrieval.options import STANDARD, options_of


def test_the_product_asks_for_five_and_everything_is_kept_unless_the_suite_says_otherwise() -> None:
    found = options_of({})
    assert (found.top_k, found.depth, found.measures) == (5, None, STANDARD)
    assert found.audit.paraphrases is None


def test_names_have_the_cutoff_spelled_out() -> None:
    assert {name: str(measure) for name, measure in named(options_of({"top_k": 20})).items()} == {
        "recall@20": "R@20",
        "precision@20": "P@20",
        "mrr": "RR",
        "separation": "separation",
        "ndcg@20": "nDCG@20",
        "map": "AP",
        "success@20": "Success@20",
    }


def test_a_measure_may_have_a_cutoff_of_its_own() -> None:
    found = named(options_of({"top_k": 5, "measures": ["nDCG@10", "recall@k"]}))
    assert found == {"nDCG@10": RankingMeasure("nDCG", 10), "recall@5": RankingMeasure("R", 5)}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"top_k": 0}, "suite.yaml: options: top_k"),
        ({"top_k": "many"}, "suite.yaml: options: top_k"),
        ({"depth": 0}, "suite.yaml: options: depth"),
        ({"measures": ["recall"]}, "suite.yaml: options.measures"),
        ({"measures": ["recoil@5"]}, "suite.yaml: options.measures"),
        ({"audit": {"near_duplicate_limit": 1.5}}, "suite.yaml: options: audit.near_duplicate_limit"),
        ({"topk": 5}, "suite.yaml: options: topk: unknown key, got 'topk'"),
    ],
)
def test_what_means_nothing_is_refused_by_its_place(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        named(options_of(options))
    assert str(caught.value).startswith(said)
