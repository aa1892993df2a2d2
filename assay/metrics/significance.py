"""Paired tests for live numbers: exact where the number of discordant cases allows it, seeded where it does not.

All are one-sided: they ask whether the candidate is worse than the baseline on the same cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXACT_CASES = 12
"""Up to this many differing cases all sign patterns are enumerated (4,096); above, patterns are drawn."""
DRAWS = 9_999
ROUNDING = 1e-12


@dataclass(frozen=True)
class PairedTest:
    """How likely a drop at least as large is when only chance decides which side each case's result came from."""

    drop: float
    """Baseline minus candidate, in the measure's own unit; positive is worse."""
    p_value: float
    null_drops: NDArray[np.float64]
    """The drops that chance gives, shape (patterns,)."""


def mcnemar_p(lost: int, won: int) -> float:
    """The exact one-sided p-value of losing `lost` cases and winning `won`: P(X >= lost), X ~ Binomial(lost + won, 1/2).

    Source: Q. McNemar, Psychometrika 12 (1947) 153-157, in its exact form; equal to scipy's
    `binomtest(lost, lost + won, alternative="greater")`. No discordant case gives 1. Raises ValueError for negative counts.
    """
    if lost < 0 or won < 0:
        raise ValueError("counts of cases are not negative")
    n = lost + won
    return float(sum(comb(n, k) for k in range(lost, n + 1)) / 2**n)


def paired_test(
    baseline: NDArray[np.float64],
    candidate: NDArray[np.float64],
    value: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    seed: int = 0,
) -> PairedTest:
    """The approximate randomisation test of a drop in any measure of summed counts.

    Args:
        baseline: float64, shape (cases, counts).
        candidate: the same cases in the same order.
        value: the measure of summed counts, (resamples, counts) -> (resamples,), higher is better.
        seed: for the drawn patterns.

    Under the null hypothesis each case's two results could as well have been swapped; every pattern of swaps gives a drop.
    With up to 12 differing cases all patterns are tried and the p-value is exact; above, it is (1 + hits) / (1 + draws),
    which is never too small. Source: E. W. Noreen, Computer-Intensive Methods for Testing Hypotheses (1989).
    A pattern whose drop is undefined counts against the baseline, so that it never helps to reject.
    """
    import numpy as np

    difference = candidate - baseline
    differing = difference[np.any(difference != 0, axis=1)]
    signs = _patterns(len(differing), seed)
    middle = (baseline.sum(axis=0) + candidate.sum(axis=0)) / 2
    half = signs @ differing / 2
    drops = value(middle - half) - value(middle + half)
    observed = float((value(baseline.sum(axis=0)[None]) - value(candidate.sum(axis=0)[None]))[0])
    if np.isnan(observed):
        return PairedTest(observed, 1.0, drops)
    hits = np.isnan(drops) | (drops >= observed - ROUNDING)
    exact = len(differing) <= EXACT_CASES
    p_value = float(hits.mean()) if exact else (1 + int(hits.sum())) / (1 + len(drops))
    return PairedTest(observed, p_value, drops)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjusted p-values: each in [0, 1], and no smaller than it was.

    Source: S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70. No p-values give an empty result.
    """
    adjusted: dict[str, float] = {}
    highest = 0.0
    for rank, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: (item[1], item[0]))):
        highest = max(highest, min(1.0, p * (len(p_values) - rank)))
        adjusted[name] = highest
    return adjusted


def detectable_drop(null_drops: NDArray[np.float64], alpha: float, *, cases: float, power: float = 0.8) -> float | None:
    """The smallest true drop that the test finds with the given power, if noise is as the null patterns show it.

    Args:
        null_drops: what chance gives, shape (patterns,); an undefined drop counts as too large, as it does in the test.
        alpha: the level at which the test rejects.
        cases: how many cases of equal weight the measure rests on, see `assay.metrics.ratios.effective_cases`.
        power: how often the drop is to be found.

    With noise alone d = N, N = quantile(1 - alpha) - quantile(1 - power). But lost cases differ too: d * cases of weight
    1 / cases add d / cases to the variance of the null distribution and d (1 - d) / cases to that of the drop. With W their
    mean and Z the distance in standard deviations of a normal distribution, d^2 = N^2 + Z^2 W. Never less than what loses
    enough cases to reject at all (k lost and none won give 2^-k) with that power, when losses are binomial. Returns None where
    no loss could reject.
    """
    from math import ceil, floor, log2, sqrt
    from statistics import NormalDist

    import numpy as np
    from scipy.special import betaincinv

    fewest = ceil(-log2(alpha))
    if fewest > floor(cases) or not len(null_drops) or np.isnan(null_drops).mean() > alpha:
        return None
    upper = float(np.quantile(np.where(np.isnan(null_drops), np.inf, null_drops), 1 - alpha, method="inverted_cdf"))
    noise = upper - float(np.nanquantile(null_drops, 1 - power))
    widening = (NormalDist().inv_cdf(1 - alpha) + NormalDist().inv_cdf(power)) ** 2 / cases
    least = float(betaincinv(fewest, cases - fewest + 1, power))
    curve = 1 + widening / 2
    return min(1.0, max(least, (widening + sqrt(widening**2 + 4 * curve * noise**2)) / (2 * curve)))


def _patterns(cases: int, seed: int) -> NDArray[np.float64]:
    """Sign patterns, shape (patterns, cases)."""
    import numpy as np

    if cases <= EXACT_CASES:
        every: Sequence[tuple[float, ...]] = list(product((1.0, -1.0), repeat=cases))
        return np.array(every).reshape(len(every), cases)
    draws = np.random.default_rng(seed).integers(0, 2, size=(DRAWS, cases))
    return np.where(draws == 1, 1.0, -1.0)
