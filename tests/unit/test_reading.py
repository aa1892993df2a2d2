"""Bytes to records: what is accepted, and the exact text of what is not."""

from __future__ import annotations

import json
from typing import Any, Literal, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, model_validator

from assay.errors import InputError, Problem
from assay.model.base import Frozen
from assay.reading import LINE_LIMIT, PROBLEM_LIMIT, json_value, raise_all, record, records, text_of, validated
from tests.builders import json_lines


class Part(Frozen):
    """A record inside a record."""

    text: str


class Picky(Frozen):
    """A record that is never right."""

    text: str

    @model_validator(mode="after")
    def _never(self) -> Self:
        raise ValueError("never right")


class Row(Frozen):
    """A record of a test file."""

    format: Literal[1] = 1
    name: str
    size: float = Field(0.0, ge=0)
    part: Part | None = None
    parts: tuple[Part, ...] = ()
    labels: dict[str, Part] = Field(default_factory=dict)


def complaint(data: bytes) -> str:
    """What is said about a JSON-lines file."""
    with pytest.raises(InputError) as caught:
        records(data, "gold/rows.jsonl", Row)
    return str(caught.value)


def complaint_about(value: object) -> str:
    """What is said about one record."""
    with pytest.raises(InputError) as caught:
        validated(value, "gold/row.json", Row)
    return str(caught.value)


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert text_of(b"\xef\xbb\xbfhello", "f") == "hello"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"one\ntwo\n\xff\xfe\x00\x01", "f.md:3: is not UTF-8 text, got b'\\xff\\xfe\\x00\\x01'; expected UTF-8."),
        (b"one\x00", "f.md: holds NUL bytes, so it is not a text file; expected UTF-8 text."),
    ],
)
def test_what_is_not_text_is_refused_with_its_line(data: bytes, said: str) -> None:
    with pytest.raises(InputError) as caught:
        text_of(data, "f.md")
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1,\n "b": }', 'f.json:2: is not JSON (Expecting value at column 7), got \'{"a": 1,\\n "b": }\'.'),
        ("", "f.json:1: is not JSON (Expecting value at column 1), got ''."),
        ("NaN", "f.json: is not acceptable JSON (NaN is not a number), got 'NaN'."),
        ("[-Infinity]", "f.json: is not acceptable JSON (-Infinity is not a number), got '[-Infinity]'."),
        (
            '{"a": 1, "a": 2}',
            "f.json: is not acceptable JSON (the key 'a' stands twice in one object), got '{\"a\": 1, \"a\": 2}'.",
        ),
        ('"\\ud800"', "f.json: holds half of a surrogate pair; expected valid Unicode."),
        ('{"\\uDC00": 1}', "f.json: holds half of a surrogate pair; expected valid Unicode."),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        json_value(text, "f.json")
    assert str(caught.value) == said


@pytest.mark.parametrize("text", ["1e400", "[-1e999]", "[" * 100_000, '{"a":' * 100_000, "9" * 5_000])
def test_numbers_out_of_range_and_absurd_depth_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        json_value(text, "f.json")


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert json_value('"\\ud83d\\ude00"', "f") == "😀"


@given(st.lists(st.builds(Row, name=st.text(), size=st.floats(0, 1e9)), max_size=5))
def test_records_read_back_as_they_were_written(rows: list[Row]) -> None:
    assert records(json_lines(*(row.model_dump(mode="json") for row in rows)), "f", Row) == rows


def test_an_empty_file_holds_no_record() -> None:
    assert records(b"", "f", Row) == []
    assert records(b"\n \r\n\n", "f", Row) == []


@pytest.mark.parametrize("mark", ["\u2028", "\x85", "\x0c", "\x1e", "\r"])
def test_only_a_newline_ends_a_line(mark: str) -> None:
    line = json.dumps({"name": f"a{mark}b"}, ensure_ascii=mark < " ")
    assert [row.name for row in records(line.encode(), "f", Row)] == [f"a{mark}b"]


def test_every_problem_of_a_file_is_told_with_its_own_line() -> None:
    data = b'{"name": "a"}\n\n{"name": \n{"size": 1}\n{"name": 5}\n'
    assert complaint(data) == (
        "gold/rows.jsonl:3: is not JSON (Expecting value at column 10), got '{\"name\": '.\n"
        "gold/rows.jsonl:4: name: is missing.\n"
        "gold/rows.jsonl:5: name: is not valid (Input should be a valid string), got 5."
    )


def test_problems_over_the_limit_are_counted() -> None:
    lines = complaint(b"x\n" * (PROBLEM_LIMIT + 5)).splitlines()
    assert len(lines) == PROBLEM_LIMIT + 1
    assert lines[-1] == "gold/rows.jsonl: and 5 more problems."


def test_problems_at_the_limit_are_all_told() -> None:
    with pytest.raises(InputError) as caught:
        raise_all([Problem("f", "is wrong")] * PROBLEM_LIMIT, "f")
    assert len(caught.value.problems) == PROBLEM_LIMIT


def test_no_problem_raises_nothing() -> None:
    raise_all([], "f")


def test_a_huge_line_is_refused_and_the_longest_allowed_one_is_not() -> None:
    frame = len('{"name": ""}')
    longest = b'{"name": "%s"}' % (b"x" * (LINE_LIMIT - frame))
    assert len(records(longest, "f", Row)[0].name) == LINE_LIMIT - frame
    assert complaint(b"\n" + longest + b" ") == ("gold/rows.jsonl:2: line of 1,048,577 characters; expected at most 1,048,576.")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            {"name": "a", "siez": 1},
            "gold/row.json: siez: unknown key, got 'siez'; "
            "expected one of format, labels, name, part, parts, size. Did you mean 'size'?",
        ),
        ({"name": "a", "size": float("inf")}, "gold/row.json: size: is not valid (Input should be a finite number), got inf."),
        (
            {"name": "a", "format": 2},
            "gold/row.json: unknown format version, got 2; expected format 1. It was written by another release of assay.",
        ),
        ({"name": "a", "parts": [{}]}, "gold/row.json: parts.0.text: is missing."),
    ],
)
def test_a_fault_is_told_by_its_path_and_the_known_names(value: object, said: str) -> None:
    assert complaint_about(value) == said


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"name": "a", "part": {"text": "t", "txet": 1}}, "part.txet"),
        ({"name": "a", "parts": [{"text": "t", "txet": 1}]}, "parts.0.txet"),
        ({"name": "a", "labels": {"x": {"text": "t", "txet": 1}}}, "labels.x.txet"),
    ],
)
def test_the_known_names_are_told_at_any_depth(value: object, path: str) -> None:
    assert complaint_about(value) == (
        f"gold/row.json: {path}: unknown key, got 'txet'; expected one of text. Did you mean 'text'?"
    )


@pytest.mark.parametrize("value", [None, 1, "row", [], [["name", "a"]]])
def test_what_is_no_record_is_refused(value: Any) -> None:
    assert complaint_about(value).startswith("gold/row.json: is not valid (")


def test_one_json_file_is_one_record() -> None:
    assert record(b'\xef\xbb\xbf{"name": "a"}\n', "f", Row) == Row(name="a")


def test_a_mapping_that_is_too_long_to_be_shown_whole_is_not_shown_in_part() -> None:
    def refused(text: str) -> str:
        with pytest.raises(InputError) as caught:
            validated({"text": text}, "f.yaml", Picky)
        return str(caught.value)

    assert refused("x") == "f.yaml: is not valid (never right), got {'text': 'x'}."
    assert refused("x" * 200) == "f.yaml: is not valid (never right)."
