"""The rules of the controls: each answers as it says, in the schema, and the gold set tells each from a perfect subject."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from assay.model.exchange import Failure, Outcome
from assay.model.gold import GoldCase
from assay.model.target import Target, TargetContext
from assay.model.verdict import Metric
from assay.scoring import metrics_of, score_cases
from assay.suites.extraction import controls
from assay.suites.extraction.cases import load
from assay.suites.extraction.requests import oracle_reply
from assay.suites.extraction.schema import CATEGORIES, BatchExtractionResult
from assay.suites.extraction.scoring import MEASURES, score_case
from tests.builders import conversation, extracted, memory, provider, reply

GOLD = Path(__file__).resolve().parents[4] / "goldsets" / "extraction" / "v1"
THRESHOLD = 0.55
"""What calibration found for the gold set."""
TRIVIAL = ("abstain", "constant", "most_frequent_category", "every_sentence", "whole_conversation")
Replies = Mapping[str, Sequence[Outcome]]


def case(name: str, *said: str, expected: Sequence[dict[str, Any]] = ()) -> GoldCase:
    turns = [{"role": "user", "content": text} for text in said] or [{"role": "assistant", "content": "Hello."}]
    return GoldCase(id=name, input=conversation(name, turns=turns), expected={"memories": list(expected)})


def target(name: str, *cases: GoldCase, replies: Replies | None = None) -> Target:
    factory: Callable[[TargetContext], Target] = getattr(controls, name)
    return factory(TargetContext(cases=cases, provider=provider(), replies=replies or {}))


def answered(name: str, asked: GoldCase, *others: GoldCase) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(target(name, asked, *others).answer(asked))["memories"]
    return found


def contents(name: str, asked: GoldCase, *others: GoldCase) -> list[str]:
    return [row["content"] for row in answered(name, asked, *others)]


@cache
def gold() -> tuple[GoldCase, ...]:
    names = {"conversations": "conversations.jsonl", "expected": "expected_memories.jsonl"}
    return tuple(load({role: (name, (GOLD / name).read_bytes()) for role, name in names.items()}))


@cache
def measured(name: str) -> dict[str, Metric]:
    oracle = {case.id: (reply(text=oracle_reply(case)),) for case in gold()}
    found = target(name, *gold(), replies=oracle)
    answers = {case.id: (reply(text=found.answer(case)),) for case in gold()}
    return metrics_of(score_cases(gold(), answers, lambda case, outcomes: score_case(case, outcomes, THRESHOLD)), MEASURES)


@pytest.mark.parametrize("name", ["pattern", "shuffled", *TRIVIAL])
@pytest.mark.parametrize(
    "said", [(), ("I live in Lyon. I work as a nurse.",), (" ",)], ids=["no user turn", "two sentences", "blank"]
)
def test_every_control_answers_in_the_schema_and_has_nothing_to_check(name: str, said: tuple[str, ...]) -> None:
    asked, other = case("c1", *said, expected=[memory("m1")]), case("c2")
    found = target(name, asked, other, replies={"c1": [reply()], "c2": [reply(extracted())]})
    BatchExtractionResult.model_validate_json(found.answer(asked))
    assert found.checks() == ()


def test_shuffled_gives_the_reply_to_another_conversation() -> None:
    cases = [case(name) for name in ("c1", "c2", "c3")]
    replies = {one.id: [reply(extracted(content=f"About {one.id}.")), reply(extracted(content="More."))] for one in cases}
    found = target("shuffled", *cases, replies=replies)
    given = {one.id: [row["content"] for row in json.loads(found.answer(one))["memories"]] for one in cases}
    assert all(rows[0] != f"About {name}." and rows[1] == "More." for name, rows in given.items())
    assert len({rows[0] for rows in given.values()}) == 3


def test_shuffled_passes_a_malformed_reply_on_and_fails_where_no_other_has_one() -> None:
    one, other = case("c1"), case("c2")
    replies: Replies = {"c1": [Failure(reason="timeout", attempts=1)], "c2": [reply(text="Sorry.")]}
    found = target("shuffled", one, other, replies=replies)
    assert found.answer(one) == "Sorry."
    with pytest.raises(LookupError, match="no conversation other than c2 has a reply"):
        found.answer(other)


def test_abstain_says_nothing() -> None:
    assert answered("abstain", case("c1", "I live in Lyon.")) == []


def test_constant_is_the_memory_nearest_to_the_words_of_all() -> None:
    # Words but those of grammar: bees 2, honey 2, tea 1, trains 1, late 1. `bees honey` has 4 / sqrt(2), every other less.
    texts = ("The user keeps bees for honey.", "Bees give honey.", "Tea.", "Trains run late.")
    expected = [memory(f"m{i}", content=text, categories=["behavioral"]) for i, text in enumerate(texts)]
    asked, other = case("c1", expected=expected[:2]), case("c2", expected=expected[2:])
    (row,) = answered("constant", other, asked)
    assert row["content"] in texts[:2]
    assert row["categories"] == ["behavioral"]
    assert contents("constant", asked, other) == [row["content"]] == contents("constant", asked, case("c3"), other)


def test_constant_of_a_gold_set_that_expects_nothing_is_nothing() -> None:
    assert answered("constant", case("c1", "Hello.")) == []


def test_constant_is_no_memory_that_replaces_another() -> None:
    old = memory("m1", content="Tea.")
    new = memory("m2", content="Bees give honey.", temporal_kind="supersession", supersedes="m1")
    assert contents("constant", case("c1", expected=[old, new])) == ["Tea."]


def test_most_frequent_category_is_given_to_the_first_sentences() -> None:
    expected = [memory("m1", categories=["episodic"]), memory("m2", categories=["episodic", "factual"])]
    said = "I live here. My dog barks. It rains. I sleep."
    rows = answered("most_frequent_category", case("c1", said, expected=expected))
    assert [row["content"] for row in rows] == ["The user lives here.", "The user's dog barks.", "It rains."]
    assert all(row["categories"] == ["episodic"] for row in rows)


def test_every_sentence_has_all_categories() -> None:
    rows = answered("every_sentence", case("c1", "I live here.", "It rains. I live here."))
    assert [row["content"] for row in rows] == ["The user lives here.", "It rains."]
    assert all(tuple(row["categories"]) == CATEGORIES for row in rows)


def test_whole_conversation_is_one_memory_of_all_that_the_user_said() -> None:
    assert contents("whole_conversation", case("c1", "I live here.", "It rains.")) == ["I live here.\nIt rains."]


def test_order_of_cases_never_changes_an_answer() -> None:
    cases = gold()[:20]
    oracle = {one.id: (reply(text=oracle_reply(one)),) for one in cases}
    for name in ("pattern", "shuffled", *TRIVIAL):
        there, back = target(name, *cases, replies=oracle), target(name, *reversed(cases), replies=oracle)
        assert [there.answer(one) for one in cases] == [back.answer(one) for one in cases]


def test_pattern_extractor_is_modest_and_well_above_a_dead_matcher() -> None:
    recall = measured("pattern")["recall_macro"].value
    assert recall is not None
    assert 0.05 < recall < 0.25


def test_shuffled_replies_match_nothing_in_the_gold_set() -> None:
    found = measured("shuffled")
    assert found["recall_macro"].value == found["precision_macro"].value == found["full_match_rate"].value == 0.0


@pytest.mark.parametrize("name", TRIVIAL)
def test_recall_tells_every_trivial_strategy_from_a_perfect_subject(name: str) -> None:
    recall = measured(name)["recall_macro"].value
    assert recall is not None
    assert recall < 1.0 - 0.03


def test_no_metric_alone_would_do_for_all_strategies() -> None:
    # Who always abstains is perfect where nothing is expected, who repeats one memory gives its category rightly.
    assert measured("abstain")["abstention_accuracy"].value == 1.0
    assert measured("constant")["category_assignment_accuracy"].value == 1.0
    assert measured("abstain")["precision_macro"].value is None
