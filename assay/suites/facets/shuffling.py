"""replay, calibrate: which other task gives each task its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from assay.digest import sha256_hex
from assay.model.gold import GoldCase

SHUFFLE_SEED = 1
"""The one shuffle that is shown; the calibration says what many come to."""
Within = Literal["group", "scenario"]
"""Among which tasks answers are shuffled: all that one mean runs over, or those of one scenario, which share its records."""


def givers(cases: Sequence[GoldCase], answered: frozenset[str], seed: int, within: Within = "group") -> dict[str, str]:
    """For each task another answered one: the next on a ring that the seed orders. A task without another is left out.

    Where all are answered everyone gives once, and every other task is equally likely. The order of the cases never matters.
    """
    return dict(pair for names in _rings(cases, seed, within) for pair in _pairs(names, answered))


def _rings(cases: Sequence[GoldCase], seed: int, within: Within) -> list[list[str]]:
    rings: dict[str, list[str]] = {}
    for case in sorted(cases, key=lambda case: sha256_hex(f"{seed}:{case.id}".encode())):
        rings.setdefault(str(case.input[within]), []).append(case.id)
    return list(rings.values())


def _pairs(ring: Sequence[str], answered: frozenset[str]) -> Iterator[tuple[str, str]]:
    for at, name in enumerate(ring):
        giver = next((other for other in (*ring[at + 1 :], *ring[:at]) if other in answered), None)
        if giver is not None:
            yield name, giver
