"""What must come out a known way, and what follows when it does not, branch by branch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from assay.controls import control_checks
from assay.luck import CHANCE_FACTOR, ceiling_of
from assay.model.baseline import Baseline
from assay.model.report import Evidence, FailedCase, RunFacts
from assay.model.score import Measure
from assay.model.suite import GateRule, Role
from assay.model.verdict import Check, Metric
from tests.builders import baseline_of, chance, control_evidence, evidence, facts, metric

LUCK = chance(0.1, 0.2)
"""Its ceiling is 0.25: 2.5 x 0.1 tops the quantile."""


def control(role: Role, value: float | None, **changes: Any) -> Evidence:
    return control_evidence(role, {"recall": metric(value)}, **changes)


def subject(value: float | None = 0.9, **changes: Any) -> Evidence:
    return evidence({"recall": metric(value)}, **changes)


def run(
    *, floors: Mapping[str, float] | None = None, tolerance: float = 3.0, luck: bool = True, **measures: Measure
) -> RunFacts:
    """A run whose negative control is `c`."""
    rule = GateRule(metrics=("recall",), max_drop_pp=tolerance, floors=dict(floors or {}))
    return facts(rule=rule, chance={"c": LUCK} if luck else {}, measures={"recall": Measure(), **measures})


def checked(
    found: Evidence, about: RunFacts | None = None, before: Baseline | None = None, **subjects: Evidence
) -> list[Check]:
    return list(control_checks({"c": found, **(subjects or {"p": subject()})}, before, about or run()))


def only(
    found: Evidence, about: RunFacts | None = None, before: Baseline | None = None, **subjects: Evidence
) -> tuple[str, str]:
    (check,) = checked(found, about, before, **subjects)
    assert check.name == "control.c"
    return check.status, check.message


@pytest.mark.parametrize(("mean", "quantile", "ceiling"), [(0.1, 0.2, 0.25), (0.1, 0.3, 0.3), (0.0, 0.0, 0.0)])
def test_ceiling_is_the_larger_of_two_and_a_half_times_the_mean_and_the_quantile(
    mean: float, quantile: float, ceiling: float
) -> None:
    assert CHANCE_FACTOR == 2.5
    assert ceiling_of(chance(mean, quantile), Measure()) == ceiling


@pytest.mark.parametrize("role", ["negative_control", "trivial_strategy"])
@pytest.mark.parametrize("status", ["unanswered", "missing", "crashed"])
def test_a_control_that_answers_nothing_is_not_taken_for_a_bad_answer(role: Role, status: str) -> None:
    lost = {"c2": FailedCase(status=status, reason="Traceback\nRuntimeError: dead", detail={})}
    told = f"the {role.replace('_', ' ')} answered 2 of 3 cases (RuntimeError: dead)"
    assert only(control(role, 0.0, failed=lost)) == ("could-not-run", told)


def test_a_control_that_answers_wrongly_is_judged_by_its_number() -> None:
    wrong = {"c2": FailedCase(status="scored", reason=None, detail={})}
    assert only(control("negative_control", 0.0, failed=wrong))[0] == "kept"


def test_a_positive_control_at_its_floor_is_kept() -> None:
    told = "recall of the positive control is 0.5000 (n=100), at least 0.5"
    assert only(control("positive_control", 0.5)) == ("kept", told)


def test_a_positive_control_under_its_floor_breaks_however_good_the_subject() -> None:
    told = (
        "recall of the positive control is 0.4990 (n=100), under its floor of 0.5: what it rests on is dead, "
        "so no win over it counts"
    )
    assert only(control("positive_control", 0.499), p=subject(1.0)) == ("broken", told)


def test_a_negative_control_at_its_ceiling_is_kept_and_over_it_breaks() -> None:
    said = "luck gives 0.1000, and at most 0.2500 passes for it (drawn)"
    at = ("kept", f"recall of the negative control is 0.2500 (n=100); {said}")
    assert only(control("negative_control", 0.25)) == at
    over = f"recall of the negative control is 0.2600 (n=100); {said}: something carries meaning that must not"
    assert only(control("negative_control", 0.26)) == ("broken", over)


def test_a_negative_control_is_nothing_where_its_luck_is_unknown() -> None:
    told = "nothing tells what recall comes to by luck"
    assert only(control("negative_control", 0.0), run(luck=False)) == ("could-not-run", told)


def test_a_ceiling_over_the_floor_of_a_subject_proves_nothing() -> None:
    # Baseline 0.28 less 3 pp is a floor of 0.25, which the ceiling reaches; at 0.281 the floor lies above it.
    status, told = only(control("negative_control", 0.1), before=baseline_of(subject(0.28)))
    assert (status, told.split("; ")[1].split(" (drawn)")[1]) == (
        "could-not-run",
        ", which tops the floor of p (0.2500): it proves nothing here",
    )
    assert only(control("negative_control", 0.1), before=baseline_of(subject(0.281)))[0] == "kept"


@pytest.mark.parametrize(("floor", "status"), [(0.25, "could-not-run"), (0.26, "kept")])
def test_a_declared_floor_is_what_a_ceiling_must_not_reach(floor: float, status: str) -> None:
    found = checked(control("negative_control", 0.1), run(floors={"recall": floor}))
    assert found[0].status == status


def test_of_a_declared_floor_and_the_baseline_the_higher_one_counts() -> None:
    found = checked(control("negative_control", 0.1), run(floors={"recall": 0.2}), baseline_of(subject(0.9)))
    assert found[0].status == "kept"


def test_a_subject_of_which_nothing_is_claimed_has_no_floor_to_be_topped() -> None:
    humble = subject(0.1, claims="none")
    assert only(control("negative_control", 0.1), before=baseline_of(subject(0.1)), p=humble)[0] == "kept"


def test_a_subject_without_a_floor_is_not_topped() -> None:
    assert only(control("negative_control", 0.1))[0] == "kept"


def test_a_trivial_strategy_behind_by_more_than_the_tolerance_is_kept() -> None:
    told = "recall of the trivial strategy is 0.8690 (n=100); more than 3.0 pp behind p 0.9000"
    assert only(control("trivial_strategy", 0.869)) == ("kept", told)


@pytest.mark.parametrize("value", [0.87, 0.9, 1.0])
def test_a_trivial_strategy_within_the_tolerance_or_ahead_breaks(value: float) -> None:
    told = (
        f"recall of the trivial strategy is {value:.4f} (n=100), within 3.0 pp of p 0.9000: "
        "the suite would take it for the subject"
    )
    assert only(control("trivial_strategy", value)) == ("broken", told)


def test_where_lower_is_better_a_trivial_strategy_is_behind_when_it_is_higher() -> None:
    about = run(recall=Measure(direction="lower"))
    assert only(control("trivial_strategy", 0.95), about)[0] == "kept"
    assert only(control("trivial_strategy", 0.5), about)[0] == "broken"


def test_a_trivial_strategy_is_held_against_every_gated_subject() -> None:
    both = {"p": subject(0.9), "q": subject(0.5)}
    status, told = only(control("trivial_strategy", 0.5), **both)
    assert (status, "within 3.0 pp of q 0.5000:" in told) == ("broken", True)
    told = "recall of the trivial strategy is 0.1000 (n=100); more than 3.0 pp behind p 0.9000, q 0.5000"
    assert only(control("trivial_strategy", 0.1), **both) == ("kept", told)


def test_a_subject_of_which_nothing_is_claimed_is_reported_and_not_failed() -> None:
    found = {"p": subject(0.9), "q": subject(0.1, claims="none")}
    told = (
        "recall of the trivial strategy is 0.1000 (n=100); more than 3.0 pp behind p 0.9000; not behind q 0.1000, "
        "of which nothing is claimed"
    )
    assert only(control("trivial_strategy", 0.1), **found) == ("kept", told)


def test_a_subject_whose_metric_is_undefined_is_never_taken_to_be_ahead() -> None:
    status, told = only(control("trivial_strategy", 0.1), p=subject(None))
    assert status != "kept"
    assert "p (undefined)" in told


def test_an_undefined_subject_of_which_nothing_is_claimed_is_reported_and_not_failed() -> None:
    status, told = only(control("trivial_strategy", 0.1), p=subject(0.9), q=subject(None, claims="none"))
    assert (status, "not behind q (undefined), of which nothing is claimed" in told) == ("kept", True)


@pytest.mark.parametrize(
    "others", [{"p": evidence({})}, {"p": subject(0.9, enforcement="manual")}], ids=["without numbers", "manual"]
)
def test_a_trivial_strategy_beside_no_gated_numbers_could_not_run(others: dict[str, Evidence]) -> None:
    told = "recall of the trivial strategy is 0.1000 (n=100); no gated subject has numbers beside it"
    assert only(control("trivial_strategy", 0.1), **others) == ("could-not-run", told)


def test_a_subject_without_numbers_is_not_taken_for_a_bad_one() -> None:
    status, told = only(control("trivial_strategy", 0.1), p=subject(0.9), q=evidence({}))
    assert (status, "q" in told.split("behind")[1]) == ("kept", False)


@pytest.mark.parametrize("role", ["positive_control", "negative_control", "trivial_strategy"])
@pytest.mark.parametrize(
    ("metrics", "why"),
    [({}, "it has no numbers"), ({"recall": metric(None)}, "no rows"), ({"other": metric(1.0)}, "it has no numbers")],
)
def test_a_control_whose_metric_is_undefined_could_not_run_and_is_no_zero(
    role: Role, metrics: dict[str, Metric], why: str
) -> None:
    told = f"recall of the {role.replace('_', ' ')} is unknown: {why}"
    assert only(control_evidence(role, metrics)) == ("could-not-run", told)


def test_a_subject_alone_has_no_control_to_check() -> None:
    assert list(control_checks({"p": subject()}, None, run())) == []


def saturated(floors: Mapping[str, float]) -> list[tuple[str, str, str]]:
    found = checked(control("negative_control", 0.1), run(floors=floors))
    return [(c.name, c.status, c.message) for c in found if c.name != "control.c"]


def test_a_floor_that_luck_reaches_cannot_be_missed() -> None:
    told = "the floor of 0.25 cannot be missed: luck alone reaches 0.2500"
    assert saturated({"recall": 0.25}) == [("saturated.recall", "could-not-run", told)]


def test_a_floor_over_what_luck_reaches_or_of_a_metric_whose_luck_is_unknown_is_no_matter() -> None:
    assert saturated({"recall": 0.2501, "mrr": 0.01}) == []
