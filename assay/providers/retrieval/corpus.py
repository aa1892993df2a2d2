"""The one corpus of a process: documents shaped like production rows, in a real database in memory.

In: documents. Out: counts by SQL, and the rows that can be read, newest first. Every retriever is built over it.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from assay.digest import canonical
from assay.errors import InputError, Problem
from assay.suites.retrieval.cases import Document

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TABLE = """
CREATE TABLE documents (
    id TEXT PRIMARY KEY, content_type TEXT NOT NULL, text TEXT, created_at TEXT NOT NULL, created_us INTEGER NOT NULL
)
"""
_INSERT = "INSERT INTO documents VALUES (?, ?, CAST(? AS TEXT), ?, ?)"
_SELECT = """
SELECT id, content_type, text, created_at FROM documents
WHERE (:content_type IS NULL OR content_type = :content_type)
AND (:words IS NULL OR EXISTS (SELECT 1 FROM json_each(:words) AS word WHERE text LIKE '%' || word.value || '%'))
ORDER BY created_us DESC, id
"""
_Row = tuple[bytes, bytes, bytes | None, bytes]


class Corpus:
    """Documents in a table `documents` of an in-memory SQLite. Order everywhere: newest first, equal times by id."""

    def __init__(self, documents: Iterable[Document]) -> None:
        """Raises InputError for an id that stands twice."""
        rows = list(documents)
        _refuse_twins(rows)
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        weakref.finalize(self, self._connection.close)
        self._connection.text_factory = bytes
        with self._connection:
            self._connection.execute(_TABLE)
            self._connection.executemany(_INSERT, map(_values, rows))

    def count(self) -> int:
        """How many rows the table has, readable or not, by SQL."""
        found: int = self._connection.execute("SELECT count(*) FROM documents").fetchone()[0]
        return found

    def unreadable(self) -> int:
        """How many rows have no text, only white space, or bytes that are not UTF-8."""
        return sum(_document(row) is None for row in self._rows(None, None))

    def documents(self, content_type: str | None = None) -> tuple[Document, ...]:
        """The readable rows, newest first; of one content type where one is given. () where there are none."""
        return self._readable(content_type, None)

    def containing(self, words: Sequence[str], content_type: str | None = None) -> tuple[Document, ...]:
        """The readable rows that are LIKE any of the words, newest first; no words match nothing.

        SQLite's LIKE folds case for ASCII only; `%` and `_` in a word are wildcards.
        """
        return self._readable(content_type, words)

    def _readable(self, content_type: str | None, words: Sequence[str] | None) -> tuple[Document, ...]:
        return tuple(document for row in self._rows(content_type, words) if (document := _document(row)) is not None)

    def _rows(self, content_type: str | None, words: Sequence[str] | None) -> list[_Row]:
        given = {"content_type": content_type, "words": None if words is None else canonical(list(words)).decode()}
        return self._connection.execute(_SELECT, given).fetchall()


def _refuse_twins(documents: Sequence[Document]) -> None:
    counted = Counter(document.id for document in documents)
    twins = [Problem("corpus", "the document id stands twice", name) for name, times in counted.items() if times > 1]
    if twins:
        raise InputError(twins)


def _values(document: Document) -> tuple[str, str, bytes, str, int]:
    created_us = (datetime.fromisoformat(document.created_at) - EPOCH) // timedelta(microseconds=1)
    text = document.text.encode("utf-8", "surrogatepass")
    return document.id, document.content_type, text, document.created_at, created_us


def _document(row: _Row) -> Document | None:
    """The row as a document; None where its text is missing, blank or not UTF-8."""
    name, content_type, data, created_at = row
    try:
        text = (data or b"").decode()
    except UnicodeDecodeError:
        return None
    if not text.strip():
        return None
    return Document(id=name.decode(), content_type=content_type.decode(), text=text, created_at=created_at.decode())
