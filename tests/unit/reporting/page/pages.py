"""Pages and runs for tests."""

from __future__ import annotations

from typing import Any

from assay.model.history import History, HistoryLine
from assay.model.report import FailedCase, Report
from assay.model.verdict import CaseOutcome
from assay.reporting.page.notes import RunNotes
from assay.reporting.page.whole import page_bytes, with_run
from assay.sabotage.matrix import Inverted, Matrix
from assay.sabotage.outcome import Mutant
from tests.builders import baseline_of, evidence, facts
from tests.unit.reporting.page.tree import Element, tree_of
from tests.unit.reporting.reports import (
    RIGHT,
    TIMING,
    WRONG,
    controlled,
    failing,
    hostile,
    passing,
    ratio,
    report_of,
    undecided,
)

REPORTS = {"passing": passing, "failing": failing, "undecided": undecided, "controlled": controlled, "hostile": hostile}
"""Makers of one report of each kind."""
MUTANTS = (
    Mutant(name="cases dropped", layer="gold", fate="killed", strength="one case", by=("cases",)),
    Mutant(name="constant scores", layer="system", fate="survived"),
    Mutant(name="empty text", layer="system", fate="killed by another", by=("a", "b")),
    Mutant(name="prompt edited", layer="contract", fate="not applicable", why="the suite sends no prompt"),
    Mutant(name="rank off by one", layer="scorer", fate="killed", by=("self_test",)),
)
INVERTED = (
    Inverted(name="case order", holds=True),
    Inverted(name="key order", holds=False, why="verdict: PASS -> FAIL"),
    Inverted(name="shards", holds=None, why="no shards"),
)


def matrix(**changes: Any) -> Matrix:
    """One undeclared survivor, one declared in vain, one declared, one control that moved."""
    survivors = {"constant scores": "scores are not gated", "rank off by one": "borne"}
    fields: dict[str, Any] = {"suite": "extraction", "version": "v1", "clean": "PASS", "mutants": MUTANTS}
    return Matrix(**{**fields, "inverted": INVERTED, "survivors": survivors, **changes})


def notes(*lines: HistoryLine, found: Matrix | None = None, **timing: Any) -> RunNotes:
    """What a run of an hour ago knows."""
    return RunNotes({**TIMING, **timing}, History(lines=lines), found)


def page(report: Report, run: RunNotes | None = None) -> Element:
    """The whole page of a report, read."""
    return tree_of(with_run(page_bytes(report), run or notes()))


def section(found: Element, name: str) -> str:
    """The text of one section."""
    return found.one(id=name).text


def large(cases: int, wrong_each: int, content: str = "The user lives in Lyon.") -> Report:
    """So many cases; each n-th is wrong, and its memory is matched with a field that differs."""
    outcomes: dict[str, CaseOutcome] = {}
    failed: dict[str, FailedCase] = {}
    for number in range(cases):
        name = f"case-{number:05d}"
        is_wrong = number % wrong_each == 0
        outcomes[name] = WRONG if is_wrong else RIGHT
        if is_wrong:
            failed[name] = FailedCase(status="scored", reason=None, detail=matched(name, content))
    right = cases - len(failed)
    found = evidence({"recall": ratio(right, cases, 0.1, 0.9)}, cases=outcomes, failed=failed)
    return report_of({"p": found}, baseline_of(found), facts("recall", cases=cases))


def matched(name: str, content: str = "The user lives in Lyon.") -> dict[str, Any]:
    """A memory that was found with another category, one that is missing, and one that is extra."""

    def memory(number: int, text: str, category: str) -> dict[str, Any]:
        return {"id": f"{name}-m{number}", "content": text, "categories": [category], "temporal_kind": "indefinite"}

    extra = {key: value for key, value in memory(3, "The user likes tea.", "preference").items() if key != "id"}
    return {
        "expected": [memory(1, content, "factual"), memory(2, "The user has a dog.", "factual")],
        "predicted": [memory(1, content, "behavioral"), extra],
        "matched": [{"expected": 0, "predicted": 0, "similarity": 0.97}],
        "difference": [
            f"{name}-m1 categories: expected ['factual'], got ['behavioral']",
            "missing: The user has a dog.",
            "extra: The user likes tea.",
        ],
    }
