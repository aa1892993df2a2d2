"""Facets on trial: each kind of worthless one is a fault, and a sound scenario has none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.suites.facets.audit import audit, audit_scenarios
from assay.suites.facets.options import AuditOptions
from tests.unit.suites.facets.facet_builders import mapping, scenario, task
from tests.unit.suites.facets.test_cases import BUNDLED

LIMITS = AuditOptions()


def faults(*tasks: dict[str, Any]) -> list[str]:
    return list(audit_scenarios([scenario(*tasks)], LIMITS).faults)


def test_a_sound_scenario_has_no_fault() -> None:
    assert faults(task("How much?", "40 litres"), task("Where?", "twelve turns", forbidden_facets=["out of order"])) == []


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (task("Does it lift 40 Litres?", "40 litres"), "works/t1: facet '40 litres' occurs in the question itself"),
        (task("How much?", "50 litres"), "works/t1: facet '50 litres' is in no record, so it cannot be found"),
        (task("Which?", "pump"), "works/t1: facet 'pump' is in 4 of 6 records, more than 20%"),
        (task("How?", "lift"), "works/t1: facet 'lift' occurs inside another word (lifts)"),
        (task("How?", "40 litres", forbidden_facets=["71"]), "works/t1: facet '71' occurs inside another word (w-71)"),
    ],
)
def test_a_worthless_facet_is_a_fault(asked: dict[str, Any], told: str) -> None:
    assert told in faults(asked)


def test_a_facet_may_have_several_faults() -> None:
    # "pump" stands in Pumps, Pump W-17, Pump W-71 and the root's "pumps": 4 of 6, and twice as a part of "pumps"
    assert faults(task("Which pump?", "pump")) == [
        "works/t1: facet 'pump' occurs in the question itself",
        "works/t1: facet 'pump' is in 4 of 6 records, more than 20%",
        "works/t1: facet 'pump' occurs inside another word (pumps)",
    ]


def test_questions_that_are_alike_are_a_fault() -> None:
    found = audit_scenarios([scenario(task("How much does it lift now?"), task("How much does it lift now??"))], LIMITS)
    assert len(found.near_duplicates) == 1
    assert found.effective_cases < 2
    assert any("near-duplicates" in fault for fault in found.faults)


def test_what_is_counted_and_what_is_declared() -> None:
    files = {"a": ("a.yaml", json.dumps(mapping()).encode()), "b": ("b.yaml", json.dumps(BUNDLED).encode())}
    found = audit(files, {"audit": {"scenarios": {"works": 1, "theirs": 2, "gone": 3}}})
    assert found.counts["tasks"] == {"all": 2, "works": 1, "theirs": 1}
    assert found.counts["records"] == {"works": 6}
    assert found.faults == ("theirs has 1 tasks; the suite declares 2", "gone has 0 tasks; the suite declares 3")
    assert [finding.title for finding in found.findings] == [
        "works: where its facets stand",
        "Scenarios of a package, whose records are not held here",
    ]
    assert found.findings[0].lines == ("t1: '40 litres' in w17",)
