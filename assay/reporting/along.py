"""How far along an axis a value is: the one rule of every drawing, in the terminal and on the page."""

from __future__ import annotations


def along(value: float, low: float, high: float) -> float:
    """The value's place between the ends, 0 to 1; one beyond an end is at that end, all are in the middle of no axis."""
    half = high / 2 - low / 2  # in halves, for the difference of two large numbers may be none
    return min(max((value / 2 - low / 2) / half, 0.0), 1.0) if half else 0.5
