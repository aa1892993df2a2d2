"""Predicates at their edges, and values that they do not speak of."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from assay.providers.policy.predicates import CannotTell, Condition, Predicate

READ = TypeAdapter[Predicate](Condition)


@pytest.mark.parametrize(
    ("given", "met", "unmet"),
    [
        ({"at_least": 2}, [2, 2.0, 9], [1.999]),
        ({"at_most": 0.45}, [0.45, -1], [0.450001]),
        ({"above": 50000}, [50000.01, 10**400], [50000, 0, -(10**400)]),
        ({"below": 1}, [0.999], [1, 1.0]),
        ({"above": 0, "at_most": 1}, [1, 0.1], [0, 1.1]),
        ({"at_least": 3, "at_most": 3}, [3], [2, 4]),
        ("approve", ["approve"], ["Approve", "approve ", ""]),
        (False, [False], [True]),
        (0, [0, 0.0], [1]),
        (["a", 1], ["a", 1], ["b", 2]),
    ],
)
def test_bounds_are_as_their_names_say(given: object, met: list[object], unmet: list[object]) -> None:
    predicate = READ.validate_python(given)
    assert all(predicate.is_met(value) for value in met)
    assert not any(predicate.is_met(value) for value in unmet)


@pytest.mark.parametrize(
    ("given", "value", "reason"),
    [
        ({"at_least": 2}, None, "is missing"),
        ({"at_least": 2}, "3", "is '3', where a number was expected"),
        ({"at_least": 2}, True, "is True, where a number was expected"),
        ({"at_least": 2}, math.nan, "is nan, where a number was expected"),
        ({"at_most": 2}, -math.inf, "is -inf, where a number was expected"),
        (False, "no", "is 'no', where true or false was expected"),
        (False, 0, "is 0, where true or false was expected"),
        (1, True, "is True, where a number was expected"),
        ("yes", ["yes"], "is ['yes'], where text was expected"),
        (["a", 1], True, "is True, where a number or text was expected"),
    ],
)
def test_what_a_predicate_does_not_speak_of_is_neither_yes_nor_no(given: object, value: object, reason: str) -> None:
    with pytest.raises(CannotTell) as error:
        READ.validate_python(given).is_met(value)
    assert str(error.value) == reason


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({}, "says nothing"),
        ({"equals": None}, "says nothing"),
        ({"equals": 1, "above": 0}, "equals and in stand alone"),
        ({"equals": "a", "in": ["a"]}, "equals and in stand alone"),
        ({"above": 1, "at_least": 1}, "two lower bounds"),
        ({"below": 1, "at_most": 1}, "two upper bounds"),
        ({"at_least": 2, "at_most": 1}, "no number can hold it"),
        ({"above": 1, "at_most": 1}, "no number can hold it"),
        ({"at_least": "2"}, "not a number"),
        ({"at_least": True}, "not a number"),
        ({"at_least": math.nan}, "finite number"),
        ({"equals": math.inf}, "not finite"),
        ({"equals": [1]}, "neither text, number nor truth value"),
        ([], "at least one item"),
        (None, "valid dictionary"),
    ],
)
def test_a_predicate_that_says_nothing_or_contradicts_itself_is_refused(given: object, part: str) -> None:
    with pytest.raises(ValidationError, match="1 validation error") as error:
        READ.validate_python(given)
    assert part in str(error.value)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"at_least": 1.2}, "at least 1.2"),
        ({"above": 0, "at_most": 45000}, "at most 45000 and above 0"),
        ("approve", "equals 'approve'"),
        (["a", "b"], "one of 'a', 'b'"),
        (False, "equals False"),
    ],
)
def test_a_predicate_is_told_in_words(given: Any, text: str) -> None:
    assert str(READ.validate_python(given)) == text
