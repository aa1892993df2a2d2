"""What a run has so far, in the throwaway database of its case."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Literal

_TABLES = """
CREATE TABLE IF NOT EXISTS angle (number INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS draft (number INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS review (draft INTEGER PRIMARY KEY, verdict TEXT NOT NULL, notes TEXT NOT NULL);
"""
Verdict = Literal["pass", "revise"]


def fresh_database() -> sqlite3.Connection:
    """An empty database in memory that no other connection can see; it is gone when closed."""
    return sqlite3.connect(":memory:", isolation_level=None)


class State:
    """Angles, drafts and reviews of one case. Drafts are numbered from 1."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        database.executescript(_TABLES)

    def keep_angles(self, angles: Sequence[str]) -> None:
        """Take over the strategist's angles."""
        self._database.executemany("INSERT INTO angle (text) VALUES (?)", [(angle,) for angle in angles])

    def keep_draft(self, text: str) -> int:
        """Take over a draft; returns its number."""
        self._database.execute("INSERT INTO draft (text) VALUES (?)", (text,))
        return self.drafts()

    def keep_review(self, verdict: Verdict, notes: str) -> None:
        """Take over the editor's judgement of the latest draft; a second one replaces the first."""
        self._database.execute("INSERT OR REPLACE INTO review VALUES (?, ?, ?)", (self.drafts(), verdict, notes))

    def angles(self) -> tuple[str, ...]:
        """The strategist's angles, in its order."""
        return tuple(str(text) for (text,) in self._database.execute("SELECT text FROM angle ORDER BY number"))

    def drafts(self) -> int:
        """How many drafts were written."""
        return int(self._database.execute("SELECT count(*) FROM draft").fetchone()[0])

    def revisions(self) -> int:
        """How many drafts were written after the first."""
        return max(0, self.drafts() - 1)

    def draft(self) -> str | None:
        """The latest draft; None where there is none."""
        row = self._database.execute("SELECT text FROM draft ORDER BY number DESC LIMIT 1").fetchone()
        return str(row[0]) if row else None

    def is_reviewed(self) -> bool:
        """Whether the editor has judged the latest draft."""
        return self._review() is not None

    def is_approved(self) -> bool:
        """Whether the editor has passed the latest draft."""
        review = self._review()
        return review is not None and review[0] == "pass"

    def is_revision_wanted(self) -> bool:
        """Whether the editor has asked for a revision of the latest draft."""
        review = self._review()
        return review is not None and review[0] == "revise"

    def notes(self) -> str:
        """What the editor said of the latest draft; empty where it said nothing."""
        review = self._review()
        return review[1] if review else ""

    def _review(self) -> tuple[str, str] | None:
        row = self._database.execute("SELECT verdict, notes FROM review WHERE draft = ?", (self.drafts(),)).fetchone()
        return (str(row[0]), str(row[1])) if row else None
