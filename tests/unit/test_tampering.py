"""What eases passing is found by name, what makes it harder is not, and what is equal never is."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.acknowledgements import settled
from assay.model.exchange import ORACLE
from assay.model.verdict import CaseOutcome, Check
from assay.tampering import (
    NAMES,
    Finding,
    Side,
    added_cases,
    baseline_differs,
    dropped_metrics,
    findings,
    oracle_findings,
    removed_suite,
    unchanged_cases,
)
from tests.builders import calibration, metric
from tests.unit.sides import (
    CHECK,
    DECLARED,
    LIVE,
    A,
    B,
    baseline,
    block,
    check,
    declared,
    gold,
    manifest,
    objective,
    option,
    part,
    side,
    suite,
    whole,
)
from tests.unit.ways import WAYS, Way

IDS = [f"{way.name}: {way.what}"[:80] for way in WAYS]
NOT_OF_TWO_SIDES = {"removed suite", "altered baseline", "dropped metric", "oracle policy"}


@pytest.mark.parametrize("way", WAYS, ids=IDS)
def test_each_way_to_make_passing_easier_is_caught_by_name_and_place_with_both_values(way: Way) -> None:
    found = findings(*way.pair)
    assert [(one.name, one.place, one.what) for one in found] == [(way.name, way.place, way.what)]


@pytest.mark.parametrize("way", [way for way in WAYS if way.is_one_way], ids=lambda way: f"{way.name}: {way.what}"[:80])
def test_the_opposite_edit_makes_passing_harder_and_is_no_finding(way: Way) -> None:
    before, after = way.pair
    assert findings(after, before) == []


@pytest.mark.parametrize("way", [way for way in WAYS if not way.is_one_way], ids=lambda way: f"{way.name}: {way.what}"[:80])
def test_where_the_direction_cannot_be_told_the_opposite_edit_is_found_too(way: Way) -> None:
    before, after = way.pair
    assert findings(after, before) != []


def test_every_name_that_two_sides_can_have_is_among_the_ways() -> None:
    assert {way.name for way in WAYS} == set(NAMES) - NOT_OF_TWO_SIDES


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_short_lower_case_and_plain(name: str) -> None:
    assert name == name.lower()
    assert len(name) <= 24
    assert name.count(" ") == 1


def _shuffled(value: Any, order: random.Random) -> Any:
    """The same mapping with its keys in another order, all the way down."""
    if isinstance(value, dict):
        keys = order.sample(list(value), len(value))
        return {key: _shuffled(value[key], order) for key in keys}
    return value


@settings(deadline=None, max_examples=30)
@given(st.randoms(use_true_random=False), st.lists(st.sampled_from(WAYS), max_size=4))
def test_a_side_is_equal_to_itself_and_no_order_of_keys_counts(order: random.Random, ways: list[Way]) -> None:
    before = _together(ways, side())
    raw = before.suite.model_dump(mode="json", by_alias=True, exclude_unset=True)
    again = Side(
        suite=suite(_shuffled(raw, order)),
        cases=_shuffled(dict(before.cases), order),
        options=_shuffled(dict(before.options), order),
        baseline=before.baseline,
        manifests=_shuffled(dict(before.manifests), order),
        files=_shuffled(dict(before.files), order),
        calibration=before.calibration,
        scoring_code=_shuffled(dict(before.scoring_code), order),
        control_code=_shuffled(dict(before.control_code), order),
        gate_code=_shuffled(dict(before.gate_code), order),
    )
    assert findings(before, before) == []
    assert findings(before, again) == []


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(WAYS), min_size=1, max_size=8))
def test_each_acknowledgement_settles_exactly_its_own_finding(ways: list[Way]) -> None:
    found = findings(side(), _together(ways, side()))
    assert len({one.subject for one in found}) == len(found)
    for one in found:
        result = settled(found, one.acknowledgement.replace("...", "it was wrong"))
        assert result.acknowledged == ((one, "it was wrong"),)
        assert set(result.open) == set(found) - {one}
        assert (result.unused, result.malformed) == ((), ())


def _together(ways: list[Way], found: Side) -> Side:
    """All the edits one after the other; one whose place another took away is passed over."""
    for way in ways:
        try:
            found = way.edit(found)
        except (KeyError, ValueError):
            continue
    return found


HARDER = {
    "a metric is gated too": declared("gate", "metrics", to=["recall", "errors", "precision"]),
    "a floor for another metric": declared("gate", "floors", to={"recall": 0.5, "precision": 0.9}),
    "a ceiling for another metric": declared("gate", "ceilings", to={"errors": 0.1, "cost": 1}),
    "a case is added": part("cases", c4=gold("c4")),
    "another provider": declared("providers", "new", to={"enforcement": "ci", "model": "m"}),
    "another control": declared("providers", "new", to={**DECLARED["providers"]["good"], "model": "x"}),
    "a manual provider is gated": declared("providers", "tried", "enforcement", to="ci"),
    "a manual provider is gone": declared("providers", "tried", to=None),
    "another check": option("checks", to=[CHECK, {**CHECK, "name": "exact", "evaluator": "", "config": {}}, {"name": "more"}]),
    "another planted fault": option("planted", "stale", to="near"),
    "the audit counts another grade": option("audit", "grades", "retired", to=1),
    "an answer for an added case": lambda found: part("files", answers={"c1": A, "c2": A, "c3": A, "c4": A})(
        part("cases", c4=gold("c4"))(found)
    ),
    "code that nothing rested on": part("scoring_code", **{"desk.more__new": A}),
    "a model is recorded anew": part("manifests", recorded=manifest(body=B, at="2026-11-09T00:00:00+00:00")),
    "the same vectors on another day": part("manifests", recorded=manifest(at="2026-11-09T00:00:00+00:00")),
    "another model, recorded anew": lambda found: part(
        "manifests", recorded=manifest(body=B, at="2026-11-09T00:00:00+00:00", model_asked="m-9", model_served="m-9")
    )(declared("providers", "recorded", "model", to="m-9")(found)),
    "better numbers in the baseline": whole(baseline=baseline(c3=CaseOutcome(passed=False, score=0))),
    "constants measured at other inputs": whole(
        calibration=calibration(calibrated_at={"pairs": 10}, measured={"new": metric(0.7)})
    ),
    "another title": declared("title", to="Another desk"),
}


@pytest.mark.parametrize("edit", HARDER.values(), ids=HARDER)
def test_what_makes_passing_harder_or_changes_nothing_of_it_is_no_finding(edit: Any) -> None:
    assert findings(side(), edit(side())) == []


def test_an_objective_that_decides_nothing_is_as_good_as_none() -> None:
    plain, maximum = check(config={"normaliser": "nfkc"})(side()), objective(direction="maximize")(side())
    assert findings(plain, maximum) == []


def test_a_bound_of_suite_yaml_is_told_once_although_the_calibration_repeats_it() -> None:
    before = side(calibration=calibration(constants={"floor recall": 0.5}))
    after = declared("gate", "floors", "recall", to=0.4)(side(calibration=calibration(constants={"floor recall": 0.4})))
    assert [one.name for one in findings(before, after)] == ["lowered floor"]
    assert findings(after, before) == []


def test_another_cutoff_is_one_finding_although_it_renames_the_metrics() -> None:
    def at(k: int) -> Side:
        raw = {**DECLARED, "options": {"top_k": k}, "gate": {"metrics": ["recall@k"], "floors": {"recall@k": 0.5}}}
        control = {**DECLARED["providers"]["good"], "control": {"metric": "recall@k", "floor": 0.3}}
        raw["providers"] = {**DECLARED["providers"], "good": control}
        return side(suite=suite(raw).at_its_cutoff(), options={"top_k": k})

    assert [(one.name, one.what) for one in findings(at(5), at(10))] == [("changed option", "option top_k: 5 -> 10")]


def test_a_floor_lowered_together_with_the_cutoff_is_told_too() -> None:
    raw = {**DECLARED, "gate": {"metrics": ["recall@5"], "floors": {"recall@5": 0.5}}}
    later = {**DECLARED, "gate": {"metrics": ["recall@10"], "floors": {"recall@10": 0.4}}}
    before, after = side(suite=suite(raw), options={"top_k": 5}), side(suite=suite(later), options={"top_k": 10})
    assert [one.subject for one in findings(before, after)] == ["lowered floor desk/recall@5", "changed option desk/top_k"]


def test_code_that_a_control_and_the_scorer_share_is_told_as_the_scorers() -> None:
    after = part("control_code", good={"desk.app:good": A, "desk.words:fold": B})(
        part("scoring_code", **{"desk.words__fold": B})(side())
    )
    assert [one.subject for one in findings(side(), part("gate_code", **{"desk.words": B})(after))] == [
        "changed scorer desk/desk.words"
    ]


def test_a_case_is_named_by_a_digest_where_its_id_is_no_plain_word() -> None:
    odd = "c 2\nASSAY_ACK: lowered floor desk/recall because it is"
    before = part("cases", **{odd: gold(odd)})(side())
    (found,) = findings(before, side())
    assert found.detail == odd
    assert found.place.startswith("desk/sha256:")
    assert "\n" not in found.acknowledgement


def test_two_findings_at_one_place_become_one() -> None:
    both = part("manifests", recorded=manifest(ORACLE, B))(side())
    assert [one.name for one in findings(side(), both)] == ["re-authored recording", "edited recording"]
    check_both = check(advisory=True)(side())
    gone = option("checks", to=[{**CHECK, "name": "exact", "evaluator": "", "config": {}}])(check_both)
    assert [one.what for one in findings(side(), gone)] == ["the check near: levenshtein -> gone"]


def test_added_and_unchanged_cases_are_told_apart() -> None:
    after = part("cases", c1=None, c2=gold("c2", wanted="?"), c4=gold("c4"))(side())
    assert added_cases(side(), after) == ["c4"]
    assert unchanged_cases(side(), after) == {"c3"}


def test_a_suite_that_is_gone_is_a_finding() -> None:
    assert removed_suite(side()) == Finding("removed suite", "desk", "desk v1 with 3 cases -> gone")


def test_findings_come_by_name_and_then_by_place() -> None:
    after = part("cases", c1=None, c2=None)(declared("synthetic", to=False)(declared("gate", "floors", to={})(side())))
    assert [one.subject for one in findings(side(), after)] == [
        "removed case desk/c1",
        "removed case desk/c2",
        "lowered floor desk/recall",
        "flipped synthetic desk",
    ]


def test_only_what_changes_the_measure_says_so() -> None:
    after = part("scoring_code", **{"desk.words__fold": B})(declared("gate", "floors", to={})(side()))
    assert {one.name: one.changes_measure for one in findings(side(), after)} == {
        "lowered floor": False,
        "changed scorer": True,
    }


RECOMPUTED = ({"recall": metric(1.0)}, baseline().providers["p"].cases or {})  # type: ignore[union-attr]  # it has one


def test_a_baseline_that_is_what_the_recordings_come_to_is_no_finding() -> None:
    assert baseline_differs(baseline(), {"p": RECOMPUTED}) == []


def test_a_baseline_that_was_written_by_hand_is_found_with_both_values() -> None:
    easier = block(metrics={"recall": metric(0.9), "extra": metric(1.0)}, cases={"c1": CaseOutcome(passed=False, score=0)})
    (found,) = baseline_differs(baseline().model_copy(update={"providers": {"p": easier}}), {"p": RECOMPUTED})
    assert (found.name, found.place) == ("altered baseline", "desk/p")
    assert found.what == (
        "committed -> recomputed for p: extra 1.0 -> none, recall 0.9 -> 1.0; 2 cases not committed (c2, c3); "
        "1 cases with another outcome (c1)"
    )


@pytest.mark.parametrize("value", [0.9, 1.0 - 1e-9])
def test_a_baseline_differs_by_more_than_the_rounding_of_two_computers(value: float) -> None:
    other = ({"recall": metric(1.0).model_copy(update={"value": value})}, RECOMPUTED[1])
    assert baseline_differs(baseline(), {"p": other}) != []


def test_a_baseline_does_not_differ_by_the_rounding_of_two_computers() -> None:
    other = ({"recall": metric(1.0).model_copy(update={"value": 1.0 - 1e-15})}, RECOMPUTED[1])
    assert baseline_differs(baseline(), {"p": other}) == []


def test_a_gated_block_that_nothing_was_recomputed_for_differs() -> None:
    (found,) = baseline_differs(baseline(), {})
    assert found.what == "committed -> recomputed for p: nothing could be recomputed for it"


@pytest.mark.parametrize("other", [block("manual"), block(metrics=None), block(cases=None), None])
def test_only_gated_blocks_with_numbers_are_recomputed(other: Any) -> None:
    assert baseline_differs(baseline().model_copy(update={"providers": {"p": other}}), {}) == []


def test_a_metric_with_other_parts_differs_although_its_value_does_not() -> None:
    parts = metric(1.0).model_copy(update={"numerator": 50.0})
    (found,) = baseline_differs(baseline(), {"p": ({"recall": parts}, RECOMPUTED[1])})
    assert found.what == "committed -> recomputed for p: recall of 1.0, whose parts differ"


def test_only_a_broken_oracle_check_over_an_oracle_recording_may_be_acknowledged() -> None:
    def checks(status: str) -> list[Check]:
        return [Check(name="oracle_policy.recorded", status=status, message="prompt.md changed")]  # type: ignore[arg-type]  # any

    oracle, live = side(manifests={"recorded": manifest(ORACLE)}), side(manifests={"recorded": manifest(LIVE)})
    assert oracle_findings(checks("broken"), oracle) == [Finding("oracle policy", "desk", "prompt.md changed", "recorded")]
    assert oracle_findings(checks("kept"), oracle) == []
    assert oracle_findings(checks("broken"), live) == []
    assert oracle_findings(checks("broken"), replace(oracle, manifests={})) == []


def test_a_metric_that_dropped_against_the_merge_base_is_a_finding_of_its_own() -> None:
    checks = [
        Check(name="base.recall", status="broken", message="recall 0.5 against 0.9"),
        Check(name="base.errors", status="could-not-run", message="undefined"),
        Check(name="max_drop.recall", status="broken", message="elsewhere"),
    ]
    assert [one.subject for one in dropped_metrics("desk", "p", checks)] == ["dropped metric desk/p/recall"]
