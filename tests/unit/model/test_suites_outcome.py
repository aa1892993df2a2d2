"""Several suites: the verdict on all is the worst of theirs, and nothing that was run or left out goes unsaid."""

from __future__ import annotations

import itertools

import pytest

from assay.errors import Incomplete, InputError, Problem, UserError
from assay.model.run import RunOutcome, SuitesOutcome, verdict_of

UNREADABLE = InputError(Problem("goldsets/x/v1/suite.yaml", "is not YAML"))
STOPPED = Incomplete(Problem("provider p", "stopped (limit of 3 requests reached)"))


def ended(verdict: str, suite: str = "s") -> RunOutcome:
    return RunOutcome("r", "/r", b"{}", verdict, f"{verdict} {suite} v1: because", "")


@pytest.mark.parametrize(
    ("results", "verdict", "code"),
    [
        ([ended("PASS"), ended("PASS")], "PASS", 0),
        ([ended("PASS"), ended("NO VERDICT")], "NO VERDICT", 3),
        ([ended("NO VERDICT"), UNREADABLE], "ERROR", 2),
        ([UNREADABLE, ended("FAIL"), ended("NO VERDICT"), ended("PASS")], "FAIL", 1),
        ([ended("PASS"), STOPPED], "NO VERDICT", 3),
    ],
)
def test_the_worst_counts_whatever_the_order(results: list[RunOutcome | UserError], verdict: str, code: int) -> None:
    for order in itertools.permutations(results):
        outcome = SuitesOutcome({str(number): result for number, result in enumerate(order)})
        assert (outcome.verdict, outcome.exit_code) == (verdict, code)


def test_the_headline_counts_the_verdicts_and_gives_the_worst_ones_reason() -> None:
    results = {"a": ended("PASS", "a"), "b": ended("FAIL", "b"), "c": UNREADABLE}
    assert SuitesOutcome(results, {"d": "unchanged since main"}).headline == (
        "FAIL 3 suites (1 FAIL, 1 ERROR, 1 PASS); not run: d: FAIL b v1: because"
    )
    assert SuitesOutcome({"c": UNREADABLE}).headline == ("ERROR 1 suite (1 ERROR): goldsets/x/v1/suite.yaml: is not YAML.")


def test_where_nothing_had_to_be_run_that_is_said_and_is_no_pass() -> None:
    outcome = SuitesOutcome({}, {"a": "unchanged since main"})
    assert (outcome.verdict, outcome.exit_code, outcome.headline) == ("UNCHANGED", 0, "UNCHANGED 0 suites; not run: a")


def test_an_error_means_what_its_exit_code_means() -> None:
    assert [verdict_of(error) for error in (UNREADABLE, STOPPED)] == ["ERROR", "NO VERDICT"]
