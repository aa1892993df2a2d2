"""A smoke run's cases: a seeded sample that keeps every stratum in proportion."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from assay.digest import sha256_hex
from assay.model.gold import GoldCase


def sampled(cases: Sequence[GoldCase], size: int, seed: int) -> list[GoldCase]:
    """`size` of the cases in gold order; all of them when there are fewer. The same for the same ids, strata and seed.

    Every case has a fixed place in its stratum, drawn from its id and the seed; strata are dealt out in proportion to
    their size, so that a stratum of a tenth of the cases has about a tenth. Raises ValueError for a negative size.
    """
    if size < 0:
        raise ValueError(f"a sample cannot have a negative size, got {size}")
    chosen = {case.id for case in in_sample_order(cases, seed)[:size]}
    return [case for case in cases if case.id in chosen]


def in_sample_order(cases: Sequence[GoldCase], seed: int) -> list[GoldCase]:
    """All cases, such that the first few are the sample of that size, whatever the size."""
    strata: dict[tuple[str, ...], list[GoldCase]] = defaultdict(list)
    for case in sorted(cases, key=lambda c: sha256_hex(f"{seed}:{c.id}".encode())):
        strata[case.strata].append(case)
    places = [
        ((position + 0.5) / len(members), key, case.id, case)
        for key, members in sorted(strata.items())
        for position, case in enumerate(members)
    ]
    return [case for *_, case in sorted(places, key=lambda place: place[:3])]
