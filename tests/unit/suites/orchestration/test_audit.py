"""The rules of the audit: planted faults are found, counts are right, and cases that say little are named."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import InputError
from assay.model.audit import Audit
from assay.suites.orchestration.audit import audit
from tests.unit.suites.orchestration.gold import DONE, ORDERED, files, row

BRIEFS = {"c1": "A note about the tram.", "c2": "Sunday opening of the library!", "c3": "Brown bins: what goes in?"}
COUNTED = {"name": "one", "count": {"kind": "error"}, "at_most": 1}


def said(name: str, *rules: Any, brief: str | None = None) -> dict[str, Any]:
    return row(name, *rules, input={"brief": brief or BRIEFS[name]})


def audited(*rows: dict[str, Any]) -> Audit:
    return audit(files(*rows), {})


def sound() -> list[dict[str, Any]]:
    return [said("c1", DONE, ORDERED, COUNTED), said("c2", ORDERED), said("c3", DONE, COUNTED)]


def test_a_sound_set_has_no_faults_and_is_worth_its_number() -> None:
    found = audited(*sound())
    assert (found.faults, found.near_duplicates, found.review_band) == ((), (), ())
    assert (found.cases, found.effective_cases) == (3, 3.0)


def test_counts_are_of_cases_rules_and_forms() -> None:
    # Own rules: 3 + 1 + 2; the one of all cases is of form `final` too.
    assert audited(*sound()).counts == {
        "cases": {"all": 3},
        "rules": {"of every case": 1, "of single cases": 6},
        "forms": {"count": 2, "final": 3, "never": 2},
    }


def test_cases_with_few_rules_of_their_own_are_named() -> None:
    thin, correct = audited(*sound()).findings
    assert thin.title == "Cases with fewer than 3 rules of their own (2)"
    assert thin.lines == ("c2: 1 rules of its own", "c3: 2 rules of its own")
    assert correct.title == "What a user would call correct"
    assert correct.lines == ("c1: It works.", "c2: It works.", "c3: It works.")


def test_the_same_input_twice_is_a_fault() -> None:
    found = audited(*sound()[:2], said("c3", DONE, brief=BRIEFS["c1"]))
    assert found.faults == ("c1 and c3 have the same input",)
    assert [(pair.a, pair.b) for pair in found.near_duplicates] == [("c1", "c3")]
    assert found.effective_cases == 2.0


def test_an_input_that_is_nearly_the_same_is_to_be_read_and_no_fault() -> None:
    long = "Announce to the members of the library that its branch opens on Sundays, and say from when and how long"
    found = audited(said("c1", DONE, brief=f"{long}."), said("c2", DONE, brief=f"{long}!"))
    assert (found.faults, found.near_duplicates) == ((), ())
    assert [(pair.a, pair.b) for pair in found.review_band] == [("c1", "c2")]


def test_faults_between_the_files_are_listed_and_not_raised() -> None:
    found = audited(said("c1", DONE), said("c1", DONE), said("c2", {"name": "typo", "finall": "DONE"}))
    assert found.faults[0] == "cases.jsonl: the id stands twice, got 'c1'."
    assert found.faults[1].startswith("cases.jsonl: c2: expect.rules.0 (typo): is no rule")
    assert found.counts["rules"] == {"of every case": 1, "of single cases": 0}


def test_a_row_that_cannot_be_read_is_raised() -> None:
    with pytest.raises(InputError, match=r"^cases\.jsonl:1: expect: is missing"):
        audited({"id": "c1", "input": {}})


def test_an_empty_set_is_worth_nothing() -> None:
    found = audited()
    assert (found.cases, found.effective_cases, found.faults) == (0, 0.0, ())
