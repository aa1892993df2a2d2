"""Chance by shuffling, by hand; and the calibration that holds only at its inputs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError, Refused
from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.model.ports import Setting
from assay.model.suite import Provider
from assay.suites.facets.calibration import chance, check, inputs_of
from assay.suites.facets.chance import chance_of
from assay.suites.facets.shuffling import givers
from assay.suites.facets.thresholds import calibrate
from tests.unit.suites.facets.facet_builders import case, said

CASES = [case("a1", name="s/t1"), case("b2", name="s/t2"), case("c3", name="r/t1"), case("d4", name="r/t2", group="bundled")]
ANSWERS: dict[str, tuple[Outcome, ...]] = {
    "s/t1": (said("a1 b2"),),
    "s/t2": (said("b2"),),
    "r/t1": (said("c3"),),
    "r/t2": (said("d4"),),
}


def setting(**changes: Any) -> Setting:
    subjects = {"ours": Provider(enforcement="ci", model="m")}
    found = Setting(
        suite="facets",
        version="v1",
        cases=CASES,
        files={"one": ("v1/one.yaml", b"1"), "calibration": ("v1/calibration.json", b"{}")},
        options={},
        subjects=subjects,
        constants={"floor facet_recall": 0.9},
        code_sha256="f",
        answers={"ours": ANSWERS},
    )
    return replace(found, **changes)


@cache
def calibration() -> bytes:
    return calibrate(setting())


def calibrated(**changes: Any) -> Setting:
    found = setting()
    return replace(found, files={**found.files, "calibration": ("calibration.json", calibration())}, **changes)


def test_a_shuffle_within_scenarios_of_two_is_a_swap() -> None:
    # s/t1 gets "b2" and lacks a1: 0; s/t2 gets "a1 b2": 1; r/t1 has no other of its group in r, but within the scenario: 0
    found = chance_of(CASES, ANSWERS, range(5), within="scenario")
    assert found["facet_recall"].mean == round(1 / 3, 12)
    assert found["facet_recall"].quantile == round(1 / 3, 12)
    assert found["bundled_facet_recall"].mean == 0
    assert "degraded_facet_recall" not in found


def test_a_shuffle_within_the_group_is_one_of_two_rings() -> None:
    # of the rings of three, t1 -> t2 -> r1 gives t2 what r1 said, the other gives it what t1 said, "a1 b2": 1 of 3 tasks
    drawn = {chance_of(CASES, ANSWERS, [seed])["facet_recall"].mean for seed in range(40)}
    assert drawn == {0.0, round(1 / 3, 12)}
    assert chance_of(CASES, ANSWERS, range(40))["facet_recall"].quantile == round(1 / 3, 12)


def test_nothing_to_shuffle_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to shuffle"):
        chance_of(CASES[:1], ANSWERS, [1])
    with pytest.raises(InputError, match="nothing to shuffle"):
        chance_of(CASES, ANSWERS, [])


@given(st.integers(2, 9), st.integers(0, 99), st.randoms())
def test_givers_are_a_derangement_whatever_the_order(n: int, seed: int, random: Any) -> None:
    cases: list[GoldCase] = [case(name=f"s/t{at}") for at in range(n)]
    found = givers(cases, frozenset(one.id for one in cases), seed)
    assert sorted(found.values()) == sorted(found) == sorted(one.id for one in cases)
    assert all(giver != name for name, giver in found.items())
    random.shuffle(cases)
    assert givers(cases, frozenset(one.id for one in cases), seed) == found


def test_what_is_not_answered_gives_nothing() -> None:
    found = givers(CASES, frozenset({"s/t1"}), 1)
    assert found == {"s/t2": "s/t1", "r/t1": "s/t1"}


def test_a_calibration_holds_at_its_inputs() -> None:
    (kept,) = check(calibrated())
    assert kept.status == "kept"
    assert kept.message.startswith(
        "Bounds (floor facet_recall 0.9) measured on 4 tasks. Answers of ours given to any other task"
    )
    found = chance("facet_recall", calibrated())
    assert found is not None
    assert (found.quantile, chance("mean_weighted_score", calibrated())) == (round(1 / 3, 12), None)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"version": "v2"}, "gold_version (it is another set of tasks)"),
        ({"cases": CASES[:3]}, "tasks (each mean runs over other tasks)"),
        ({"options": {"seed": 1}}, "options_sha256"),
        ({"code_sha256": "g"}, "finding_sha256 (what counts as found changed)"),
        ({"subjects": {}}, "subjects"),
        ({"constants": {"floor facet_recall": 0.8}}, "not those that were justified (floor facet_recall 0.9)"),
    ],
)
def test_at_other_inputs_it_could_not_run(changes: dict[str, Any], told: str) -> None:
    (found,) = check(calibrated(**changes))
    assert found.status == "could-not-run"
    assert told in found.message
    assert "assay calibrate facets" in found.message


def test_an_edited_scenario_moves_the_inputs_and_a_folder_does_not() -> None:
    edited = setting(files={"one": ("v1/one.yaml", b"2")})
    elsewhere = setting(files={"one": ("one.yaml", b"1")})
    assert inputs_of(edited)["scenarios_sha256"] != inputs_of(setting())["scenarios_sha256"]
    assert inputs_of(elsewhere) == inputs_of(setting())


def test_audit_limits_are_no_input() -> None:
    assert inputs_of(setting(options={"audit": {"common_limit": 0.5}})) == inputs_of(setting())


@pytest.mark.parametrize(
    ("constants", "told"),
    [
        (
            {"floor facet_recall": 0.2},
            "floor facet_recall: cannot be missed, got 0.2; expected more than 0.3333, which luck reaches.",
        ),
        ({"floor bundled_facet_recall": 1.5}, "floor bundled_facet_recall: is broken by ours, which measured 1.0000, got 1.5."),
        ({"ceiling throttle_events": -1.0}, "ceiling throttle_events: is broken by ours, which measured 0.0000, got -1.0."),
    ],
)
def test_an_unjustified_bound_is_refused(constants: dict[str, float], told: str) -> None:
    with pytest.raises(Refused) as found:
        calibrate(setting(constants=constants))
    assert str(found.value) == told


def test_without_a_gated_subject_there_is_nothing_to_calibrate() -> None:
    with pytest.raises(Refused, match="no gated subject has answers"):
        calibrate(setting(answers={}))
