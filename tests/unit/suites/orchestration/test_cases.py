"""The rules of the gold files: one case per row, and every fault of both files at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.suites.orchestration.cases import load, parse
from tests.unit.suites.orchestration.gold import DONE, ORDERED, files, row

GOLD = Path(__file__).resolve().parents[4] / "goldsets" / "orchestration" / "v1"


def complaint(given: Mapping[str, tuple[str, bytes]]) -> str:
    with pytest.raises(InputError) as caught:
        load(given)
    return str(caught.value)


def test_a_row_is_a_case_with_its_own_rules_and_the_number_of_those_of_all() -> None:
    (first, second) = load(files(row("c2", ORDERED, strata=["hard"]), row("c1", DONE, ORDERED)))
    assert (first.id, first.input, first.strata) == ("c2", {"brief": "Do what c2 says."}, ("hard",))
    assert first.expected == {"user": "It works.", "rules": [dict(ORDERED)], "common": 1}
    assert (second.id, second.expected["rules"], second.strata) == ("c1", [dict(DONE), dict(ORDERED)], ())


def test_the_committed_cases_are_ten_and_all_their_rules_mean_something() -> None:
    given = {role: (name, (GOLD / name).read_bytes()) for role, name in (("cases", "cases.jsonl"), ("rules", "rules.yaml"))}
    rows, common, found = parse(given)
    assert (len(rows), len(common), found) == (10, 12, [])
    assert [case.id for case in load(given)] == [row.id for row in rows]


def test_an_edited_rule_or_input_is_another_case() -> None:
    (one,) = load(files(row("c1", DONE)))
    (edited,) = load(files(row("c1", {**DONE, "final": "FAILED"})))
    (other,) = load(files(row("c1", DONE, input={"brief": "Another."})))
    assert len({one.digest, edited.digest, other.digest}) == 3


def test_empty_files_give_no_cases() -> None:
    assert load(files()) == []


def test_every_fault_between_the_files_is_told_at_once() -> None:
    wrong = {"name": "typo", "eventualy": {"kind": "error"}}
    told = complaint(files(row("c1", DONE), row("c1", DONE), row("c2", wrong), row("c3", DONE, dict(DONE))))
    lines = told.splitlines()
    assert lines[0] == "cases.jsonl: the id stands twice, got 'c1'."
    assert lines[1].startswith("cases.jsonl: c2: expect.rules.0 (typo): is no rule (no form; expected one of the keys never,")
    assert "Did you mean 'eventually'?" in lines[1]
    assert lines[2].startswith("cases.jsonl: c3: expect.rules.1 (ends-well): a rule of this name stands already")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (row(input="text"), "cases.jsonl:1: input: is not valid"),
        ({key: value for key, value in row().items() if key != "input"}, "cases.jsonl:1: input: is missing"),
        (row(id=""), "cases.jsonl:1: id: is not valid"),
        (row(expect={"rules": [DONE]}), "cases.jsonl:1: expect.user: is missing"),
        (row(expect={"user": "", "rules": [DONE]}), "cases.jsonl:1: expect.user: is not valid"),
        (row(expects={}), "cases.jsonl:1: expects: unknown key"),
    ],
)
def test_a_faulty_row_is_told_by_line_and_field(given: dict[str, Any], told: str) -> None:
    assert complaint(files(given)).startswith(told)


def test_a_rules_file_without_rules_is_refused_by_its_name() -> None:
    assert complaint(files(row("c1", DONE), rules="format: 1\nrules: []\n")).startswith("rules.yaml: holds no rules")
    assert complaint(files(row("c1", DONE), rules="format: 2\nrules: []\n")).startswith("rules.yaml: unknown format version")
