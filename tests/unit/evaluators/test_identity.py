"""Names made of content: equal for equal content, other for other content, and the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluators.identity import content_id

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=10,
)


@dataclass
class Point:
    x: int
    y: object = None


class Plain:
    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)


class Slotted:
    __slots__ = ()


def test_a_name_is_sixteen_digits_of_the_content() -> None:
    assert content_id({"expected": "a", "actual": "b"}) == content_id({"actual": "b", "expected": "a"})
    assert len(content_id("a")) == len("case-") + 16


def test_names_do_not_depend_on_the_process() -> None:
    code = (
        "from assay.evaluators.identity import content_id\n"
        "class Engine: pass\n"
        "print(content_id({'a': {1, 'x', None}, 'f': print, 'e': Engine(), 'o': object(), 'n': float('nan')}))"
    )
    names = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(names) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (1, "1"),
        (None, "None"),
        (0.0, -0.0),
        (float("nan"), float("inf")),
        ({}, []),
        ([1, 2], [2, 1]),
        ([1, [2]], [1, 2]),
        ({1, 2}, {1, 3}),
        ({"a": 1}, [["a", 1]]),
        (b"a", "a"),
        (10**30, str(10**30)),
        (Decimal(1), 1),
        (date(2026, 1, 5), "2026-01-05"),
        (date(2026, 1, 5), datetime(2026, 1, 5)),  # noqa: DTZ001  # naive is the case
        (Point(1), Point(2)),
        (Point(1), {"x": 1, "y": None}),
        (Plain(a=1), Plain(a=2)),
        (print, len),
        (Point, Plain),
        ("caf\u00e9", "cafe\u0301"),
    ],
)
def test_other_content_has_another_name(one: object, other: object) -> None:
    assert content_id(one) != content_id(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((1, 2), [1, 2]),
        ({3, 1}, {1, 3}),
        (Plain(a=1), Plain(a=1)),
        (Slotted(), Slotted()),
        (object(), object()),
        ("\ud800", "\ud800"),
    ],
)
def test_equal_content_has_one_name(one: object, other: object) -> None:
    assert content_id(one) == content_id(other)


def test_a_circle_ends() -> None:
    circle: list[object] = [1]
    circle.append(circle)
    assert content_id(circle) != content_id([1])


@given(JSON, JSON)
def test_json_values_share_a_name_only_when_they_are_equal(one: object, other: object) -> None:
    assert (content_id(one) == content_id(other)) is (repr_of(one) == repr_of(other))


def repr_of(value: object) -> object:
    """Types kept and order of keys dropped."""
    if isinstance(value, dict):
        return ("dict", sorted((key, repr(repr_of(item))) for key, item in value.items()))
    return [repr_of(item) for item in value] if isinstance(value, list) else repr(value)
