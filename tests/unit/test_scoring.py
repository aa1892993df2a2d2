"""Every case has a row; a crash is a failed case that stays in the denominators."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.exchange import Failure, Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.score import CaseScore, CaseStatus, Measure, Ratio
from assay.scoring import metrics_of, score_cases
from tests.builders import case, reply

CRASH = "crash"


def words_found(gold: GoldCase, replies: Sequence[Outcome]) -> CaseScore:
    """Two expected words a case; a reply names how many were found, or crashes the scorer."""
    found = 0
    for answer in replies:
        if isinstance(answer, Failure) or answer.text == CRASH:
            raise ValueError("no number in the reply")
        found += int(answer.text)
    status: CaseStatus = "scored" if replies else "missing"
    return CaseScore(gold.id, status, passed=found == 2, score=found / 2, counts={"expected": 2, "found": found})


def always_crashes(gold: GoldCase, replies: Sequence[Outcome]) -> CaseScore:
    raise RuntimeError(f"cannot score {gold.id}")


RECALL = {"recall": Measure(ratios=(Ratio(numerator="found", denominator="expected", of="expected words"),))}


def answers(**texts: str) -> dict[str, tuple[Reply, ...]]:
    return {name: (reply(text=text),) for name, text in texts.items()}


def test_there_is_one_row_per_case_in_gold_order() -> None:
    cases = [case("c2"), case("c1"), case("c3")]
    rows = score_cases(cases, answers(c1="2", c2="1", c3="0"), words_found)
    assert [(row.case_id, row.score) for row in rows] == [("c2", 0.5), ("c1", 1.0), ("c3", 0.0)]


def test_a_case_without_replies_is_scored_as_missing() -> None:
    rows = score_cases([case("c1"), case("c2")], answers(c1="2"), words_found)
    assert [row.status for row in rows] == ["scored", "missing"]


def test_replies_of_unknown_cases_add_no_row() -> None:
    assert [row.case_id for row in score_cases([case("c1")], answers(c1="2", c9="2"), words_found)] == ["c1"]


def test_no_cases_give_no_rows_and_an_undefined_metric() -> None:
    assert score_cases([], {}, words_found) == []
    assert metrics_of([], RECALL)["recall"].value is None


def test_a_crash_is_a_failed_case_with_its_reason() -> None:
    (row,) = score_cases([case("c1")], answers(c1=CRASH), words_found)
    assert row == CaseScore(
        "c1",
        "crashed",
        passed=False,
        score=0.0,
        counts={"expected": 2, "found": 0},
        reason="ValueError: no number in the reply",
    )


def test_a_crash_stays_in_the_denominator() -> None:
    rows = score_cases([case("c1"), case("c2")], answers(c1="2", c2=CRASH), words_found)
    found = metrics_of(rows, RECALL)["recall"]
    # 2 words found of the 2 + 2 that both cases expect
    assert (found.value, found.numerator, found.denominator) == (0.5, 2, 4)


def test_a_crash_leaves_the_other_cases_as_they_are() -> None:
    cases = [case("c1"), case("c2"), case("c3")]
    sound = score_cases(cases, answers(c1="2", c2="1", c3="1"), words_found)
    crashed = score_cases(cases, answers(c1="2", c2=CRASH, c3="1"), words_found)
    assert [crashed[0], crashed[2]] == [sound[0], sound[2]]


def test_a_scorer_that_always_crashes_still_gives_a_row_per_case() -> None:
    rows = score_cases([case("c1"), case("c2")], answers(c1="2"), always_crashes)
    assert [(row.status, row.reason, row.counts) for row in rows] == [
        ("crashed", "RuntimeError: cannot score c1", {}),
        ("crashed", "RuntimeError: cannot score c2", {}),
    ]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_what_stops_a_run_is_not_taken_for_a_crash_of_the_case(stop: type[BaseException]) -> None:
    def stops(gold: GoldCase, replies: Sequence[Outcome]) -> CaseScore:
        if replies:
            raise stop
        return words_found(gold, replies)

    with pytest.raises(stop):
        score_cases([case("c1")], answers(c1="2"), stops)


texts = st.lists(st.sampled_from(["0", "1", "2", CRASH]), max_size=8)


@given(texts)
def test_the_order_of_cases_changes_no_metric_and_crashes_never_shrink_the_denominator(texts: list[str]) -> None:
    named = {f"c{i}": text for i, text in enumerate(texts)}
    cases = [case(name) for name in named]
    found = metrics_of(score_cases(cases, answers(**named), words_found), RECALL)["recall"]
    assert (found.denominator or 0) == 2 * len(texts)
    assert metrics_of(score_cases(cases[::-1], answers(**named), words_found), RECALL)["recall"] == found
