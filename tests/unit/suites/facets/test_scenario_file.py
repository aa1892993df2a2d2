"""Scenario files: what a good one gives, and every inconsistency of a bad one at once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.suites.facets.scenario_file import scenario_from, scenario_of
from tests.unit.suites.facets.facet_builders import KNOWLEDGE, PROFILE, ROLE, mapping, scenario, task


def faults(**changes: Any) -> list[str]:
    tasks = changes.pop("tasks", [task()])
    with pytest.raises(InputError) as found:
        scenario_from({**mapping(), "tasks": tasks, **changes}, "s.yaml")
    assert found.value.exit_code == 2
    return [str(problem) for problem in found.value.problems]


def test_a_scenario_is_read_whole() -> None:
    found = scenario(task("How much?", "40 litres", notes="by hand"), task("And then?", "twelve", id="church"))
    assert [found.task_id(at) for at in range(2)] == ["t1", "church"]
    assert found.providers == ("provider-a",)
    assert [item.id for item in found.knowledge] == ["root", "pumps", "w17", "w71", "mains", "valve"]
    assert (found.policy.retrieval_k, found.policy.decay, found.tasks[0].notes) == (5, "half_life:720", "by hand")


def test_every_fault_of_a_file_is_listed_at_once() -> None:
    data = b"""
name: bad
title: Bad
description: everything wrong
knowledge:
  - {id: leaf, text: "a leaf", parent: root}
  - {id: root, text: "the root"}
  - {id: root, text: "again", days_ago: -3}
  - {id: lost, text: "lost", parent: nowhere}
  - {id: selfish, text: "own parent", parent: selfish}
  - {id: window, text: "window", valid_from_days_ago: 5, valid_until_days_ago: 9}
  - {id: dated, text: "date", days_ago: last Tuesday}
  - {text: "no id"}
profiles:
  - {name: p, provider: a}
  - {name: p, provider: b}
roles:
  - {name: r, description: d, system_prompt: s, profile: q}
tasks:
  - {question: "Nothing expected?"}
  - {question: "Blank?", expected_facets: ["  ", "ok"]}
  - {question: "Twice?", expected_facets: ["Same", "same"], colour: red}
policy: {decay: "half_life:-3", retrieval_k: 0, constraints: {charm: 2}}
disturbed: {c: {degrade_after: 1}}
"""
    with pytest.raises(InputError) as found:
        scenario_of(data, "bad.yaml")
    assert str(found.value) == (
        "bad.yaml: knowledge[2] 'root': days_ago: is not valid (Input should be greater than or equal to 0), got -3.\n"
        "bad.yaml: knowledge[5] 'window': is not valid (is valid until 9 days ago, which is not after 5 days ago, from when it "
        "is valid), got {'id': 'window', 'text': 'window', 'valid_from_days_ago': 5, 'valid_until_days_ago': 9}.\n"
        "bad.yaml: knowledge[6] 'dated': days_ago: is not valid (Input should be a valid number, unable to parse string as a "
        "number), got 'last Tuesday'.\n"
        "bad.yaml: knowledge[7]: id: is missing.\n"
        "bad.yaml: tasks[2] 'Twice?': colour: unknown key, got 'colour'; expected one of expected_events, expected_facets, "
        "forbidden_facets, id, notes, question.\n"
        "bad.yaml: policy: retrieval_k: is not valid (Input should be greater than or equal to 1), got 0.\n"
        "bad.yaml: policy: constraints: is not valid (unknown objectives charm; expected some of coverage, density, agreement, "
        "recency, cost), got {'charm': 2}.\n"
        "bad.yaml: policy: decay: is not valid (unknown decay 'half_life:-3'; expected none, validity, half_life:HOURS or "
        "ebbinghaus:HOURS, joined with +), got 'half_life:-3'.\n"
        "bad.yaml: knowledge[0] 'leaf': stands before its parent, got 'root'; expected parents first.\n"
        "bad.yaml: knowledge[2] 'root': the id stands twice, got 'root'.\n"
        "bad.yaml: knowledge[3] 'lost': unknown parent, got 'nowhere'; expected the id of an earlier record.\n"
        "bad.yaml: knowledge[4] 'selfish': is its own parent, got 'selfish'.\n"
        "bad.yaml: profiles: the name stands twice, got 'p'.\n"
        "bad.yaml: roles[0] 'r': unknown profile, got 'q'; expected one of p.\n"
        "bad.yaml: disturbed: unknown provider, got 'c'; expected one of a, b.\n"
        "bad.yaml: tasks[0] 'Nothing expected?': has no facets; expected expected_facets, or forbidden_facets for a question "
        "without an answer.\n"
        "bad.yaml: tasks[1] 'Blank?': has a blank facet, got '  '.\n"
        "bad.yaml: tasks[2] 'Twice?': names a facet twice, got 'same'."
    )


def test_more_than_twenty_faults_are_all_listed() -> None:
    rows = [*KNOWLEDGE, *({"id": f"x{at}", "text": "x", "parent": "nowhere"} for at in range(30))]
    assert len(faults(knowledge=rows)) == 30


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"knowledge": []}, "s.yaml: knowledge: is empty; expected a list with at least one row."),
        ({"roles": None}, "s.yaml: roles: is missing; expected a list with at least one row."),
        ({"profiles": {"p": 1}}, "s.yaml: profiles: is no list; expected a list with at least one row."),
        (
            {"name": "Bad name"},
            "s.yaml: name: is not valid (String should match pattern '^[a-z][a-z0-9_-]*$'), got 'Bad name'.",
        ),
        ({"colour": "red"}, "s.yaml: colour: unknown key, got 'colour'; expected one of description, name, title."),
        ({"disturbed": [1]}, "s.yaml: disturbed: is no mapping, got 'list'; expected disturbances by provider."),
        (
            {"roles": [{**ROLE, "profile": "pp"}]},
            "s.yaml: roles[0] 'r': unknown profile, got 'pp'; expected one of p. Did you mean 'p'?",
        ),
        ({"roles": [ROLE, ROLE]}, "s.yaml: roles: the name stands twice, got 'r'."),
        ({"tasks": [task(id="a"), task("And?", id="a")]}, "s.yaml: tasks: the id stands twice, got 'a'."),
        ({"tasks": [task(id="t2"), task("And?")]}, "s.yaml: tasks: the id stands twice, got 't2'."),
        ({"tasks": [task(), task()]}, "s.yaml: tasks: the question stands twice, got 'How much does it lift?'."),
    ],
)
def test_one_fault_is_one_message(changes: dict[str, Any], told: str) -> None:
    assert faults(**changes) == [told]


def test_a_question_without_an_answer_needs_forbidden_facets_alone() -> None:
    found = scenario({"question": "How much does W-18 lift?", "forbidden_facets": ["40 litres"]})
    assert found.tasks[0].expected_facets == ()


@pytest.mark.parametrize("spec", ["none", "validity", "half_life", "half_life:2160+validity", "ebbinghaus:0.5 + none"])
def test_decay_is_a_sum_of_known_parts(spec: str) -> None:
    assert scenario(policy={"decay": spec}).policy.decay == spec


@pytest.mark.parametrize("spec", ["", "half_life:0", "half_life:0.0", "half_life:x", "linear", "none+", "validity:3"])
def test_any_other_decay_is_refused(spec: str) -> None:
    assert len(faults(policy={"decay": spec})) == 1


@given(st.permutations(range(len(KNOWLEDGE))))
def test_an_order_is_refused_exactly_where_a_child_precedes_its_parent(order: list[int]) -> None:
    rows = [KNOWLEDGE[at] for at in order]
    places = {str(row["id"]): at for at, row in enumerate(rows)}
    early = sum("parent" in row and places[str(row["parent"])] > at for at, row in enumerate(rows))
    try:
        scenario_from({**mapping(), "knowledge": rows}, "s.yaml")
        told = 0
    except InputError as error:
        told = len(error.problems)
    assert told == early


def test_profiles_of_one_provider_are_one_provider() -> None:
    assert scenario(profiles=[PROFILE, {**PROFILE, "name": "q"}]).providers == ("provider-a",)
