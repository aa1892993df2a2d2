"""What a gate can see of one metric: how much it absorbs, how far away its line is, what a live run would notice."""

from __future__ import annotations

from pydantic import Field

from assay.model.base import Frozen


class LivePower(Frozen):
    """The smallest drops that the live gate notices, in percentage points; null where no drop at all could be."""

    at80_pp: float | None
    """Noticed 8 times in 10."""
    at95_pp: float | None
    """Noticed 19 times in 20."""
    false_alarm: float = Field(ge=0, le=1)
    """How often at most the metric's own test rejects where nothing changed, whatever number of cases differs: the largest
    exact size, for cases of equal weight; for others never more than the level."""
    level: float = Field(gt=0, lt=1)
    """The level of the test, the strictest of Holm's."""
    model: str
    """The sampling model that these numbers hold under."""


class Power(Frozen):
    """What the gate sees of one metric. A row is what the metric's denominator counts; for a mean, all of its ratios'."""

    absorbs_fewest: int | None = Field(None, ge=0)
    """So many rows of this run can turn wrong wherever they fall, and the gate keeps silent."""
    absorbs_most: int | None = Field(None, ge=0)
    """So many can turn wrong where it hurts least; one more fires wherever it falls. Null where power is undefined."""
    right: int | None = Field(None, ge=0)
    """The rows that are right, so can turn wrong. Where the gate absorbs all of them it never fires."""
    of: int | None = Field(None, ge=0)
    """All rows."""
    line: float | None = None
    """The worst value that is kept: the tighter of baseline with tolerance and of the floor or ceiling."""
    headroom_pp: float | None = None
    """How far the value is on the good side of the line, in percentage points; negative where the gate has fired."""
    headroom_cases: int | None = None
    """The same in rows, where they weigh most; negative: so few would have to turn right for the gate to keep silent."""
    live: LivePower | None = None
    undefined: str | None = None
    """Why there is no power, or no line to have it against."""

    @property
    def is_blind(self) -> bool:
        """Whether no number of rows that turn wrong makes the gate fire."""
        return self.absorbs_fewest is not None and self.absorbs_fewest == self.right
