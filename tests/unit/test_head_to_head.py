"""A subject against a positive control or another subject: who won where, what is left out and why, and the paired mean."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from assay.head_to_head import head_to_heads
from assay.model.report import Evidence, HeadToHead, RunFacts
from assay.model.score import Measure, Ratio
from assay.model.verdict import CaseOutcome
from tests.builders import control_evidence, evidence, facts, metric

SHARE = Measure(ratios=(Ratio(numerator="recall", denominator="recall of", of="queries", values="shares"),))
MACRO = Measure(
    ratios=(Ratio(numerator="a", denominator="a of", of="a"), Ratio(numerator="b", denominator="b of", of="b")),
    mean_of="letter",
)
NAMES = [f"q{i}" for i in range(9)]


def case(value: float | None, left_out: str | None = None, score: float = 0.0) -> CaseOutcome:
    """A query with this recall; None has none."""
    counts: dict[str, Any] = {} if value is None else {"recall": value, "recall of": 1}
    return CaseOutcome(passed=False, score=score, counts=counts, left_out=left_out)


def run(measure: Measure = SHARE) -> RunFacts:
    return facts(measures={"recall": measure})


def subject(cases: dict[str, CaseOutcome], **changes: Any) -> Evidence:
    return evidence({"recall": metric(0.5)}, cases=cases, **changes)


def positive(cases: dict[str, CaseOutcome]) -> Evidence:
    return control_evidence("positive_control", {"recall": metric(0.5)}, cases=cases)


def against(ours: dict[str, CaseOutcome], theirs: dict[str, CaseOutcome], measure: Measure = SHARE) -> HeadToHead:
    (found,) = head_to_heads({"p": subject(ours), "k": positive(theirs)}, run(measure))
    name = "recall" if len(measure.ratios) == 1 else "case score"
    assert (found.subject, found.against, found.metric) == ("p", "k", name)
    return found


def recalls(*values: float | None) -> dict[str, CaseOutcome]:
    return {name: case(value) for name, value in zip(NAMES, values, strict=False)}


def test_wins_losses_and_ties_are_told_by_case_with_the_mean_difference() -> None:
    # Differences: 0.5, -0.5, 0, 0.25. Mean 0.0625; squares 0.25 + 0.25 + 0.0625 = 0.5625, less 4 x 0.0625^2 = 0.015625, is
    # 0.546875; / 3 = 0.182292; standard error sqrt(0.182292 / 4) = 0.213478; t(3) = 3.182446: half 0.679383.
    found = against(recalls(1.0, 0.5, 0.5, 0.5), recalls(0.5, 1.0, 0.5, 0.25))
    assert (found.wins, found.losses, found.ties, found.left_out) == (("q0", "q3"), ("q1",), ("q2",), {})
    assert (found.difference.value, found.difference.n) == (0.0625, 4)
    assert (found.difference.low, found.difference.high) == pytest.approx((-0.616883, 0.741883), abs=1e-6)


def test_a_difference_below_twelve_decimals_is_a_tie() -> None:
    assert against(recalls(0.1 + 0.2), recalls(0.3)).ties == ("q0",)


def test_one_compared_case_has_a_difference_and_no_interval() -> None:
    found = against(recalls(1.0), recalls(0.0)).difference
    assert (found.value, found.low, found.high) == (1.0, None, None)


def test_no_case_to_compare_is_undefined_and_no_zero() -> None:
    found = against(recalls(None), recalls(None)).difference
    assert (found.value, found.n, found.reason) == (None, 0, "no cases that can be compared")


def test_what_is_left_out_is_told_with_its_reason() -> None:
    ours = {"a": case(None, "kept as a guard"), "b": case(1.0), "c": case(None), "d": case(1.0), "e": case(1.0)}
    theirs = {"a": case(None, "kept as a guard"), "c": case(0.5), "d": case(0.5), "f": case(0.5), "e": case(None)}
    found = against(ours, theirs)
    assert found.left_out == {
        "a": "kept as a guard",
        "b": "no result of k",
        "c": "recall is undefined there",
        "e": "recall is undefined there",
        "f": "no result of p",
    }
    assert (found.wins, found.difference.n) == (("d",), 1)


def test_a_measure_of_several_ratios_is_compared_by_the_score_of_the_case() -> None:
    ours = {"a": case(None, score=0.75), "b": case(None, score=0.25)}
    theirs = {"a": case(None, score=0.5), "b": case(None, score=0.5)}
    found = against(ours, theirs, MACRO)
    assert (found.wins, found.losses, found.difference.value) == (("a",), ("b",), 0.0)


@pytest.mark.parametrize(
    "other",
    [
        subject(recalls(1.0), enforcement="manual"),
        subject(recalls(1.0), claims="none"),
        evidence({}),
        control_evidence("negative_control", {"recall": metric(0.5)}, cases=recalls(1.0)),
    ],
    ids=["manual", "nothing claimed", "no numbers", "no subject"],
)
def test_only_a_gated_subject_that_claims_something_is_compared(other: Evidence) -> None:
    assert list(head_to_heads({"p": other, "k": positive(recalls(0.5))}, run())) == []


def test_only_a_positive_control_with_numbers_is_compared_with() -> None:
    silent = control_evidence("positive_control", {})
    others = {"s": silent, "n": control_evidence("negative_control", {"recall": metric(0.5)}), "p": subject(recalls(1.0))}
    assert list(head_to_heads(others, run())) == []


def test_every_subject_meets_every_positive_control_and_every_other_subject() -> None:
    found = {"p": subject(recalls(1.0)), "q": subject(recalls(0.0)), "k": positive(recalls(0.5)), "l": positive(recalls(1.0))}
    pairs = [(one.subject, one.against, len(one.wins)) for one in head_to_heads(found, run())]
    assert pairs == [("p", "k", 1), ("q", "k", 0), ("p", "l", 0), ("q", "l", 0), ("p", "q", 1)]


def test_subjects_meet_each_other_once_by_the_first_gated_metric() -> None:
    other = Measure(ratios=(Ratio(numerator="recall of", denominator="recall of", of="queries"),))
    about = facts("mrr", "recall", measures={"mrr": other, "recall": SHARE})
    found = {"p": subject(recalls(1.0)), "q": subject(recalls(0.0)), "r": subject(recalls(0.5))}
    told = [(one.subject, one.against, one.metric, len(one.ties)) for one in head_to_heads(found, about)]
    assert told == [("p", "q", "mrr", 1), ("p", "r", "mrr", 1), ("q", "r", "mrr", 1)]


def test_where_lower_is_better_the_lower_value_wins() -> None:
    lower = SHARE.model_copy(update={"direction": "lower"})
    found = against(recalls(0.1, 0.9), recalls(0.5, 0.5), lower)
    assert (found.wins, found.losses) == (("q0",), ("q1",))


EIGHTHS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=3, max_size=9)


@given(EIGHTHS)
def test_interval_is_that_of_the_paired_t_test(pairs: list[tuple[int, int]]) -> None:
    ours, theirs = ([one[side] / 8 for one in pairs] for side in (0, 1))
    found = against(recalls(*ours), recalls(*theirs))
    assert len(found.wins) + len(found.losses) + len(found.ties) == len(pairs)
    differences = {a - b for a, b in zip(ours, theirs, strict=True)}
    if len(differences) == 1:
        (same,) = differences
        assert [found.difference.low, found.difference.value, found.difference.high] == pytest.approx([same] * 3, abs=1e-6)
        return
    oracle = ttest_rel(ours, theirs).confidence_interval(0.95)
    assert (found.difference.low, found.difference.high) == pytest.approx((oracle.low, oracle.high), abs=2e-6)


@given(EIGHTHS)
def test_turned_round_wins_are_losses(pairs: list[tuple[int, int]]) -> None:
    ours, theirs = (recalls(*[one[side] / 8 for one in pairs]) for side in (0, 1))
    one, other = against(ours, theirs), against(theirs, ours)
    assert (one.wins, one.losses, one.ties) == (other.losses, other.wins, other.ties)
    assert one.difference.value == -(other.difference.value or 0.0)
