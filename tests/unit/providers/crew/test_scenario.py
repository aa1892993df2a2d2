"""Scripts are data: a faulty file says where and what; a specialist's last line is repeated."""

from __future__ import annotations

import json

import pytest

from assay.errors import InputError
from assay.model.gold import GoldCase
from assay.providers.crew import factory
from assay.providers.crew.scenario import scenario_named, scenarios_in
from tests.unit.providers.crew.runs import GOLD, context, said, scenario


def test_the_last_line_is_repeated_for_ever() -> None:
    script = scenario(writer=[said(draft="1"), said(draft="2")])
    assert [script.line("writer", number).say for number in range(4)] == [
        {"draft": "1"},
        {"draft": "2"},
        {"draft": "2"},
        {"draft": "2"},
    ]


def test_the_committed_scenarios_are_the_seven() -> None:
    found = scenarios_in((GOLD / "scenarios.jsonl").read_bytes(), "scenarios.jsonl")
    expected = [
        "passes_at_once",
        "one_revision",
        "two_revisions",
        "never_satisfied",
        "writer_errors",
        "no_angles",
        "schema_mismatch",
    ]
    assert list(found) == expected


@pytest.mark.parametrize("line", [{}, {"say": {}, "text": ""}, {"outage": "gone", "text": "x"}])
def test_a_line_is_exactly_one_of_three(line: dict[str, object]) -> None:
    row = {"id": "s", "about": "A.", "strategist": [line], "writer": [{"text": "x"}], "editor": [{"text": "x"}]}
    with pytest.raises(InputError, match=r"scenarios\.jsonl:1: strategist\.0: is not valid \(a line has exactly one of"):
        scenarios_in(json.dumps(row).encode(), "scenarios.jsonl")


def test_an_id_that_stands_twice_is_told() -> None:
    row = {"id": "s", "about": "A.", **{name: [{"text": "x"}] for name in ("strategist", "writer", "editor")}}
    with pytest.raises(InputError) as found:
        scenarios_in(f"{json.dumps(row)}\n{json.dumps(row)}".encode(), "scenarios.jsonl")
    assert str(found.value) == "scenarios.jsonl: the id 's' stands more than once; expected each id once."


def test_an_unknown_scenario_names_the_nearest() -> None:
    with pytest.raises(InputError) as found:
        scenario_named("no_angels", {"no_angles": scenario()}, "case c1")
    told = "case c1: unknown scenario, got 'no_angels'; expected one of no_angles. Did you mean 'no_angles'?"
    assert str(found.value) == told


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"policy": "skip_steps"}, "case c1: input.policy: unknown policy, got 'skip_steps'"),
        ({"scenario": "x"}, "case c1: input.scenario (scenarios.jsonl): unknown scenario, got 'x'"),
        ({"brief": ""}, "case c1: input: brief: is not valid"),
        ({"mood": "good"}, "case c1: input: mood: unknown key"),
    ],
)
def test_a_faulty_input_is_that_cases_failure(changes: dict[str, str], told: str) -> None:
    case = GoldCase(id="c1", input={"brief": "b", "scenario": "no_angles", "policy": "own", **changes}, expected={})
    with pytest.raises(InputError) as found:
        factory(context()).answer(case)
    assert str(found.value).startswith(told)
