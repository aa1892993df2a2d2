"""Lines of a history for tests."""

from __future__ import annotations

from typing import Any

from assay.digest import digest_of, sha256_hex
from assay.metrics.intervals import wilson
from assay.model.history import HistoryLine
from assay.model.verdict import Metric


def share(hits: int, of: int = 100) -> Metric:
    """A share with its Wilson interval."""
    low, high = wilson(hits, of)
    return Metric(value=hits / of, n=of, numerator=hits, denominator=of, low=low, high=high)


def undefined(reason: str = "no memories predicted") -> Metric:
    """A metric without rows."""
    return Metric(value=None, n=0, numerator=None, denominator=0, low=None, high=None, reason=reason)


def real(value: float, low: float, high: float, n: int = 20) -> Metric:
    """A mean of any numbers."""
    return Metric(value=value, n=n, numerator=value * n, denominator=n, low=low, high=high)


def digest(text: str) -> str:
    """A digest that a test can name."""
    return sha256_hex(text.encode())


def commit(number: int) -> str:
    """The name of a commit that begins with the number, such as `0000012`."""
    return f"{number:07d}" + "a" * 33


def line(number: int = 1, metrics: dict[str, Metric] | None = None, **changes: Any) -> HistoryLine:
    """A replayed run of provider `openai` on day `number` of September 2026; its contract is that of its parts."""
    parts = {
        name: changes.pop(name, fallback)
        for name, fallback in {
            "gold_sha256": digest("gold"),
            "prompt_sha256": digest("prompt"),
            "schema_sha256": digest("schema"),
            "cassette_kind": "live_openai_recorded",
            "measures_sha256": digest("measures"),
        }.items()
    }
    fields = {
        "format": 1,
        "at": f"2026-09-{number:02d}T10:00:00+00:00",
        "run_id": f"202609{number:02d}T100000Z-extraction-abc123",
        "commit": commit(number),
        "suite": "extraction",
        "version": "v1",
        "provider": "openai",
        "enforcement": "ci",
        "mode": "replay",
        "model": "gpt-4o-mini",
        "recording": digest("recording"),
        "verdict": "PASS",
        "cases": 100,
        "passed": 90,
        "metrics": metrics or {"recall": share(90)},
        "contract": digest_of(parts),
    }
    return HistoryLine.model_validate({**fields, **parts, **changes})
