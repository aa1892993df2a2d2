"""The rules of a request: it holds all that can change the answer, and an oracle answers with the expectation."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from assay.model.exchange import Message, Request
from assay.model.gold import GoldCase
from assay.model.suite import Provider
from assay.suites.extraction.requests import oracle_reply, requests_for
from assay.suites.extraction.schema import BatchExtractionResult
from tests.builders import ZERO, case, control, memory, provider

TURNS = [{"role": "user", "content": "I live in Lyon.\nSince May."}, {"role": "assistant", "content": "Très bien!"}]
PROMPT = "Extract.\n"


def asked(gold: GoldCase | None = None, prompt: str = PROMPT, schema: str = ZERO, subject: Provider | None = None) -> Request:
    (request,) = requests_for(gold or talk(), prompt, schema, subject or provider(model="gpt"))
    return request


def talk(**changes: Any) -> GoldCase:
    return case("c1", memory(), **{"turns": TURNS, **changes})


def drawn(**sampling: Any) -> Request:
    return asked(subject=provider(model="gpt", sampling=sampling))


def test_request_is_the_prompt_and_the_whole_conversation() -> None:
    transcript = (
        "Reference time: 2026-03-14T09:30:00+01:00\n"
        "\n"
        "<conversation>\n"
        "[1] user: I live in Lyon.\n"
        "Since May.\n"
        "[2] assistant: Très bien!\n"
        "</conversation>"
    )
    subject = provider(model="gpt", sampling={"temperature": 0.5, "seed": 3})
    assert asked(subject=subject) == Request(
        model="gpt",
        messages=(Message(role="system", content=PROMPT), Message(role="user", content=transcript)),
        schema_sha256=ZERO,
        sampling=subject.sampling,
    )


CHANGED = {
    "prompt": asked(prompt="Extract!\n"),
    "line end": asked(prompt="Extract.\r\n"),
    "schema": asked(schema="1" * 64),
    "model": asked(subject=provider(model="gpt-2")),
    "temperature": drawn(temperature=0.1),
    "top_p": drawn(top_p=0.9),
    "seed": drawn(seed=7),
    "max_tokens": drawn(max_tokens=100),
    "reference time": asked(talk(reference_time="2026-03-15T09:30:00+01:00")),
    "content": asked(talk(turns=[{**TURNS[0], "content": "I live in Lyon.\nSince June."}, TURNS[1]])),
    "role": asked(talk(turns=[{**TURNS[0], "role": "assistant"}, TURNS[1]])),
    "order of turns": asked(talk(turns=TURNS[::-1])),
    "response format": asked(subject=provider(model="gpt", response_format="text")),
    "repeat": requests_for(talk(), PROMPT, ZERO, provider(model="gpt"), 1)[0],
    "a turn less": asked(talk(turns=TURNS[:1])),
    "a turn more": asked(talk(turns=[*TURNS, TURNS[0]])),
}


@pytest.mark.parametrize("changed", CHANGED.values(), ids=CHANGED)
def test_digest_changes_with_each_thing_that_can_change_the_answer(changed: Request) -> None:
    assert changed.fields.digest != asked().fields.digest


def test_changed_requests_differ_from_each_other() -> None:
    assert len({request.fields.digest for request in CHANGED.values()}) == len(CHANGED)


def test_digest_does_not_depend_on_what_the_model_never_sees() -> None:
    same = [
        asked(talk(languages=["en", "fr"], tags=["hostile"])),
        asked(case("another", memory("another-m1", "another", content="Other."), turns=TURNS)),
        asked(case("c1", turns=TURNS)),
        asked(subject=control("negative_control", enforcement="manual", model="gpt")),
    ]
    assert {request.fields.digest for request in same} == {asked().fields.digest}


@pytest.mark.parametrize(
    ("roles", "size", "portions"),
    [
        ("uauau", None, [[1, 2, 3, 4, 5]]),
        ("uauau", 1, [[1], [2, 3], [4, 5]]),
        ("uauau", 2, [[1, 2, 3], [4, 5]]),
        ("uauau", 3, [[1, 2, 3, 4, 5]]),
        ("uauau", 9, [[1, 2, 3, 4, 5]]),
        ("auu", 1, [[1, 2], [3]]),
        ("ua", 1, [[1]]),
        ("aa", 1, [[1, 2]]),
    ],
)
def test_portion_ends_with_its_last_user_turn_and_keeps_the_numbers(
    roles: str, size: int | None, portions: list[list[int]]
) -> None:
    names = {"u": "user", "a": "assistant"}
    gold = talk(turns=[{"role": names[role], "content": "x"} for role in roles])
    requests = requests_for(gold, PROMPT, ZERO, provider(turns_per_request=size))
    shown = [re.findall(r"^\[(\d+)\]", request.messages[1].content, re.MULTILINE) for request in requests]
    assert [[int(number) for number in numbers] for numbers in shown] == portions
    assert len({request.fields.digest for request in requests}) == len(requests)


def test_oracle_answers_the_first_portion_with_everything_and_the_others_with_nothing() -> None:
    assert oracle_reply(talk(), 0) == oracle_reply(talk())
    assert oracle_reply(talk(), 1) == '{"memories": []}'


def test_oracle_reply_is_the_expectation_with_contents_in_place_of_ids() -> None:
    old = memory("c1-m1", content="The user lives in Orléans.", categories=["factual", "episodic"])
    new = memory(
        "c1-m2", content="The user lives in Lyon.", temporal_kind="supersession", valid_from="2026-03-14", supersedes="c1-m1"
    )
    assert oracle_reply(case("c1", old, new)) == (
        '{"memories": ['
        '{"content": "The user lives in Orléans.", "categories": ["factual", "episodic"], "temporal_kind": "indefinite", '
        '"valid_from": null, "valid_until": null, "supersedes": null}, '
        '{"content": "The user lives in Lyon.", "categories": ["factual"], "temporal_kind": "supersession", '
        '"valid_from": "2026-03-14", "valid_until": null, "supersedes": "The user lives in Orléans."}]}'
    )


def test_oracle_reply_names_what_is_replaced_whatever_the_order_of_the_memories() -> None:
    new = memory("c1-m2", content="New.", temporal_kind="supersession", supersedes="c1-m1")
    old = memory("c1-m1", content="Old.")
    rows = json.loads(oracle_reply(case("c1", new, old)))["memories"]
    assert [row["supersedes"] for row in rows] == ["Old.", None]


def test_oracle_reply_to_a_case_that_expects_nothing_is_an_empty_list() -> None:
    assert oracle_reply(case("c1")) == '{"memories": []}'


def test_oracle_reply_fits_the_response_schema() -> None:
    BatchExtractionResult.model_validate_json(oracle_reply(talk()))
