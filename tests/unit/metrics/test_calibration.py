"""The rules of the halves, the threshold and the counts."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.metrics.calibration import (
    MIN_PRECISION,
    KindCounts,
    LabelledPair,
    PairKind,
    choose_threshold,
    confusion,
    counts_by_kind,
    is_held_out,
)

SCORED = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=30)


@given(st.text(st.characters(codec="utf-8")))
def test_half_is_the_parity_of_the_digest_of_the_id(pair_id: str) -> None:
    assert is_held_out(pair_id) == bool(hashlib.sha256(pair_id.encode()).digest()[-1] % 2)


def test_threshold_is_the_midpoint_below_the_lowest_safe_positive() -> None:
    # Midpoints 0.3, 0.5, 0.7: only 0.5 and 0.7 have precision 1; 0.5 recalls both positives.
    scored = [(0.2, True), (0.4, False), (0.6, True), (0.8, True)]
    assert choose_threshold(scored) == 0.5


def test_threshold_is_rounded_to_four_decimals() -> None:
    assert choose_threshold([(0.33333, False), (0.66667, True), (1.0, True)]) == 0.5
    assert choose_threshold([(0.1, False), (0.22222, True)]) == 0.1611


def test_highest_of_equal_thresholds_is_chosen() -> None:
    # 50 positives at 0.9 and one negative at 0.5: 50/51 > 0.98, so 0.4 and 0.7 recall the same.
    scored = [(0.9, True)] * 50 + [(0.5, False), (0.3, False)]
    assert choose_threshold(scored) == 0.7


@given(SCORED)
def test_no_qualifying_candidate_recalls_more(scored: list[tuple[float, bool]]) -> None:
    try:
        chosen = choose_threshold(scored)
    except ValueError:
        assume(False)
    best, fp, _, _ = confusion(scored, chosen)
    assert best / (best + fp) >= MIN_PRECISION
    scores = sorted({score for score, _ in scored})
    for low, high in pairwise(scores):
        tp, fp, _, _ = confusion(scored, round((low + high) / 2, 4))
        assert tp <= best or tp / (tp + fp) < MIN_PRECISION


@pytest.mark.parametrize("scored", [[], [(0.9, True), (0.1, True)], [(0.9, False), (0.1, False)]])
def test_half_without_both_answers_is_refused(scored: list[tuple[float, bool]]) -> None:
    with pytest.raises(ValueError, match="expected some that are and some that are not"):
        choose_threshold(scored)


@pytest.mark.parametrize("scored", [[(0.9, False), (0.1, True)], [(0.5, False), (0.5, True)]], ids=["below", "level"])
def test_scores_without_a_precise_threshold_are_refused(scored: list[tuple[float, bool]]) -> None:
    with pytest.raises(ValueError, match=r"no threshold has a precision of 0\.98"):
        choose_threshold(scored)


def test_score_at_the_threshold_is_called_the_same() -> None:
    scored = [(0.5, True), (0.6, False), (0.4, True), (0.4, False), (0.1, False)]
    assert confusion(scored, 0.5) == (1, 1, 1, 2)


@given(SCORED, st.floats(0, 1))
def test_confusion_counts_every_pair_once(scored: list[tuple[float, bool]], threshold: float) -> None:
    assert sum(confusion(scored, threshold)) == len(scored)


def test_counts_by_kind_in_alphabetical_order() -> None:
    def pair(name: str, *, same: bool) -> LabelledPair:
        kind: PairKind = "form" if same else "number"
        return LabelledPair(id=name, a="a", b="b", same=same, kind=kind)

    scored = [
        (0.9, pair("1", same=False)),
        (0.8, pair("2", same=True)),
        (0.2, pair("3", same=True)),
    ]
    assert counts_by_kind(scored, 0.5) == (
        KindCounts(kind="form", same=2, recalled=1, different=0, false_positives=0),
        KindCounts(kind="number", same=0, recalled=0, different=1, false_positives=1),
    )
