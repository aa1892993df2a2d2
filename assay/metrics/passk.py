"""Measures of runs against rules and of repeats: cases passed, rules kept, first violation, pass^k. Numbers in, metrics out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb

from assay.metrics.intervals import wilson
from assay.metrics.proportions import DECIMALS, proportion, undefined
from assay.model.verdict import Metric


def cases_passed(passed: int, cases: int) -> Metric:
    """Passed / cases in [0, 1]; undefined without cases."""
    return proportion(passed, cases, "cases")


def rules_kept(kept: int, broken: int) -> Metric:
    """Kept / (kept + broken) in [0, 1]. What could not run is in neither count; undefined when nothing ran."""
    return proportion(kept, kept + broken, "rules that could run")


def first_violation(positions: Iterable[int | None]) -> int | None:
    """The earliest position, from 0, at which any rule was broken; None when none was."""
    return min((position for position in positions if position is not None), default=None)


def pass_k(successes: int, repeats: int, k: int) -> float:
    """The chance that k repeats drawn without replacement all succeed: C(c, k) / C(n, k), in [0, 1].

    The unbiased estimate of p^k for one task with c successes in n repeats. Source: S. Yao et al., tau-bench, arXiv 2406.12045
    (2024), where it is called pass^k; not pass@k, which asks for one success among k. Raises ValueError unless 1 <= k <= n and
    0 <= c <= n.
    """
    if not 1 <= k <= repeats:
        raise ValueError(f"pass^{k} of {repeats} repeats is undefined; k lies in 1..{repeats}")
    if not 0 <= successes <= repeats:
        raise ValueError(f"{successes} successes in {repeats} repeats")
    return comb(successes, k) / comb(repeats, k)


def mean_pass_k(tasks: Sequence[tuple[int, int]], k: int) -> Metric:
    """pass^k: the unweighted mean of `pass_k` over tasks, each given as (successes, repeats); n is the number of tasks.

    Undefined without tasks, and when any task has fewer than k repeats: leaving it out would measure other tasks. The interval
    is Wilson's over tasks; it is rather too wide, since a mean of values in [0, 1] varies at most as a proportion does.
    """
    short = sum(repeats < k for _, repeats in tasks)
    if not tasks or short:
        return undefined(f"{short} of {len(tasks)} tasks have fewer than {k} repeats" if tasks else "no tasks")
    total = sum(sorted(pass_k(successes, repeats, k) for successes, repeats in tasks))
    low, high = wilson(min(total, len(tasks)), len(tasks))
    return Metric(
        value=round(total / len(tasks), DECIMALS),
        n=len(tasks),
        numerator=round(total, DECIMALS),
        denominator=len(tasks),
        low=round(low, DECIMALS),
        high=round(high, DECIMALS),
    )
