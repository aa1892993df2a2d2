"""What a run did, counted: model calls, replies out of form, moves. Kept in the throwaway database of its case."""

from __future__ import annotations

import sqlite3

_TABLES = """
CREATE TABLE IF NOT EXISTS model_call (number INTEGER PRIMARY KEY, purpose TEXT NOT NULL, is_answered INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS schema_mismatch (number INTEGER PRIMARY KEY, purpose TEXT NOT NULL, fault TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS move (number INTEGER PRIMARY KEY, name TEXT NOT NULL, is_refused INTEGER NOT NULL);
"""
_COUNTS = {
    "model_calls": "SELECT count(*) FROM model_call",
    "unanswered_calls": "SELECT count(*) FROM model_call WHERE NOT is_answered",
    "schema_mismatches": "SELECT count(*) FROM schema_mismatch",
    "moves": "SELECT count(*) FROM move",
    "refused_moves": "SELECT count(*) FROM move WHERE is_refused",
}


class Telemetry:
    """The counts of one case."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        database.executescript(_TABLES)

    def called(self, purpose: str, *, is_answered: bool) -> None:
        """A model was called."""
        self._database.execute("INSERT INTO model_call (purpose, is_answered) VALUES (?, ?)", (purpose, is_answered))

    def mismatched(self, purpose: str, fault: str) -> None:
        """A specialist's reply did not have the agreed form."""
        self._database.execute("INSERT INTO schema_mismatch (purpose, fault) VALUES (?, ?)", (purpose, fault))

    def moved(self, name: str, *, is_refused: bool) -> None:
        """A move was decided, and carried out or refused."""
        self._database.execute("INSERT INTO move (name, is_refused) VALUES (?, ?)", (name, is_refused))

    def counts(self) -> dict[str, int]:
        """All counts by name."""
        return {name: int(self._database.execute(query).fetchone()[0]) for name, query in _COUNTS.items()}
