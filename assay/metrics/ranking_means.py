"""A measure's rows, one per query, and their mean: what it runs over, what it leaves out, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

MISSING = "not in the run"


class QueryValue(NamedTuple):
    """What a measure makes of one query."""

    query: str
    value: float | None
    note: str | None = None
    """Why there is no value, or what is remarkable about it: a query that is not in the run counts 0 and says so."""


@dataclass(frozen=True)
class Mean:
    """A measure's mean over the queries where it is defined; None with a reason where it is defined for none."""

    value: float | None
    n: int
    """Over how many queries the mean runs."""
    left_out: Mapping[str, str]
    """The queries that are not in the mean, each with its reason, in order of their ids."""
    missing: tuple[str, ...]
    """The queries that count 0 because the run does not hold them."""
    reason: str | None = None


def mean_of(rows: Iterable[QueryValue]) -> Mean:
    """The mean of the rows that have a value, summed without rounding, so that their order never changes it."""
    ordered = sorted(rows, key=lambda row: row.query)
    values = [row.value for row in ordered if row.value is not None]
    left_out = {row.query: row.note or "undefined" for row in ordered if row.value is None}
    missing = tuple(row.query for row in ordered if row.value is not None and row.note == MISSING)
    if not values:
        return Mean(None, 0, left_out, missing, "no query has a value" if left_out else "no query")
    return Mean(fsum(values) / len(values), len(values), left_out, missing)
