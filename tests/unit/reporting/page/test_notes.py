"""Ages from the timing block."""

from __future__ import annotations

from assay.reporting.page.notes import Age, ages_of
from tests.unit.reporting.reports import TIMING


def test_ages_say_what_is_stale() -> None:
    timing = {**TIMING, "ages_days": {"a.b.recording": 100, "p.baseline": 3}, "stale": ["a.b.recording"]}

    assert ages_of(timing) == [Age("a.b", "recording", 100, is_stale=True), Age("p", "baseline", 3, is_stale=False)]
