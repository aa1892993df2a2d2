"""A similarity threshold as a measurement: labelled pairs, their two halves, and the choice.

Scores of pairs come in; a threshold chosen on one half and counts on the other go out. A pair
is called the same when its score is at least the threshold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal

from assay.digest import sha256_hex
from assay.model.base import Frozen

MIN_PRECISION = 0.98
DECIMALS = 4

PairKind = Literal["paraphrase", "form", "negation", "number", "name", "role_swap", "containment", "unrelated"]


class LabelledPair(Frozen):
    """Two one-sentence memories, and whether people judged them the same."""

    id: str
    a: str
    b: str
    same: bool
    kind: PairKind
    """How the pair was made."""


@dataclass(frozen=True)
class KindCounts:
    """What became of the pairs of one kind."""

    kind: PairKind
    same: int
    """Pairs that are the same."""
    recalled: int
    """Of those, the pairs called the same."""
    different: int
    """Pairs that are not the same."""
    false_positives: int
    """Of those, the pairs called the same."""


def is_held_out(pair_id: str) -> bool:
    """Whether a pair belongs to the half that judges the threshold and never chooses it."""
    return int(sha256_hex(pair_id.encode()), 16) % 2 == 1


def choose_threshold(scored: Sequence[tuple[float, bool]]) -> float:
    """The threshold with the highest recall of those with a precision of at least 0.98.

    Args:
        scored: (score, is the same) of each pair of one half.

    Candidates are the midpoints of neighbouring distinct scores, rounded to 4 decimals; ties go to
    the highest. Raises ValueError for a half without positives or without negatives, and when no
    candidate qualifies.
    """
    positives = sum(same for _, same in scored)
    if positives in (0, len(scored)):
        raise ValueError(
            f"scored: {positives} of {len(scored)} pairs are the same; expected some that are and some that are not"
        )
    scores = sorted({score for score, _ in scored})
    candidates = {round((low + high) / 2, DECIMALS) for low, high in pairwise(scores)}
    recalled = {t: tp for t in candidates if (tp := _recalled(scored, t))}
    if not recalled:
        raise ValueError(
            f"scored: no threshold has a precision of {MIN_PRECISION}, got {len(candidates)} "
            "candidates; expected scores that set the same pairs above the others"
        )
    return max(recalled, key=lambda threshold: (recalled[threshold], threshold))


def confusion(scored: Iterable[tuple[float, bool]], threshold: float) -> tuple[int, int, int, int]:
    """The counts (tp, fp, fn, tn) of pairs called the same at or above the threshold."""
    called = [(score >= threshold, same) for score, same in scored]
    return (
        called.count((True, True)),
        called.count((True, False)),
        called.count((False, True)),
        called.count((False, False)),
    )


def counts_by_kind(scored: Iterable[tuple[float, LabelledPair]], threshold: float) -> tuple[KindCounts, ...]:
    """Recalled pairs and false positives of each kind that occurs, kinds in alphabetical order."""
    ordered = sorted(scored, key=lambda item: item[1].kind)
    return tuple(
        _counts(kind, [(score, pair.same) for score, pair in group], threshold)
        for kind, group in groupby(ordered, key=lambda item: item[1].kind)
    )


def _recalled(scored: Sequence[tuple[float, bool]], threshold: float) -> int:
    """The true positives at the threshold, or 0 where its precision is too low."""
    tp, fp, _, _ = confusion(scored, threshold)
    return tp if tp and tp / (tp + fp) >= MIN_PRECISION else 0


def _counts(kind: PairKind, scored: list[tuple[float, bool]], threshold: float) -> KindCounts:
    tp, fp, fn, tn = confusion(scored, threshold)
    return KindCounts(kind=kind, same=tp + fn, recalled=tp, different=fp + tn, false_positives=fp)
