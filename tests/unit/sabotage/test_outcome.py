"""What becomes of a defect, from what its run looks like."""

from __future__ import annotations

from itertools import pairwise

import pytest

from assay.sabotage.defect import STRENGTHS, Defect, InOptions, Pick, Strength
from assay.sabotage.outcome import Fate, Seen, fate_of, mutant_of

CLEAN = Seen(verdict="PASS", unkept=(), outputs="clean")
NOTICED = Seen(verdict="FAIL", unkept=("max_drop.recall", "results"), outputs="x")


def defect(*must_notice: str, must_show: bool = False, strengths: tuple[Strength, ...] = STRENGTHS) -> Defect:
    return Defect("d", "system", InOptions({}), must_notice or ("max_drop.*",), must_show=must_show, strengths=strengths)


@pytest.mark.parametrize(
    ("seen", "must_notice", "fate", "by"),
    [
        (NOTICED, ("max_drop.*",), "killed", ("max_drop.recall",)),
        (NOTICED, ("results",), "killed", ("results",)),
        (NOTICED, ("result",), "killed by another", ("max_drop.recall", "results")),
        (Seen(verdict="NO VERDICT", unkept=("baseline",), outputs="x"), ("baseline",), "killed", ("baseline",)),
        (Seen(verdict="ERROR", unkept=("input",), outputs="x"), ("input",), "killed", ("input",)),
        (Seen(verdict="ERROR", unkept=("input",), outputs="x"), ("results",), "killed by another", ("input",)),
        (Seen(verdict="PASS", unkept=(), outputs="x"), ("results",), "survived", ()),
        (CLEAN, ("results",), "no evidence", ()),
        (Seen(verdict="ERROR", unkept=(), outputs="", crash="KeyError: 'a'"), ("input",), "crashed", ()),
    ],
)
def test_a_run_decides_the_fate(seen: Seen, must_notice: tuple[str, ...], fate: Fate, by: tuple[str, ...]) -> None:
    assert fate_of(defect(*must_notice), seen, CLEAN) == (fate, by)


def test_what_must_show_survives_where_a_clean_run_looks_the_same() -> None:
    assert fate_of(defect(must_show=True), CLEAN, CLEAN) == ("survived", ())


def test_killed_means_at_the_strongest_and_the_smallest_strength_is_told() -> None:
    weak = Seen(verdict="PASS", unkept=(), outputs="x")
    found = mutant_of(defect(), [("one case", weak), ("2 %", NOTICED), ("10 %", NOTICED)], CLEAN)
    assert (found.fate, found.strength) == ("killed", "2 %")
    lost = mutant_of(defect(), [("one case", NOTICED), ("10 %", weak)], CLEAN)
    assert (lost.fate, lost.strength) == ("survived", None)


def test_a_defect_of_one_strength_tells_none() -> None:
    assert mutant_of(defect(strengths=STRENGTHS[:1]), [("one case", NOTICED)], CLEAN).strength is None


def test_a_strength_hits_its_share_and_at_least_one_case() -> None:
    assert [[strength.of(total) for strength in STRENGTHS] for total in (5, 40, 160)] == [
        [1, 1, 1, 1],
        [1, 1, 2, 4],
        [1, 4, 8, 16],
    ]


def test_a_stronger_pick_holds_the_weaker_one_whatever_the_order_of_cases() -> None:
    ids = [f"case-{n}" for n in range(50)]
    picks = [Pick("d", strength).of(ids) for strength in STRENGTHS]
    assert all(set(weak) <= set(strong) for weak, strong in pairwise(picks))
    assert picks == [Pick("d", strength).of(reversed(ids)) for strength in STRENGTHS]
    assert Pick("e", STRENGTHS[-1]).of(ids) != picks[-1]
