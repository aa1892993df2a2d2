"""How much worse a value is than another, exactly."""

from __future__ import annotations

from decimal import Decimal

from assay.model.score import Direction

DROP_DIGITS = Decimal("1e-9")
"""Differences are rounded here (percentage points), far below any tolerance and above float noise."""


def drop_pp(value: float, baseline: float, direction: Direction) -> Decimal:
    """How much worse `value` is than `baseline`, in percentage points; negative when it is better. Decimal-safe."""
    change = (Decimal(repr(baseline)) - Decimal(repr(value))) * 100
    return (change if direction == "higher" else -change).quantize(DROP_DIGITS)


def worse_text(drop: Decimal, allowed: Decimal) -> str:
    """The change in words, with as many digits as it takes to see on which side of the tolerance it lies."""
    if drop == 0:
        return "unchanged"
    amounts = [f"{abs(drop):.{digits}f}".rstrip("0").rstrip(".") for digits in (2, 4, 9)]
    told = next(amount for amount in amounts if amount is amounts[-1] or (Decimal(amount) > allowed) == (abs(drop) > allowed))
    return f"{told} pp {'worse' if drop > 0 else 'better'}"
