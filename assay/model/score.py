"""What scoring makes of one case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.model.base import Frozen

CaseStatus = Literal["scored", "malformed", "unanswered", "missing", "crashed"]
Direction = Literal["higher", "lower"]


class Ratio(Frozen):
    """A proportion of counts that are summed over the cases."""

    numerator: str
    denominator: str
    of: str
    """What the denominator counts, in words."""
    values: Literal["counts", "shares", "reals"] = "counts"
    """What the numerator sums: things that are counted, values in [0, 1], or any numbers (then `<numerator>_squared` too)."""


class Measure(Frozen):
    """The definition of a metric: one ratio, or the unweighted mean of several, and how it is read."""

    ratios: tuple[Ratio, ...] = ()
    mean_of: str = ""
    """What a mean averages over, in words."""
    direction: Direction = "higher"
    fixed_n: bool = True
    """Whether the gold set alone decides what it averages over. A run with a smaller n is then another measure."""


@dataclass(frozen=True)
class CaseScore:
    """One row of the score table. Every case of the gold set has exactly one, whatever happened to it."""

    case_id: str
    status: CaseStatus
    passed: bool
    score: float
    """How right the whole case is, in [0, 1]."""
    counts: Mapping[str, int | float]
    """What the kind's metrics are summed from; a name that is absent counts 0."""
    reason: str | None = None
    """Why the case is not plainly scored."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """Expected, predicted and how they were matched, as plain JSON, for people."""
    left_out: str | None = None
    """Why the case is in no mean, where it is in none."""
