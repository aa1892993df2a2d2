"""How old recordings and baselines are, and which are stale."""

from __future__ import annotations

import json

from assay.reporting.ages import ages_lines


def told(ages: dict[str, int], stale: list[str]) -> list[str]:
    timing = {"ages_days": ages, "stale_after_days": 90, "stale": stale}
    return ages_lines(json.dumps({"timing": timing}).encode())


def test_each_provider_has_a_line_and_what_is_stale_is_called_so() -> None:
    ages = {"openai.baseline": 90, "openai.recording": 91, "a.b.baseline": 0, "a.b.recording": 1}
    assert told(ages, ["openai.recording"]) == [
        "age of openai: baseline 90 days; recording 91 days, STALE (over 90)",
        "age of a.b: baseline 0 days; recording 1 day",
    ]


def test_what_has_no_date_has_no_age() -> None:
    assert told({}, []) == []
