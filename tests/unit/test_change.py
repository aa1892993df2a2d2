"""The headline of a change says what was run: touched suites, and unchanged ones that were run all the same."""

from __future__ import annotations

from assay.change import SuiteChange
from tests.unit.reporting.changes import KEPT, outcome
from tests.unit.reporting.reports import outcome_of, passing


def _suite(name: str, *inputs: str, is_run: bool) -> tuple[str, SuiteChange]:
    result = outcome_of(passing()) if is_run else None
    return name, SuiteChange(suite=name, inputs=inputs, result=result, checks=KEPT)


def test_unchanged_suites_that_were_run_are_not_told_as_if_nothing_had_been_run() -> None:
    suites = dict(_suite(name, is_run=True) for name in ("a", "b"))
    assert outcome(suites).headline == "PASS: 0 suites touched, 2 unchanged since 0123456789ab and run all the same"


def test_touched_suites_are_not_counted_among_those_run_all_the_same() -> None:
    suites = dict((_suite("a", "prompt", is_run=True), _suite("b", is_run=True), _suite("c", is_run=True)))
    assert outcome(suites).headline == "PASS: 1 suite touched, 2 unchanged since 0123456789ab and run all the same"


def test_some_of_the_unchanged_are_counted() -> None:
    suites = dict((_suite("a", "prompt", is_run=True), _suite("b", is_run=True), _suite("c", is_run=False)))
    assert outcome(suites).headline == "PASS: 1 suite touched, 2 unchanged since 0123456789ab, 1 of them run all the same"


def test_what_was_not_run_is_not_told_as_run() -> None:
    suites = dict((_suite("a", "prompt", is_run=True), _suite("b", is_run=False)))
    assert outcome(suites).headline == "PASS: 1 suite touched, 1 unchanged since 0123456789ab"
    told = "UNCHANGED: 0 suites touched, 1 unchanged since 0123456789ab (1 not run: what they come to is not judged here)"
    assert outcome(dict([_suite("b", is_run=False)])).headline == told
