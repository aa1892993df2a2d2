"""What an embedder gives is checked before anything is ranked by it."""

from __future__ import annotations

from math import inf, nan, sqrt
from struct import pack, unpack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.model.embedding import Vector, is_unit, length_of
from assay.providers.retrieval.embedder import normalised, vectors_of
from tests.unit.providers.retrieval.small_corpus import Table

COMPONENTS = st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=20)


def test_a_vector_keeps_its_direction_and_gets_length_one() -> None:
    assert normalised([3.0, 4.0]) == tuple(unpack("<2f", pack("<2f", 0.6, 0.8)))


@pytest.mark.parametrize("values", [[0.0, 0.0], [nan, 1.0], [inf, 1.0], [-inf, inf], [1e200, 1e200], []])
def test_what_has_no_direction_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="has no direction"):
        normalised(values)


@given(COMPONENTS)
def test_what_has_a_direction_becomes_a_unit_vector_of_float32(values: list[float]) -> None:
    if length_of(values) == 0:
        return
    vector = normalised(values)
    assert is_unit(vector)
    assert vector == tuple(unpack(f"<{len(vector)}f", pack(f"<{len(vector)}f", *vector)))


def test_right_vectors_pass() -> None:
    table = Table({"a": (1.0, 0.0), "b": (sqrt(0.5), -sqrt(0.5))})
    assert vectors_of(table, ["b", "a"]) == [(sqrt(0.5), -sqrt(0.5)), (1.0, 0.0)]
    assert vectors_of(table, []) == []


@pytest.mark.parametrize(
    ("vector", "told"),
    [
        ((1.0,), "wrong dimension, got 1; expected 2."),
        ((1.0, 0.0, 0.0), "wrong dimension, got 3; expected 2."),
        ((0.0, 0.0), "is not of length 1, got 0.0; expected finite numbers whose squares sum to 1."),
        ((nan, 1.0), "is not of length 1, got nan; expected finite numbers whose squares sum to 1."),
        ((inf, -inf), "is not of length 1, got inf; expected finite numbers whose squares sum to 1."),
        ((1.0, 1.0), "is not of length 1, got 1.4142135623730951; expected finite numbers whose squares sum to 1."),
    ],
)
def test_a_wrong_vector_names_the_start_of_its_text(vector: Vector, told: str) -> None:
    with pytest.raises(InputError) as found:
        vectors_of(
            Table({"A text of which the first forty characters are told.": vector}),
            ["A text of which the first forty characters are told."],
        )
    assert str(found.value) == f"embedder table: vector of 'A text of which the first forty characte…': {told}"


def test_another_number_of_vectors_is_an_error() -> None:
    class Short(Table):
        def embed(self, texts: object) -> list[Vector]:
            return [(1.0, 0.0)]

    with pytest.raises(InputError, match="wrong number of vectors, got 1; expected 2"):
        vectors_of(Short({}), ["a", "b"])
