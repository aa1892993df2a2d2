"""Which events a pattern means, and what cannot be told."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from assay.model.transcript import Event
from assay.suites.orchestration.patterns import CannotTell, Pattern, match

CALL = Event(
    kind="tool_call",
    name="book",
    actor="assistant",
    arguments={"n": 3, "on": True, "legs": [{"to": "LYS"}, {"to": None}], "id": "A1"},
    result={"price": 12.5},
    text='{"price": 12.5}',
)


def fits(pattern: dict[str, Any], event: Event = CALL) -> object:
    found = match(Pattern.model_validate(pattern), event)
    return found.reason if isinstance(found, CannotTell) else found


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ({"kind": "tool_call"}, True),
        ({"kind": ["error", "tool_call"]}, True),
        ({"kind": "error"}, False),
        ({"name": "book"}, True),
        ({"name": ["cancel", "book"]}, True),
        ({"name": "boo"}, False),
        ({"actor": "assistant", "name": "cancel"}, False),
        ({"actor": "user"}, False),
    ],
)
def test_kind_name_and_actor_are_one_word_or_a_list(pattern: dict[str, Any], expected: bool) -> None:
    assert fits(pattern) is expected


@pytest.mark.parametrize(
    ("path", "predicate", "expected"),
    [
        ("arguments.n", {"equals": 3.0}, True),
        ("arguments.n", {"equals": "3"}, False),
        ("arguments.on", {"equals": True}, True),
        ("arguments.on", {"equals": 1}, False),
        ("arguments.n", {"in": [1, 3]}, True),
        ("arguments.on", {"in": [1, 0]}, False),
        ("arguments.n", {"greater": 2, "less": 4}, True),
        ("arguments.n", {"less": 3}, False),
        ("arguments.n", {"greater": 3}, False),
        ("result.price", {"greater": 12}, True),
        ("text", {"matches": "price"}, True),
        ("text", {"matches": "^price"}, False),
        ("arguments.legs.0.to", {"equals": "LYS"}, True),
        ("arguments.legs.1.to", {"equals": None}, True),
        ("arguments.legs.1.to", {"exists": True}, True),
        ("arguments.legs", {"equals": [{"to": "LYS"}, {"to": None}]}, True),
        ("arguments.legs", {"equals": [{"to": None}, {"to": "LYS"}]}, False),
        ("arguments.legs.2", {"exists": True}, False),
        ("arguments.legs.2", {"exists": False}, True),
        ("arguments.n", {"exists": False}, False),
        ("arguments.gone", {"exists": True, "less": 4}, False),
        ("arguments.gone", {"equals": None}, "arguments.gone is not there"),
        ("arguments.n.deeper", {"equals": 1}, "arguments.n.deeper is not there"),
        ("arguments.legs.-1", {"equals": 1}, "arguments.legs.-1 is not there"),
        ("arguments.n", {"matches": "3"}, "arguments.n is no text but int"),
        ("arguments.id", {"less": 3}, "arguments.id is no number but str"),
        ("arguments.on", {"greater": 0}, "arguments.on is no number but bool"),
    ],
)
def test_predicates(path: str, predicate: dict[str, Any], expected: object) -> None:
    assert fits({"where": {path: predicate}}) == expected


def test_result_and_text_that_are_null_are_not_there() -> None:
    bare = Event(kind="error", name="Timeout")
    assert fits({"where": {"text": {"matches": "x"}}}, bare) == "text is not there"
    assert fits({"where": {"result": {"exists": False}}}, bare) is True


def test_what_does_not_fit_settles_what_cannot_be_told() -> None:
    unknown = {"arguments.gone": {"equals": 1}}
    assert fits({"name": "cancel", "where": unknown}) is False
    assert fits({"where": unknown | {"arguments.n": {"equals": 4}}}) is False
    assert fits({"where": unknown | {"arguments.n": {"equals": 3}}}) == "arguments.gone is not there"


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ({}, "needs one of kind, name, actor, where"),
        ({"kind": "tol_call"}, "Did you mean 'tool_call'?"),
        ({"name": []}, "at least 1 item"),
        ({"name": True}, "one word or a list of words"),
        ({"name": [True]}, "valid string"),
        ({"where": {}}, "at least 1 item"),
        ({"where": {"argument.x": {"equals": 1}}}, "Did you mean 'arguments'?"),
        ({"where": {"text.x": {"equals": 1}}}, "joined by dots"),
        ({"where": {"arguments..x": {"equals": 1}}}, "joined by dots"),
        ({"where": {"text": {}}}, "a predicate needs one of"),
        ({"where": {"text": {"matches": "("}}}, "not a regular expression"),
        ({"where": {"text": {"matches": None}}}, "matches has no value"),
        ({"where": {"text": {"in": []}}}, "at least 1 item"),
        ({"where": {"text": {"less": "4"}}}, "valid number"),
        ({"where": {"text": {"less": True}}}, "valid number"),
        ({"where": {"text": {"less": 1, "greater": 1}}}, "no number is both"),
        ({"where": {"text": {"exists": False, "equals": 1}}}, "contradicts"),
        ({"where": {"text": {"exists": "yes"}}}, "valid boolean"),
    ],
)
def test_a_pattern_that_means_nothing_is_refused(pattern: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as error:
        Pattern.model_validate(pattern)
    assert message in str(error.value)
