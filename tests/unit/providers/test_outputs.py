"""Outputs that were recorded elsewhere, and the three strategies that make outputs without looking at a case."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from assay.errors import InputError
from assay.model.exchange import Failure, Outcome
from assay.model.gold import GoldCase
from assay.model.target import Target, TargetContext
from assay.providers.outputs import constant, empty, other_case, recorded
from tests.builders import json_lines, provider, reply

NAMES = ("a", "b", "c")
CASES = [GoldCase(id=name, input={}, expected={}) for name in NAMES]


def context(outputs: bytes | None = None, replies: Mapping[str, Sequence[Outcome]] | None = None) -> TargetContext:
    files = {} if outputs is None else {"outputs": ("outputs.jsonl", outputs)}
    return TargetContext(cases=CASES, provider=provider(), files=files, replies=replies or {})


def lines(**outputs: Any) -> bytes:
    return json_lines(*({"id": name, "output": output} for name, output in outputs.items()))


def answers(target: Target) -> dict[str, str | None]:
    """What a target answers to each case; None where it has no answer."""
    found: dict[str, str | None] = {}
    for case in CASES:
        try:
            found[case.id] = target.answer(case)
        except LookupError:
            found[case.id] = None
    return found


def said(**texts: str | None) -> dict[str, tuple[Outcome, ...]]:
    return {
        name: (Failure(reason="HTTP 500", attempts=1) if text is None else reply(text=text),) for name, text in texts.items()
    }


def told(outputs: bytes | None) -> str:
    with pytest.raises(InputError) as found:
        recorded(context(outputs))
    return str(found.value)


def test_a_text_is_answered_as_it_is_and_anything_else_as_json() -> None:
    target = recorded(context(lines(a=" as it is\n", b={"z": 1, "a": ["ü", None]}, c=[1.5, True])))
    assert answers(target) == {"a": " as it is\n", "b": '{"a":["ü",null],"z":1}', "c": "[1.5,true]"}


@pytest.mark.parametrize("value", [None, 0, "", [], {}, "null"])
def test_an_empty_output_is_an_output(value: object) -> None:
    text = answers(recorded(context(lines(a=value, b=1, c=1))))["a"]
    assert text == (value if isinstance(value, str) else json.dumps(value))


def test_an_output_for_every_case_is_kept() -> None:
    (check,) = recorded(context(lines(a=1, b=2, c=3))).checks()
    assert (check.name, check.status, check.message) == ("outputs", "kept", "3 cases have their output")


def test_outputs_of_other_cases_are_counted_and_do_no_harm() -> None:
    (check,) = recorded(context(lines(a=1, b=2, c=3, d=4, e=5))).checks()
    assert (check.status, check.message) == ("kept", "3 cases have their output; 2 outputs belong to no case of this run")


def test_a_case_without_an_output_is_broken_and_named_and_gets_no_answer() -> None:
    target = recorded(context(lines(b=2)))
    (check,) = target.checks()
    assert (check.status, check.message) == ("broken", "outputs.jsonl: 2 cases without an output: a, c")
    assert answers(target) == {"a": None, "b": "2", "c": None}
    with pytest.raises(LookupError, match=r"outputs\.jsonl holds no output for a"):
        target.answer(CASES[0])


def test_an_empty_file_leaves_every_case_without_an_output() -> None:
    (check,) = recorded(context(b"")).checks()
    assert (check.status, check.message) == ("broken", "outputs.jsonl: 3 cases without an output: a, b, c")


def test_a_suite_that_names_no_file_of_outputs_is_an_input_error() -> None:
    assert told(None) == "suite.yaml: files: names no 'outputs' file; expected lines with `id` and `output`."


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lines(a=1) + lines(a=2), "outputs.jsonl: an id stands twice; expected one output per case."),
        (b'{"id": "a"}', "outputs.jsonl:1: output: is missing."),
        (
            b'{"id": "a", "output": 1, "note": ""}',
            "outputs.jsonl:1: note: unknown key, got 'note'; expected one of id, output.",
        ),
        (b'{"id": "", "output": 1}', "outputs.jsonl:1: id: is not valid ("),
        (b'\n{"id": "a", "output": 1}\n{"id": ', "outputs.jsonl:3: is not JSON ("),
        (b'{"id": "a", "output": NaN}', "outputs.jsonl:1: is not acceptable JSON (NaN is not a number)"),
        (b'{"id": "a", "output": {"x": 1, "x": 2}}', "outputs.jsonl:1: is not acceptable JSON (the key 'x' stands twice"),
        (b"\xff", "outputs.jsonl:1: is not UTF-8 text"),
    ],
)
def test_a_faulty_file_of_outputs_is_an_input_error(data: bytes, message: str) -> None:
    assert told(data).startswith(message)


def test_the_other_case_gets_the_output_of_the_next_and_the_last_that_of_the_first() -> None:
    assert answers(other_case(context(replies=said(a="A", b="B", c="C")))) == {"a": "B", "b": "C", "c": "A"}


def test_no_output_stands_in_where_the_other_case_has_none() -> None:
    assert answers(other_case(context(replies=said(a="A", b=None)))) == {"a": None, "b": None, "c": "A"}


def test_a_single_case_has_no_other_case() -> None:
    alone = TargetContext(cases=CASES[:1], provider=provider(), replies=said(a="A"))
    with pytest.raises(LookupError, match="no output stands in for a"):
        other_case(alone).answer(CASES[0])


def test_the_constant_is_the_first_output_that_there_is() -> None:
    assert answers(constant(context(replies=said(a=None, b="B", c="C")))) == dict.fromkeys(NAMES, "B")
    assert answers(constant(context(replies=said(a=None)))) == dict.fromkeys(NAMES)


def test_the_empty_strategy_answers_an_empty_object() -> None:
    assert answers(empty(context())) == dict.fromkeys(NAMES, "{}")


@pytest.mark.parametrize("strategy", [other_case, constant, empty])
def test_a_strategy_says_nothing_of_itself(strategy: Any) -> None:
    assert list(strategy(context(replies=said(a="A"))).checks()) == []
