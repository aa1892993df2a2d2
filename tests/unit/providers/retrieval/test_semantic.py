"""Cosine over stored vectors: right by hand, the same bytes in any order of addition, and no call without a query."""

from __future__ import annotations

import random
from fractions import Fraction
from math import fsum, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.model.embedding import Vector
from assay.providers.retrieval.embedder import normalised
from assay.providers.retrieval.ranking import STEPS, in_order
from assay.providers.retrieval.semantic import GRID, Semantic
from tests.unit.providers.retrieval.small_corpus import Failing, Table, corpus, document, ids, of_texts

EAST, NORTH, WEST = (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)
DIAGONAL = normalised([1.0, 1.0])
VECTORS = {"east": EAST, "north": NORTH, "west": WEST, "diagonal": DIAGONAL, "query": EAST}


def test_documents_come_by_their_cosine() -> None:
    # east . (east, diagonal, north, west) = 1, sqrt(1/2) = 0.70710678, 0, -1
    found = Semantic(of_texts("west", "north", "east", "diagonal"), Table(VECTORS)).search("query")
    assert found == (("d3", 1.0), ("d4", 0.707107), ("d2", 0.0), ("d1", -1.0))


def test_equal_cosines_come_by_id() -> None:
    rows = corpus(document("b", "north", day=2), document("a", "north", day=1), document("c", "north", day=3))
    assert ids(Semantic(rows, Table(VECTORS)).search("query")) == ["a", "b", "c"]


def test_a_content_type_is_searched_alone() -> None:
    rows = corpus(document("a", "west"), document("b", "east", content_type="goal"), document("c", "north"))
    search = Semantic(rows, Table(VECTORS)).search
    assert search("query", "fact") == (("c", 0.0), ("a", -1.0))
    assert search("query", "none such") == ()


def test_without_a_query_nothing_is_embedded() -> None:
    rows = corpus(document("a", day=1), document("b", day=2), document("c", day=3, content_type="goal"))
    search = Semantic(rows, Failing(), ["a query known beforehand"]).search
    assert search(None) == in_order(["c", "b", "a"])
    assert search(None, "fact") == in_order(["b", "a"])


def test_the_embedder_that_fails_would_be_called_with_a_query() -> None:
    """The positive control of the test above."""
    with pytest.raises(AssertionError, match="an embedding call"):
        Semantic(of_texts("east"), Failing()).search("query")


def test_an_empty_corpus_has_an_empty_ranking_and_embeds_nothing() -> None:
    assert Semantic(corpus(), Failing(), ["known"]).search("query") == ()


def test_each_text_is_embedded_once_and_known_queries_together_with_the_documents() -> None:
    table = Table(VECTORS)
    search = Semantic(of_texts("east", "north", "east"), table, ["query", "north"]).search
    for query in ("query", "north", "east", "query", "diagonal", "diagonal"):
        search(query)
    assert table.asked == [["east", "north", "query"], ["diagonal"]]


def test_a_row_that_cannot_be_read_is_not_ranked() -> None:
    rows = corpus(document("a", "east"), document("b", " "))
    assert ids(Semantic(rows, Table(VECTORS)).search("query")) == ["a"]


def test_a_vector_that_breaks_the_rules_is_no_ranking() -> None:
    with pytest.raises(InputError, match="is not of length 1"):
        Semantic(of_texts("long"), Table({"long": (2.0, 0.0), "query": EAST})).search("query")


@st.composite
def directions(draw: st.DrawFn) -> list[Vector]:
    """Up to six unit vectors of one dimension."""
    dimension = draw(st.integers(1, 40))
    seed = draw(st.integers(0, 2**32))
    source = random.Random(seed)  # noqa: S311  # test data, not a secret
    return [normalised([source.gauss(0, 1) for _ in range(dimension)]) for _ in range(draw(st.integers(2, 6)))]


def exact_cosine(a: Vector, b: Vector) -> Fraction:
    """The dot product of the vectors on the grid, in whole numbers."""
    on_grid = [[round(value * GRID) for value in vector] for vector in (a, b)]
    return Fraction(sum(x * y for x, y in zip(*on_grid, strict=True)), int(GRID) ** 2)


@given(directions())
@settings(deadline=None)
def test_scores_are_those_of_whole_numbers(vectors: list[Vector]) -> None:
    """The oracle adds in whole numbers, so whatever order numpy adds in, nothing may have been rounded on the way."""
    table = Table({f"t{number}": vector for number, vector in enumerate(vectors)}, dimension=len(vectors[0]))
    texts = [f"t{number}" for number in range(1, len(vectors))]
    found = dict(Semantic(of_texts(*texts), table).search("t0"))
    for number, vector in enumerate(vectors[1:], start=1):
        exact = exact_cosine(vectors[0], vector)
        assert float(exact) == exact, "the sum needs more than 53 bits"
        assert found[f"d{number}"] == round(float(exact) * STEPS) / STEPS


@given(directions())
@settings(deadline=None)
def test_scores_are_cosines_to_six_decimals(vectors: list[Vector]) -> None:
    first, second = vectors[:2]
    table = Table({"query": first, "text": second}, dimension=len(first))
    ((_, score),) = Semantic(of_texts("text"), table).search("query")
    cosine = fsum(a * b for a, b in zip(first, second, strict=True))
    cosine /= sqrt(fsum(a * a for a in first)) * sqrt(fsum(b * b for b in second))
    assert score == pytest.approx(cosine, abs=1e-6)


@given(directions(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_a_sum_on_the_grid_is_exact_in_any_order(vectors: list[Vector], source: random.Random) -> None:
    products = [round(a * GRID) / GRID * (round(b * GRID) / GRID) for a, b in zip(*vectors[:2], strict=True)]
    source.shuffle(products)
    assert in_turn(products) == exact_cosine(*vectors[:2])


def test_off_the_grid_the_order_shows() -> None:
    """The positive control of the test above: why the grid is there."""
    source = random.Random(4)  # noqa: S311  # test data, not a secret
    a, b = (normalised([source.gauss(0, 1) for _ in range(384)]) for _ in range(2))
    products = [x * y for x, y in zip(a, b, strict=True)]
    assert in_turn(products) != in_turn(products[::-1])


def in_turn(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total
