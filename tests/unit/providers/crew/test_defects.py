"""Every planted defect turns exactly the cases red that it names, in any order; the crew as it is turns none."""

from __future__ import annotations

import pytest

from assay.providers.crew import factory
from assay.providers.crew.defects import DEFECTS, Defect
from tests.unit.providers.crew.runs import NAMES, answers, context, red

ISSUE = (
    *("cap raised to ten", "illegal moves accepted", "a refusal fails the run", "an empty strategy is a success"),
    *("an exception is swallowed", "telemetry is shared between cases"),
    *("the mock stands in for a model that is gone", "the mock is the default without the flag"),
)


def test_the_defects_are_these() -> None:
    assert tuple(defect.name for defect in DEFECTS) == ISSUE


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_a_defect_is_killed_by_what_it_names_and_nothing_else(defect: Defect) -> None:
    parts = defect.parts()
    assert red(answers(parts=parts)) == defect.red_among(NAMES)
    checks = {check.name: check.status for check in factory(context(), parts=parts).checks()}
    assert checks == {"mock_is_chosen": "broken" if defect.broken_check else "kept"}
    assert defect.red_among(NAMES) or defect.broken_check


@pytest.mark.parametrize("defect", [d for d in DEFECTS if d.spared is None], ids=lambda defect: defect.name)
def test_a_defect_that_shares_nothing_is_killed_by_the_case_alone(defect: Defect) -> None:
    assert tuple(name for name in NAMES if red(answers([name], defect.parts()))) == defect.killed_by


def test_shared_telemetry_spares_whichever_case_is_first() -> None:
    shared = next(defect for defect in DEFECTS if defect.spared)
    backwards = NAMES[::-1]
    assert red(answers(backwards, shared.parts())) == backwards[1:]
    assert red(answers(parts=shared.parts())) == NAMES[1:]
