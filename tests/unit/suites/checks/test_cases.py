"""The cases file: what a row may say, and what it may not."""

from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.suites.checks.cases import Row, load, row_of
from tests.builders import json_lines
from tests.unit.suites.checks.built import gold, one, row


def told(*rows: dict[str, object]) -> list[str]:
    with pytest.raises(InputError) as found:
        load({"cases": ("cases.jsonl", json_lines(*rows))})
    return [str(problem) for problem in found.value.problems]


def test_a_row_becomes_a_case_and_back() -> None:
    given = row("a", checks=["same"], config={"same": {"normaliser": "nfc"}}, planted="wrong word", strata=["sea", "short"])
    (case,) = gold(given)
    assert case.id == "a"
    assert case.input == {"prompt": "Say it, a."}
    assert case.expected == {
        "expected": {"word": "ship"},
        "checks": ["same"],
        "config": {"same": {"normaliser": "nfc"}},
        "planted": "wrong word",
    }
    assert case.strata == ("sea", "short", "wrong word")
    back = row_of(case)
    assert (back.id, back.expected, back.checks, back.planted) == ("a", {"word": "ship"}, ("same",), "wrong word")
    assert back.config == {"same": {"normaliser": "nfc"}}


def test_what_a_row_leaves_out_means_all_checks_no_options_and_no_fault() -> None:
    assert Row(id="a") == Row(id="a", input={}, expected=None, checks=None, config={}, planted=None, strata=())


@pytest.mark.parametrize("expected", [None, "ship", 3, 2.5, True, ["a", 1], {"a": {"b": None}}])
def test_an_expectation_may_be_any_json(expected: object) -> None:
    assert row_of(one(expected=expected)).expected == expected


def test_config_checks_and_planted_change_the_digest_and_strata_do_not() -> None:
    plain = one().digest
    changes = ({"checks": ["same"]}, {"config": {"same": {}}}, {"planted": "wrong word"}, {"expected": {"word": "boat"}})
    assert len({plain, *(one(**change).digest for change in changes)}) == 5
    assert one(strata=["sea"]).digest == plain


def test_an_id_that_stands_twice_is_named_once() -> None:
    assert told(row("a"), row("b"), row("a"), row("a")) == ["cases.jsonl: the id stands twice, got 'a'."]


def test_a_case_that_no_check_looks_at_is_an_error() -> None:
    assert told(row("a", checks=[]), row("b")) == [
        "cases.jsonl: a: is looked at by no check; expected at least one, or null for all."
    ]


def test_every_fault_of_the_file_is_told_at_once() -> None:
    found = told({**row("a"), "expect": 1}, {"input": {}}, row("b", config={"same": 3}))
    known = "checks, config, expected, id, input, planted, strata"
    told_of = f"cases.jsonl:1: expect: unknown key, got 'expect'; expected one of {known}. Did you mean 'expected'?"
    assert found[0] == told_of
    assert found[1] == "cases.jsonl:2: id: is missing."
    assert found[2].startswith("cases.jsonl:3: config.same: is not valid (")


def test_an_empty_id_is_refused() -> None:
    assert told(row(""))[0].startswith("cases.jsonl:1: id: is not valid (")


def test_an_empty_file_holds_no_cases() -> None:
    assert load({"cases": ("cases.jsonl", b"\n\n")}) == []
