"""The rules of the gold files: every fault is reported at once, and time fields fit their kind."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.model.gold import GoldCase
from assay.suites.extraction.cases import Conversation, load, strata
from tests.builders import conversation, json_lines, memory

Rows = list[dict[str, Any]]
DAY, NEXT = "2026-03-20", "2026-03-21"


def files(conversations: Rows, memories: Rows) -> dict[str, tuple[str, bytes]]:
    return {
        "conversations": ("conversations.jsonl", json_lines(*conversations)),
        "expected": ("expected_memories.jsonl", json_lines(*memories)),
    }


def loaded(conversations: Rows, memories: Rows) -> list[GoldCase]:
    return load(files(conversations, memories))


def complaint(conversations: Rows, memories: Rows) -> str:
    with pytest.raises(InputError) as caught:
        loaded(conversations, memories)
    return str(caught.value)


def timed(kind: str, start: str | None = None, end: str | None = None, supersedes: str | None = None) -> dict[str, Any]:
    return memory("c1-m2", temporal_kind=kind, valid_from=start, valid_until=end, supersedes=supersedes)


def test_cases_join_conversations_with_their_memories_in_file_order() -> None:
    rows = [memory("m1", "c1"), memory("m2", "c2"), memory("m3", "c1")]
    found = loaded([conversation("c2"), conversation("c1")], rows)
    expected = [[m["id"] for m in case.model_dump()["expected"]["memories"]] for case in found]
    assert [case.id for case in found] == ["c2", "c1"]
    assert expected == [["m2"], ["m1", "m3"]]


def test_case_that_expects_nothing_is_a_case_with_no_memories() -> None:
    (found,) = loaded([conversation(expects_nothing=True)], [])
    assert found.expected == {"memories": []}
    assert found.strata == ("English only", "expects nothing")


def test_empty_files_give_no_cases() -> None:
    assert loaded([], []) == []


def test_every_fault_between_the_records_is_reported_at_once() -> None:
    conversations = [
        conversation("c1"),
        conversation("c1"),
        conversation("c2", expects_nothing=True),
        conversation("c3"),
        conversation("c4"),
    ]
    memories = [
        memory("m1", "c1"),
        memory("m1", "c1"),
        memory("m2", "c2"),
        memory("m3", "c9"),
        memory("m4", "c4", temporal_kind="supersession", supersedes="m1"),
        memory("m5", "c4", temporal_kind="supersession", supersedes="m5"),
        memory("m6", "c4", temporal_kind="supersession", supersedes="m99"),
    ]
    assert complaint(conversations, memories) == (
        "conversations.jsonl: the id 'c1' stands 2 times; expected each id once.\n"
        "expected_memories.jsonl: the id 'm1' stands 2 times; expected each id once.\n"
        "expected_memories.jsonl: m3: unknown conversation, got 'c9'; expected an id of conversations.jsonl.\n"
        "expected_memories.jsonl: m4: supersedes no earlier memory, got 'm1'; expected another id of the same conversation.\n"
        "expected_memories.jsonl: m5: supersedes no earlier memory, got 'm5'; expected another id of the same conversation.\n"
        "expected_memories.jsonl: m6: supersedes no earlier memory, got 'm99'; expected another id of the same conversation.\n"
        "conversations.jsonl: c2: expects nothing and has memories; "
        'expected memories or "expects_nothing": true, one of the two.\n'
        "conversations.jsonl: c3: has no expectation; "
        'expected memories or "expects_nothing": true, one of the two.'
    )


def test_memory_id_used_in_two_conversations_is_one_fault() -> None:
    told = complaint([conversation("c1"), conversation("c2")], [memory("m1", "c1"), memory("m1", "c2")])
    assert told == "expected_memories.jsonl: the id 'm1' stands 2 times; expected each id once."


def test_every_faulty_line_of_a_file_is_reported_at_once() -> None:
    data = b'{"id": \n' + json_lines(memory(categories=["factual", "mood"])) + json_lines(memory(mood="x"))
    with pytest.raises(InputError) as caught:
        load({**files([conversation()], []), "expected": ("expected_memories.jsonl", data)})
    assert [problem.where.split(": ")[0] for problem in caught.value.problems] == [
        "expected_memories.jsonl:1",
        "expected_memories.jsonl:2",
        "expected_memories.jsonl:3",
    ]


@pytest.mark.parametrize(
    "row",
    [
        timed("indefinite"),
        timed("indefinite", DAY),
        timed("bounded", DAY, NEXT),
        timed("bounded", DAY),
        timed("bounded", None, NEXT),
        timed("bounded", DAY, DAY),
        timed("point", DAY, DAY),
        timed("supersession", supersedes="c1-m1"),
        timed("supersession", DAY, supersedes="c1-m1"),
        timed("supersession", DAY, NEXT, "c1-m1"),
    ],
    ids=lambda row: f"{row['temporal_kind']} {row['valid_from']} {row['valid_until']}",
)
def test_time_that_fits_its_kind_is_accepted(row: dict[str, Any]) -> None:
    (found,) = loaded([conversation()], [memory(), row])
    assert found.model_dump()["expected"]["memories"][1] == row


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        (timed("point"), "a point has the same day in valid_from and valid_until"),
        (timed("point", DAY), "a point has the same day in valid_from and valid_until"),
        (timed("point", None, DAY), "a point has the same day in valid_from and valid_until"),
        (timed("point", DAY, NEXT), "a point has the same day in valid_from and valid_until"),
        (timed("bounded"), "a bounded memory has at least one date"),
        (timed("indefinite", None, DAY), "an indefinite memory has no valid_until"),
        (timed("indefinite", DAY, NEXT), "an indefinite memory has no valid_until"),
        (timed("bounded", NEXT, DAY), "valid_from lies after valid_until"),
        (timed("supersession", NEXT, DAY, "c1-m1"), "valid_from lies after valid_until"),
        (timed("supersession"), "temporal_kind is supersession exactly when supersedes is given"),
        (timed("indefinite", supersedes="c1-m1"), "temporal_kind is supersession exactly when supersedes is given"),
        (timed("point", DAY, DAY, "c1-m1"), "temporal_kind is supersession exactly when supersedes is given"),
        (timed("indefinite", "2026-02-30"), "day is out of range for month"),
        (timed("indefinite", "20 March 2026"), "a date is written YYYY-MM-DD"),
        (timed("indefinite", "2026-W12-5"), "a date is written YYYY-MM-DD"),
        (timed("indefinite", "20260320"), "a date is written YYYY-MM-DD"),
        (timed("indefinite", "2026-03-20T00:00"), "a date is written YYYY-MM-DD"),
        (timed("someday"), "Input should be 'indefinite', 'bounded', 'point' or 'supersession'"),
        (memory(categories=[]), "at least 1 item"),
        (memory(categories=["factual", "factual"]), "a category stands twice"),
        (memory(content=""), "String should match pattern"),
        (memory(content=" \t"), "String should match pattern"),
    ],
)
def test_memory_that_breaks_a_rule_is_refused_by_it(row: dict[str, Any], rule: str) -> None:
    told = complaint([conversation()], [memory(), row])
    assert told.startswith("expected_memories.jsonl:2: ")
    assert rule in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"reference_time": "2026-03-14T09:30:00"}, "a reference time needs a UTC offset"),
        ({"reference_time": "2026-03-14"}, "a reference time needs a UTC offset"),
        ({"reference_time": "yesterday"}, "Invalid isoformat string"),
        ({"turns": []}, "at least 1 item"),
        ({"turns": [{"role": "system", "content": "x"}]}, "Input should be 'user' or 'assistant'"),
        ({"turns": [{"role": "user", "content": ""}]}, "at least 1 character"),
        ({"languages": []}, "at least 1 item"),
        ({"tags": ["funny"]}, "Input should be 'hostile' or 'relative_dates'"),
        ({"expects": "nothing"}, "unknown key, got 'expects'"),
        ({"id": ""}, "at least 1 character"),
    ],
)
def test_conversation_that_breaks_a_rule_is_refused_by_it(changes: dict[str, Any], rule: str) -> None:
    told = complaint([conversation(**changes)], [memory()])
    assert told.startswith("conversations.jsonl:1")
    assert rule in told


@pytest.mark.parametrize(
    ("changes", "group"),
    [
        ({"languages": ["en"]}, "English only"),
        ({"tags": ["hostile"]}, "hostile"),
        ({"tags": ["relative_dates"]}, "relative dates"),
        ({"expects_nothing": True}, "expects nothing"),
        ({"turns": [{"role": "user", "content": "x"}] * 20}, "long"),
    ],
)
def test_case_belongs_to_the_group_that_its_fields_say(changes: dict[str, Any], group: str) -> None:
    plain = {"languages": ["en", "es"], "turns": [{"role": "user", "content": "x"}] * 19}
    assert strata(Conversation.model_validate(conversation(**plain))) == ()
    assert strata(Conversation.model_validate(conversation(**{**plain, **changes}))) == (group,)


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_files_of_any_bytes_raise_no_error_but_our_own(conversations: bytes, memories: bytes) -> None:
    try:
        load({"conversations": ("conversations.jsonl", conversations), "expected": ("expected.jsonl", memories)})
    except InputError as error:
        assert error.problems  # noqa: PT017  # any outcome is right but another exception
