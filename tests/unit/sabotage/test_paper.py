"""Gate and report hold on paper, and every wrong one is told, by whatever is wrong with it."""

from __future__ import annotations

import pytest

from assay.gate import judge
from assay.model.verdict import EXIT_CODES
from assay.reporting.build import build_report
from assay.reporting.markdown import markdown_text
from assay.sabotage.catalogue.gate import WRONG
from assay.sabotage.gate_paper import FACTS, gate_checks
from assay.sabotage.paper import believed, paper_check
from assay.sabotage.report_paper import judgement_of, report_checks


def test_the_gate_holds_on_paper() -> None:
    check = paper_check("gate_self_test", gate_checks(judge))
    assert (check.status, check.message) == ("kept", "45 of 45 worked out on paper agree")


def test_the_report_holds_on_paper() -> None:
    assert paper_check("report_self_test", report_checks(build_report, markdown_text, EXIT_CODES)).status == "kept"


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_gate_is_wrong_on_paper(name: str) -> None:
    assert not all(check.holds for check in gate_checks(WRONG[name](judge)))


def test_nothing_on_paper_could_not_run() -> None:
    assert paper_check("x", []).status == "could-not-run"


def test_a_judgement_of_a_gate_that_is_wrong_passes_nobody_and_says_why_first() -> None:
    wrong = paper_check("gate_self_test", gate_checks(WRONG["tolerance without end"](judge)))
    found = believed(judgement_of("PASS"), wrong)
    assert (found.verdict, found.checks[0].name) == ("FAIL", "gate_self_test")
    assert "4 pp worse fails: expected 1.0, got 0.0" in found.checks[0].message
    report = believed(build_report(judgement_of("PASS"), FACTS, lambda _: []), wrong)
    assert report.headline.startswith("FAIL paper v1: gate_self_test: ")


def test_what_holds_on_paper_is_left_as_it_is() -> None:
    assert believed(judgement_of("PASS"), paper_check("x", gate_checks(judge))) == judgement_of("PASS")
