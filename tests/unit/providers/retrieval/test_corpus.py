"""The corpus is a real table: counted by SQL, read newest first, and what cannot be read is counted and not lost."""

from __future__ import annotations

import gc
import sqlite3
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from assay.errors import InputError
from assay.providers.retrieval.corpus import Corpus
from assay.suites.retrieval.cases import Document
from tests.unit.providers.retrieval.small_corpus import corpus, document

OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=OFFSETS)  # noqa: DTZ001  # zones are drawn
DOCUMENTS = st.lists(
    st.builds(
        Document,
        id=st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
        content_type=st.sampled_from(["fact", "goal"]),
        text=st.text(),
        created_at=TIMES.map(datetime.isoformat),
    ),
    unique_by=lambda row: row.id,
)


def test_rows_come_newest_first_whatever_their_zone() -> None:
    found = corpus(
        document("noon-utc", created_at="2026-03-01T12:00:00Z"),
        document("one-in-the-east", created_at="2026-03-01T13:00:00+02:00"),  # 11:00 UTC
        document("eleven-in-the-west", created_at="2026-03-01T11:00:00-05:00"),  # 16:00 UTC
    )
    assert [row.id for row in found.documents()] == ["eleven-in-the-west", "noon-utc", "one-in-the-east"]


def test_equal_times_come_by_id() -> None:
    found = corpus(document("b"), document("a"), document("B"), document("é"))
    assert [row.id for row in found.documents()] == ["B", "a", "b", "é"]


def test_a_content_type_is_a_filter() -> None:
    found = corpus(document("a"), document("b", content_type="goal"), document("c"))
    assert [row.id for row in found.documents("fact")] == ["a", "c"]
    assert found.documents("none such") == ()


@pytest.mark.parametrize("text", ["", " \n\t", "\u2003", "half of a pair: \ud83d"])
def test_a_row_that_cannot_be_read_is_counted_and_not_dropped(text: str) -> None:
    found = corpus(document("good"), document("bad", text))
    assert (found.count(), found.unreadable(), [row.id for row in found.documents()]) == (2, 1, ["good"])


def test_an_empty_corpus_has_nothing() -> None:
    found = corpus()
    assert (found.count(), found.unreadable(), found.documents(), found.containing(["a"])) == (0, 0, (), ())


def test_an_id_that_stands_twice_is_an_error_that_names_each_once() -> None:
    with pytest.raises(InputError) as found:
        corpus(document("a"), document("b"), document("a"), document("a"), document("b"))
    assert str(found.value).splitlines() == [f"corpus: the document id stands twice, got '{name}'." for name in "ab"]


@pytest.mark.parametrize("time", ["2026-03-01T12:00:00", "2026-03-01", "yesterday", ""])
def test_a_time_without_a_zone_is_no_time(time: str) -> None:
    with pytest.raises(ValidationError):
        document("a", created_at=time)


def test_a_document_comes_back_as_it_was_put_in() -> None:
    put_in = document("é\x01", "  NUL \x00, a quote ' and % 🙂\n", created_at="2026-03-01T13:00:00.000001+02:00")
    assert corpus(put_in).documents() == (put_in,)


def test_words_match_inside_of_words_and_fold_ascii_alone() -> None:
    found = corpus(document("a", "Concatenate"), document("b", "dog"), document("c", "ÉCLAIR"), document("d", "CAT", day=2))
    assert [row.id for row in found.containing(["cat"])] == ["d", "a"]
    assert [row.id for row in found.containing(["none", "DOG"])] == ["b"]
    assert found.containing(["éclair"]) == ()
    assert [row.id for row in found.containing(["d_g"])] == ["b"]
    assert found.containing([]) == ()
    assert found.containing(["cat"], "goal") == ()


def test_a_word_is_never_sql() -> None:
    assert corpus(document("a")).containing(["'; DROP TABLE documents; --", '"]'], "' OR 1=1") == ()


def test_the_database_is_closed_with_the_last_reference() -> None:
    found = corpus(document("a"))
    connection = found._connection  # nothing else shows it
    del found
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")


@given(DOCUMENTS)
def test_every_row_is_readable_or_counted_as_unreadable(rows: list[Document]) -> None:
    found = Corpus(rows)
    assert found.count() == len(rows) == len(found.documents()) + found.unreadable()
    assert {row.id for row in found.documents()} <= {row.id for row in rows}


@given(DOCUMENTS)
def test_the_order_is_that_of_python(rows: list[Document]) -> None:
    by_time = sorted(rows, key=lambda row: (-_microseconds(row), row.id))
    read = {row.id for row in Corpus(rows).documents()}
    assert [row.id for row in Corpus(rows).documents()] == [row.id for row in by_time if row.id in read]


def _microseconds(row: Document) -> int:
    return (datetime.fromisoformat(row.created_at) - datetime(2000, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
