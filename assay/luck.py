"""What luck explains of a metric: the most that a negative control may come to."""

from __future__ import annotations

from assay.model.baseline import Chance
from assay.model.score import Measure

CHANCE_FACTOR = 2.5
"""A negative control may come to this many times the mean of chance, or to its 99.9 % quantile, whichever is larger."""


def ceiling_of(chance: Chance, measure: Measure) -> float:
    """The largest value that still passes for luck; of a measure that cannot exceed 1, at most 1."""
    ceiling = max(CHANCE_FACTOR * chance.mean, chance.quantile)
    is_share = all(ratio.values != "reals" for ratio in measure.ratios)
    return min(ceiling, 1.0) if is_share else ceiling
