"""How old recordings and baselines are, from a report's timing block: the only part of a report that a day changes."""

from __future__ import annotations

import json
from typing import Any

from assay.model.run import plural


def ages_lines(report: bytes) -> list[str]:
    """One line per provider, with what is stale named; empty where nothing has a date."""
    timing: dict[str, Any] = json.loads(report)["timing"]
    by_provider: dict[str, list[str]] = {}
    for name, days in timing["ages_days"].items():
        provider, _, what = name.rpartition(".")
        stale = f", STALE (over {timing['stale_after_days']})" if name in timing["stale"] else ""
        by_provider.setdefault(provider, []).append(f"{what} {plural(days, 'day')}{stale}")
    return [f"age of {provider}: {'; '.join(told)}" for provider, told in by_provider.items()]
