"""The exact interval of a share."""

from __future__ import annotations


def exact_interval(successes: int, n: int) -> tuple[float, float]:
    """The 95 % Clopper-Pearson interval of `successes` of `n`; (0, 1) when n is 0.

    Source: C. Clopper, E. Pearson, The use of confidence or fiducial limits, Biometrika 26 (1934).
    """
    from scipy.special import betaincinv

    low = float(betaincinv(successes, n - successes + 1, 0.025)) if successes else 0.0
    high = float(betaincinv(successes + 1, n - successes, 0.975)) if successes < n else 1.0
    return low, high
