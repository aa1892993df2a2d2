"""What a gate can see, in exact counts and exact tails: numbers in, numbers out.

A part is one ratio of counts; a macro mean has several, and each of its rows weighs 1 / (parts * rows of its part). Rows turn
wrong in place: denominators stay.

The live sampling model: every row that is right turns wrong independently with the same probability q, and none turns right.
A case differs when one of its rows did. The paired test of `assay.metrics.significance` then gives 2^-J for J differing
cases, so it rejects from a fixed J on; J is a sum of binomials, one for each number of right rows in a case, and its tail is
added up exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import ceil, comb, exp, expm1, fsum, log, log1p
from operator import mul

from assay.metrics.proportions import DECIMALS
from assay.metrics.significance import DRAWS, EXACT_CASES
from assay.model.score import Direction

CONVERGED = 1e-8
"""How near the wanted power is near enough."""
MOST_CASES = 10**9
"""Where the search for a number of cases that would do gives up."""
Profile = tuple[tuple[int, int], ...]
"""Pairs: a number of right rows, and how many cases have so many. Cases without a right row are left out."""
Kept = Callable[[float], bool]
"""Whether the gate keeps silent at a value; whoever keeps silent at a worse value does so at a better one."""


@dataclass(frozen=True)
class Part:
    """One ratio: its right rows, of how many."""

    right: int
    n: int


def value_of(parts: Sequence[Part], direction: Direction) -> float:
    """The unweighted mean of the parts' shares, rounded as metrics are: of right rows, or of wrong ones if lower is better.

    Every part has rows, and there is at least one. O(parts).
    """
    shares = [(part.right if direction == "higher" else part.n - part.right) / part.n for part in parts]
    return round(fsum(shares) / len(parts), DECIMALS)


def share_right(parts: Sequence[Part]) -> float:
    """The unweighted mean of the parts' shares of right rows, in [0, 1]."""
    return fsum(part.right / part.n for part in parts) / len(parts)


def turned(parts: Sequence[Part], rows: int, *, hurts_most: bool) -> list[Part]:
    """The parts after so many right rows turned wrong where it hurts most, or least.

    Rows of one part weigh the same, so the heaviest are those of the smallest part: greedy is optimal. A negative number
    turns wrong rows right, again the heaviest or lightest first. More rows than there are turn all. O(parts log parts).
    """
    found, left = list(parts), abs(rows)
    for i in sorted(range(len(parts)), key=lambda i: parts[i].n, reverse=not hurts_most):
        room = parts[i].right if rows >= 0 else parts[i].n - parts[i].right
        taken = min(room, left)
        found[i], left = Part(parts[i].right + (-taken if rows >= 0 else taken), parts[i].n), left - taken
    return found


def absorbed(parts: Sequence[Part], direction: Direction, is_kept: Kept, *, hurts_most: bool) -> int:
    """The most rows that turn wrong, where it hurts most or least, with the gate silent. 0 when it has fired already.

    O(parts log parts log rows).
    """
    right = sum(part.right for part in parts)
    return _last(right, lambda rows: is_kept(value_of(turned(parts, rows, hurts_most=hurts_most), direction)))


def restored(parts: Sequence[Part], direction: Direction, is_kept: Kept) -> int | None:
    """The fewest wrong rows that have to turn right before the gate keeps silent; None where all of them do not do it."""
    wrong = sum(part.n - part.right for part in parts)
    fired = _last(wrong, lambda rows: not is_kept(value_of(turned(parts, -rows, hurts_most=True), direction)))
    done = turned(parts, -wrong, hurts_most=True)
    return fired + 1 if is_kept(value_of(done, direction)) and not is_kept(value_of(parts, direction)) else None


def absorbed_values(losses: Iterable[float], value: float, direction: Direction, is_kept: Kept) -> int:
    """The most rows that fall to their worst value, where it hurts most, with the gate silent.

    Args:
        losses: how much of the metric each row takes with it, 0 or more.
        value: the metric.
        direction: which way is better.
        is_kept: whether the gate keeps silent.
    """
    lost = list(accumulate(sorted((loss for loss in losses if loss > 0), reverse=True), initial=0.0))
    sign = -1 if direction == "higher" else 1
    return _last(len(lost) - 1, lambda rows: is_kept(round(value + sign * lost[rows], DECIMALS)))


def rows_that_do(must_notice: int, slack_pp: Decimal, parts: int) -> int | None:
    """The most rows that each part may have so that this many rows always cost more than the slack; None: any number.

    0 where not even one row in each part would do.
    """
    if slack_pp <= 0:
        return None
    return ceil(Fraction(100 * must_notice) / (parts * Fraction(slack_pp))) - 1


def rejects_from(level: float) -> int | None:
    """From how many lost cases on, none won, the paired test rejects: 2^-k <= level. None: it never does.

    Above `EXACT_CASES` differing cases its p-values are drawn, and none is smaller than 1 / (1 + draws).
    """
    fewest = next(k for k in range(2_000) if 0.5**k <= level)
    return None if fewest > EXACT_CASES and level < 1 / (1 + DRAWS) else fewest


def tail(profile: Profile, fewest: int, q: float) -> float:
    """How likely at least `fewest` cases differ when each right row turns wrong with probability q, in [0, 1].

    Exact but for rounding. O(groups * fewest^2).
    """
    if fewest <= 0:
        return 1.0
    if not 0 < q < 1:
        return float(q > 0 and sum(cases for _, cases in profile) >= fewest)
    below = list[float]()  # P(0 differ), P(1 differs), ... of the groups so far
    for rows, cases in profile:
        pmf = _binomial(cases, rows * log1p(-q), fewest)
        below = [sum(map(mul, below, pmf[j::-1])) for j in range(fewest)] if below else pmf
    return max(0.0, 1.0 - fsum(below)) if below else 0.0


@lru_cache(maxsize=256)
def chance_seen(profile: Profile, fewest: int, power: float) -> float | None:
    """The smallest q at which the test rejects with this power; None where it cannot: too few cases have a right row."""
    if sum(cases for _, cases in profile) < fewest:
        return None
    low, high = 0.0, min(1.0, fewest / sum(rows * cases for rows, cases in profile))
    at_low, at_high, moved = -power, tail(profile, fewest, high) - power, 0
    while at_high < 0:
        low, at_low, high = high, at_high, min(1.0, 2 * high)
        at_high = tail(profile, fewest, high) - power
    while at_high > CONVERGED and high - low > CONVERGED:  # the Illinois form of false position
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        found = tail(profile, fewest, middle) - power
        if abs(found) <= CONVERGED:
            return middle
        if found < 0:
            low, at_low, at_high, moved = middle, found, at_high / 2 if moved < 0 else at_high, -1
        else:
            high, at_high, at_low, moved = middle, found, at_low / 2 if moved > 0 else at_low, 1
    return high


def scaled(profile: Profile, cases: int, of: int) -> Profile:
    """The profile of `cases` cases in the mix of these `of` cases, every group rounded down."""
    return tuple((rows, count * cases // of) for rows, count in profile)


def cases_needed(profile: Profile, of: int, fewest: int, q: float, power: float = 0.8) -> int | None:
    """The fewest cases in the mix of these `of` cases with which the test finds q with this power; None: no number does."""

    def is_blind(cases: int) -> bool:
        return tail(scaled(profile, cases, of), fewest, q) < power

    if not profile or not 0 < q <= 1:
        return None
    most = of
    while is_blind(most):
        most *= 2
        if most > MOST_CASES:
            return None
    return _last(most, is_blind) + 1


@lru_cache(maxsize=256)
def false_alarm(cases: int, level: float) -> float:
    """How often the paired sign test rejects at most where nothing changed, whatever number of the cases differs.

    Given D differing cases of equal weight, each lost with probability 1/2, the size is P(X >= c), X ~ Binomial(D, 1/2), with
    the smallest c that keeps it at or under the level; the result is the largest size for D in 0..cases. O(cases).
    """
    largest, critical, size, at_critical = 0.0, 1, 0.0, 0.0
    below = 1.0  # P(X = critical - 1) with D cases
    for d in range(cases):  # from D = d to d + 1: P(X >= c) grows by P(X = c - 1) / 2
        size, at_critical = size + below / 2, (at_critical + below) / 2
        below = below * (d + 1) / (2 * (d + 2 - critical))
        if size > level:
            size = max(0.0, size - at_critical)
            below, at_critical = at_critical, at_critical * (d + 1 - critical) / (critical + 1)
            critical += 1
        largest = max(largest, size)
    return largest


def _last(most: int, holds: Callable[[int], bool]) -> int:
    """The last number in 0..most up to which a rule holds that holds for no number after one it does not; else 0."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _binomial(cases: int, stays: float, terms: int) -> list[float]:
    """P(X = 0), P(X = 1), ... of how many cases differ, so many terms, from the log, below 0, that one does not."""
    differs = log(-expm1(stays))
    return [exp(log(comb(cases, j)) + j * differs + (cases - j) * stays) if j <= cases else 0.0 for j in range(terms)]
