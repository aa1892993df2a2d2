"""One thing worked out on paper, beside what the metrics make of it."""

from __future__ import annotations

from dataclasses import dataclass

TOLERANCE = 1e-9


@dataclass(frozen=True)
class SelfCheck:
    """A value that is known beforehand, and the value that came out. None is undefined."""

    name: str
    expected: float | None
    got: float | None

    @property
    def holds(self) -> bool:
        """Whether both are the same number to within 1e-9, or both undefined. NaN is equal to nothing."""
        if self.expected is None or self.got is None:
            return self.expected is None and self.got is None
        return abs(self.expected - self.got) <= TOLERANCE
