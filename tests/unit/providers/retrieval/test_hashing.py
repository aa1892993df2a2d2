"""Vectors without meaning: the same text finds itself, and nothing else is nearer than chance."""

from __future__ import annotations

from statistics import fmean, pstdev

from hypothesis import given
from hypothesis import strategies as st

from assay.model.embedding import is_unit
from assay.providers.retrieval.corpus import Corpus
from assay.providers.retrieval.hashing import DIMENSION, HashEmbedder
from assay.providers.retrieval.semantic import Semantic
from tests.unit.providers.retrieval.small_corpus import document, ids, of_texts


@given(st.text())
def test_every_text_has_a_unit_vector_that_is_always_the_same(text: str) -> None:
    (vector,) = HashEmbedder().embed([text])
    assert is_unit(vector)
    assert len(vector) == HashEmbedder().identity.dimension == DIMENSION
    assert HashEmbedder().embed(["another", text])[1] == vector


def test_a_vector_is_pinned() -> None:
    """A run on any processor has to draw these."""
    (vector,) = HashEmbedder().embed(["The user lives in Lyon."])
    assert [round(value, 6) for value in vector[:3]] == [-0.007263, -0.12396, 0.134114]


def test_a_text_finds_itself() -> None:
    search = Semantic(of_texts("one text", "another text", "a third"), HashEmbedder()).search
    assert search("another text")[0] == ("d2", 1.0)


def test_near_texts_are_no_nearer_than_others() -> None:
    """200 texts that differ in one character: cosines of 64 independent components spread by 1 / 8 around 0."""
    texts = [f"The user lives at number {number}." for number in range(200)]
    scores = [score for _, score in Semantic(of_texts_of(texts), HashEmbedder()).search("The user lives at number 7!")]
    assert abs(fmean(scores)) < 4 / 8 / 200**0.5
    assert abs(pstdev(scores) - 1 / 8) < 0.03


def of_texts_of(texts: list[str]) -> Corpus:
    return Corpus([document(f"d{number:03}", text) for number, text in enumerate(texts)])


def test_words_in_common_do_not_help() -> None:
    """Over 100 corpora of 20 the document with the query's words is first about 5 times; 20 would be 7 deviations above."""
    firsts = 0
    for trial in range(100):
        texts = [f"Answer {trial}: blue bicycle", *(f"Other {trial}, {number}" for number in range(19))]
        firsts += ids(Semantic(of_texts_of(texts), HashEmbedder()).search(f"Which bicycle is blue in {trial}?"))[0] == "d000"
    assert firsts < 20
