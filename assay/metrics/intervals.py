"""Two-sided confidence intervals for proportions and for macro means of proportions, in closed form.

Deterministic and never of zero width at 0 or 1, where a bootstrap would claim certainty. They treat rows as independent;
rows of one conversation are not quite, so read them as the least uncertainty there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

Z95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


T95 = (
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
    2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963,
    2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272,
)  # fmt: skip
"""The 97.5 % quantiles of Student's t with 1 to 30 degrees of freedom."""


def student_95(freedom: int) -> float:
    """The 97.5 % quantile of Student's t, to five decimals: from a table up to 30 degrees of freedom, then by expansion.

    Source: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 26.7.5. Raises ValueError below 1.
    """
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom; expected 1 or more")
    if freedom <= len(T95):
        return T95[freedom - 1]
    z = Z95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1))


def wilson(successes: float, n: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval for `successes` out of `n`, in [0, 1].

    Source: E. B. Wilson, JASA 22 (1927) 209-212; equal to statsmodels' `proportion_confint(method="wilson")`.
    Raises ValueError when n is 0 (a proportion of nothing is undefined) or successes lies outside 0..n.
    """
    if n <= 0 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes out of {n} is not a proportion")
    p = successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high


def macro_mean(parts: Sequence[tuple[float, int]], z: float = Z95) -> tuple[float, float]:
    """The interval of the unweighted mean of proportions, each given as (successes, n).

    MOVER over Wilson intervals: G. Y. Zou, A. Donner, Statistics in Medicine 27 (2008) 1693-1702. One part gives Wilson.
    Raises ValueError when `parts` is empty or holds a part of nothing.
    """
    if not parts:
        raise ValueError("a mean of no proportions is undefined")
    share = 1 / len(parts)
    limits = [wilson(successes, n, z) for successes, n in parts]
    points = [successes / n for successes, n in parts]
    mean = sum(points) * share
    below = sqrt(sum((share * (p - low)) ** 2 for p, (low, _) in zip(points, limits, strict=True)))
    above = sqrt(sum((share * (high - p)) ** 2 for p, (_, high) in zip(points, limits, strict=True)))
    return max(0.0, mean - below), min(1.0, mean + above)
