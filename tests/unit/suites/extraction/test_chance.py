"""The rules of chance: the same as scoring every shuffle whole, with a quantile that is an order statistic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.model.exchange import Failure, Outcome
from assay.model.gold import GoldCase
from assay.scoring import metrics_of, score_cases
from assay.suites.extraction.cases import load
from assay.suites.extraction.chance import chance, order_rank
from assay.suites.extraction.requests import oracle_reply
from assay.suites.extraction.scoring import MEASURES, score_case
from assay.suites.extraction.shuffling import donors, joined
from tests.builders import case, extracted, memory, reply

GOLD = Path(__file__).resolve().parents[4] / "goldsets" / "extraction" / "v1"
THRESHOLD = 0.6
LYON, TEA, NURSE = "The user lives in Lyon.", "The user drinks green tea.", "The user works as a nurse."
Replies = Mapping[str, Sequence[Outcome]]


def one_by_one(cases: Sequence[GoldCase], replies: Replies, seed: int) -> dict[str, float | None]:
    """The metrics of one shuffle, scored as a run would."""
    texts = {name: text for name, outcomes in replies.items() if (text := joined(outcomes)) is not None}
    given = {name: (reply(text=texts[giver]),) for name, giver in donors([c.id for c in cases], texts, seed).items()}
    rows = score_cases(cases, given, lambda one, outcomes: score_case(one, outcomes, THRESHOLD))
    return {name: metric.value for name, metric in metrics_of(rows, MEASURES).items()}


def corpus() -> tuple[list[GoldCase], Replies]:
    """Six cases, two of which expect nothing; the same memories come back in several, under other categories too."""
    labels = (["factual"], ["factual", "behavioral"], ["preference"])
    cases = [
        case("c1", memory("c1-m1", "c1", content=LYON), memory("c1-m2", "c1", content=TEA, categories=labels[1])),
        case("c2", memory("c2-m1", "c2", content=LYON, categories=labels[2])),
        case("c3", memory("c3-m1", "c3", content=NURSE)),
        case("c4"),
        case("c5", memory("c5-m1", "c5", content=NURSE), memory("c5-m2", "c5", content=LYON)),
        case("c6"),
    ]
    replies: dict[str, Any] = {one.id: (reply(text=oracle_reply(one)),) for one in cases}
    replies["c2"] = (reply(extracted(content=TEA)), reply(text="Sorry."), reply(extracted(content=LYON, categories=labels[1])))
    replies["c5"] = (reply(text="Sorry."),)
    return cases, replies


def test_the_shuffles_come_to_what_scoring_each_of_them_gives() -> None:
    cases, replies = corpus()
    for seed in range(40):
        whole = one_by_one(cases, replies, seed)
        found = chance(cases, replies, THRESHOLD, [seed])
        assert "malformed_response_rate" not in found
        for name in set(MEASURES) - {"malformed_response_rate"}:
            if whole[name] is None:
                assert name not in found
            else:
                assert found[name].mean == found[name].quantile == pytest.approx(whole[name])


def test_mean_and_greatest_of_a_few_shuffles_by_hand() -> None:
    cases, replies = corpus()
    seeds = range(25)
    recalls = [one_by_one(cases, replies, seed)["recall_macro"] or 0.0 for seed in seeds]
    found = chance(cases, replies, THRESHOLD, seeds)["recall_macro"]
    assert len(set(recalls)) > 1
    assert found.mean == pytest.approx(sum(recalls) / len(recalls))
    assert found.quantile == pytest.approx(max(recalls))
    assert found.how.startswith("25 seeded shuffles of the replies among the conversations")
    assert found.how.endswith("to above all seen")


def test_gold_conversations_come_to_what_scoring_each_shuffle_gives() -> None:
    files = {"conversations": "conversations.jsonl", "expected": "expected_memories.jsonl"}
    cases = load({role: (name, (GOLD / name).read_bytes()) for role, name in files.items()})[:30]
    replies = {one.id: (reply(text=oracle_reply(one)),) for one in cases}
    for seed in range(3):
        whole = one_by_one(cases, replies, seed)
        found = chance(cases, replies, THRESHOLD, [seed])
        assert {name: item.mean for name, item in found.items()} == pytest.approx(
            {name: value for name, value in whole.items() if value is not None and name != "malformed_response_rate"}
        )


def test_abstention_by_luck_is_the_share_of_silent_replies_among_the_others() -> None:
    # Four cases, two of which expect nothing and say nothing: each of these two gets one silent reply among three others.
    cases = [case("c1", memory("m1", "c1")), case("c2", memory("m2", "c2", content=NURSE)), case("c3"), case("c4")]
    replies = {one.id: (reply(text=oracle_reply(one)),) for one in cases}
    found = chance(cases, replies, THRESHOLD, range(3000))["abstention_accuracy"]
    # Mean 1/3; one shuffle has a standard deviation of at most 1/2, so 5 standard errors are 5 * 0.5 / sqrt(3000) = 0.046.
    assert found.mean == pytest.approx(1 / 3, abs=0.046)


@pytest.mark.parametrize(
    ("shuffles", "rank"), [(1, 1), (2, 2), (999, 999), (1000, 999), (2000, 1998), (2001, 1999), (10_000, 9990)]
)
def test_quantile_is_the_smallest_value_that_999_of_1000_do_not_exceed(shuffles: int, rank: int) -> None:
    assert order_rank(shuffles) == rank


def test_order_of_cases_and_seeds_never_changes_chance() -> None:
    cases, replies = corpus()
    there, back = chance(cases, replies, THRESHOLD, range(20)), chance(cases[::-1], replies, THRESHOLD, range(19, -1, -1))
    assert there == back


@pytest.mark.parametrize(
    "answers", [{}, {"c1": (reply(),)}, {"c1": (reply(),), "c2": (Failure(reason="timeout", attempts=1),)}]
)
def test_fewer_than_two_answered_conversations_are_refused(answers: Replies) -> None:
    with pytest.raises(InputError, match=r"^chance: nothing to shuffle"):
        chance(corpus()[0], answers, THRESHOLD, [1])


def test_no_seed_is_refused() -> None:
    with pytest.raises(InputError, match=r"^chance: nothing to shuffle, got \(6, 0\)"):
        chance(*corpus(), THRESHOLD, [])
