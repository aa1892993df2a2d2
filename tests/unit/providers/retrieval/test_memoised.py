"""A text is embedded once per embedder; what is kept is checked, and never stands in for another."""

from __future__ import annotations

from math import nan
from pathlib import Path
from struct import pack

import pytest

from assay.providers.retrieval.memoised import BATCH, MemoEmbedder
from assay.stores.memo import Memo
from tests.unit.providers.retrieval.small_corpus import Failing, Table

VECTORS = {"east": (1.0, 0.0), "north": (0.0, 1.0)}


class Shelf(dict[str, bytes]):
    """A memory in a dictionary."""

    def find(self, digest: str) -> bytes | None:
        return self.get(digest)

    def keep(self, digest: str, data: bytes) -> None:
        self[digest] = data


def test_a_text_is_embedded_once_over_all_runs(tmp_path: Path) -> None:
    table = Table(VECTORS)
    with Memo(tmp_path) as memo:
        first = MemoEmbedder(table, memo).embed(["east", "north", "east"])
    with Memo(tmp_path) as memo:
        second = MemoEmbedder(Forbidden(), memo).embed(["east", "north", "east"])
    assert first == second == [VECTORS["east"], VECTORS["north"], VECTORS["east"]]
    assert table.asked == [["east", "north"]]


class Forbidden(Failing):
    """The table's identity; asking it is a fault."""


def test_only_new_texts_are_asked_for() -> None:
    table, shelf = Table(VECTORS), Shelf()
    MemoEmbedder(table, shelf).embed(["east"])
    MemoEmbedder(table, shelf).embed(["north", "east"])
    assert table.asked == [["east"], ["north"]]
    assert MemoEmbedder(table, shelf).embed([]) == []


def test_another_embedder_or_dimension_gets_nothing_of_it() -> None:
    shelf = Shelf()
    MemoEmbedder(Table(VECTORS), shelf).embed(["east"])
    other = Table({"east": (0.0, 1.0)}, model="other")
    wider = Table({"east": (0.0, 1.0, 0.0)}, dimension=3)
    assert MemoEmbedder(other, shelf).embed(["east"]) == [(0.0, 1.0)]
    assert MemoEmbedder(wider, shelf).embed(["east"]) == [(0.0, 1.0, 0.0)]
    assert len(shelf) == 3


@pytest.mark.parametrize(
    "data", [b"", b"\x00" * 8, b"\x00" * 7, pack("<2f", nan, 1.0), pack("<3f", 1.0, 0.0, 0.0), b"\xff" * 8]
)
def test_a_damaged_entry_counts_as_absent_and_is_made_anew(data: bytes) -> None:
    table, shelf = Table(VECTORS), Shelf()
    MemoEmbedder(table, shelf).embed(["east"])
    (key,) = shelf
    shelf[key] = data
    assert MemoEmbedder(table, shelf).embed(["east"]) == [VECTORS["east"]]
    assert MemoEmbedder(Forbidden(), shelf).embed(["east"]) == [VECTORS["east"]]


def test_what_was_embedded_before_a_failure_is_kept() -> None:
    texts = [f"t{number}" for number in range(BATCH + 1)]
    shelf = Shelf()
    with pytest.raises(KeyError):
        MemoEmbedder(Table(dict.fromkeys(texts[:-1], (1.0, 0.0))), shelf).embed(texts)
    assert MemoEmbedder(Forbidden(), shelf).embed(texts[:-1]) == [(1.0, 0.0)] * BATCH
