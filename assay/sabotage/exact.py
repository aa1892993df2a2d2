"""The exact interval of a share. No array library: a report that shows a matrix is made in every ordinary run."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, fsum, lgamma, log

HALVINGS = 60
"""Until two neighbouring floats are left."""
TAIL = 0.025


def exact_interval(successes: int, n: int) -> tuple[float, float]:
    """The 95 % Clopper-Pearson interval of `successes` of `n`; (0, 1) when n is 0.

    Source: C. Clopper, E. Pearson, The use of confidence or fiducial limits, Biometrika 26 (1934).
    """
    low = _crossing(lambda p: _at_least(successes, n, p) < TAIL) if successes else 0.0
    high = _crossing(lambda p: _at_least(n - successes, n, 1 - p) > TAIL) if successes < n else 1.0
    return low, high


def _crossing(is_below: Callable[[float], bool]) -> float:
    """The share at which a claim that holds for all smaller ones ends."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return (low + high) / 2


def _at_least(successes: int, n: int, p: float) -> float:
    """How likely at least this many of `n` are at a share strictly between 0 and 1."""
    ways = lgamma(n + 1)
    return fsum(
        exp(ways - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log(1 - p)) for k in range(successes, n + 1)
    )
