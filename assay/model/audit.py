"""What an audit of a gold set found."""

from __future__ import annotations

from assay.model.base import Frozen


class Pair(Frozen):
    """Two texts that are too alike, or nearly."""

    a: str
    b: str
    similarity: float


class Finding(Frozen):
    """A figure or a list that a person should read."""

    title: str
    lines: tuple[str, ...]


class Audit(Frozen):
    """The gold set on trial: faults make it fail, findings are for reading."""

    suite: str
    version: str
    cases: int
    effective_cases: float
    """How many distinct cases the set is worth: near-duplicates share one."""
    counts: dict[str, dict[str, int]]
    near_duplicates: tuple[Pair, ...]
    """At or above the declared limit: a fault."""
    review_band: tuple[Pair, ...]
    """Below the limit, near enough to be read by a person."""
    faults: tuple[str, ...]
    findings: tuple[Finding, ...]
