"""For test_cases.py and test_scoring.py once the patch is in."""

from __future__ import annotations

from assay.suites.orchestration.audit import audit
from assay.suites.orchestration.cases import load
from assay.suites.orchestration.scoring import scorer
from tests.unit.suites.orchestration.gold import case, files, row, run


def test_a_case_may_have_no_rule_beside_those_of_every_case() -> None:
    given = files(row("c1"))
    (found,) = load(given)
    assert (found.expected["rules"], found.expected["common"]) == ([], 1)
    score = scorer(given, {})
    assert score(case(), [run("final DONE")]).passed
    assert not score(case(), [run("final FAILED")]).passed
    assert audit(given, {}).faults == ()
