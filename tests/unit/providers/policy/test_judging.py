"""Policies over decisions: hand-worked cases of every form, and what absence does."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.providers.policy.judging import Finding, Judgement, judge
from tests.unit.providers.policy.built import decision, policy

AS_OF = datetime(2026, 11, 30, tzinfo=UTC)


def judged(rule: dict[str, Any], record: object) -> Judgement:
    return judge(policy(rule), record, AS_OF)


def test_a_threshold_is_kept_at_its_bound_and_broken_above() -> None:
    rule = {"when": {"outcome": "yes"}, "must": {"facts.debt": {"at_most": 0.45}}}
    assert judged(rule, decision(debt=0.45)) == Judgement("p", (), ("r1",))
    (finding,) = judged(rule, decision(debt=0.46)).findings
    assert finding == Finding("r1", "broken", "facts.debt is 0.46, not at most 0.45")


def test_a_rule_whose_condition_is_false_asks_for_nothing() -> None:
    rule = {"when": {"outcome": "yes"}, "must": {"facts.debt": {"at_most": 0.45}}}
    assert judged(rule, decision("no")) == Judgement("p", (), ())


def test_every_demand_that_fails_is_told() -> None:
    (finding,) = judged({"must": {"facts.a": {"at_least": 1}, "facts.b": True}}, decision(a=0, b=False)).findings
    assert finding.reason == "facts.a is 0, not at least 1; facts.b is False, not equals True"


def test_an_outcome_is_forbidden_only_under_its_condition() -> None:
    rule = {"when": {"facts.oxygen": {"below": 92}}, "forbid": ["no", "later"]}
    assert judged(rule, decision("yes", oxygen=80)).status == "kept"
    assert judged(rule, decision("no", oxygen=92)).status == "kept"
    (finding,) = judged(rule, decision("no", oxygen=91)).findings
    assert finding == Finding("r1", "broken", "outcome 'no' is forbidden here")


@pytest.mark.parametrize("value", [None, "", " \n", [], {}])
def test_a_field_that_is_empty_is_not_present(value: object) -> None:
    (finding,) = judged({"present": ["facts.a", "facts.b"]}, decision(a=value, b="x")).findings
    assert finding == Finding("r1", "broken", "nothing at facts.a")


@pytest.mark.parametrize("value", [False, 0, "0", [0]])
def test_false_and_zero_are_something(value: object) -> None:
    assert judged({"present": ["facts.a"]}, decision(a=value)).status == "kept"


@pytest.mark.parametrize(
    ("moment", "status"),
    [
        ("2026-11-30T00:00:00+00:00", "kept"),
        ("2026-11-23T00:00:00+00:00", "kept"),
        ("2026-11-22T23:59:59+00:00", "broken"),
        ("2026-11-23T00:59:59+01:00", "broken"),
        ("2026-11-30T00:00:01+00:00", "broken"),
        ("2026-11-29", "untold"),
        ("yesterday", "untold"),
        (20261129, "untold"),
        (None, "untold"),
        (datetime(2026, 11, 29, tzinfo=UTC), "kept"),
    ],
)
def test_seven_days_before_the_reference_moment(moment: object, status: str) -> None:
    rule = {"fresh": {"field": "timestamp", "within_days": 7, "of": "as_of"}}
    assert judged(rule, decision(timestamp=moment)).status == status


def test_age_may_be_counted_back_from_the_decision_itself() -> None:
    rule = {"fresh": {"field": "facts.vitals", "within_minutes": 60, "of": "timestamp"}}
    assert judged(rule, decision(timestamp="2026-11-10T12:00:00+00:00", vitals="2026-11-10T11:00:00+00:00")).status == "kept"
    (old,) = judged(rule, decision(timestamp="2026-11-10T12:00:01+00:00", vitals="2026-11-10T11:00:00+00:00")).findings
    assert old.reason == "facts.vitals 2026-11-10T11:00:00+00:00 is 1:00:01 before timestamp, more than 1:00:00"
    (ahead,) = judged(rule, decision(timestamp="2026-11-10T12:00:00+00:00", vitals="2026-11-10T12:05:00+00:00")).findings
    assert ahead.reason == "facts.vitals 2026-11-10T12:05:00+00:00 is after timestamp 2026-11-10T12:00:00+00:00"
    assert judged(rule, decision(timestamp=None, vitals="2026-11-10T12:05:00+00:00")).status == "untold"


@pytest.mark.parametrize("outcome", [None, "Yes", "", 1, ["yes"]])
def test_an_outcome_that_the_policy_lacks_breaks_it(outcome: object) -> None:
    found = judged({"present": ["timestamp"]}, decision(outcome))
    assert found.status == "broken"
    assert found.findings[0].rule == "outcomes"


def test_a_missing_fact_is_neither_kept_nor_broken() -> None:
    (finding,) = judged({"must": {"facts.debt": {"at_most": 0.45}}}, decision()).findings
    assert finding == Finding("r1", "untold", "facts.debt is missing")


def test_a_missing_fact_in_a_condition_leaves_a_rule_untold_only_where_it_matters() -> None:
    rule = {"when": {"facts.known": False}, "forbid": ["yes"]}
    assert judged(rule, decision("yes")).status == "untold"
    assert judged(rule, decision("no")).status == "kept"
    two = {"when": {"outcome": "yes", "facts.amount": {"above": 5}}, "present": ["facts.second"]}
    assert judged(two, decision("no")).status == "kept"
    assert judged(two, decision("yes")).status == "untold"
    assert judged(two, decision("yes", second="K.")).status == "kept"


def test_a_fact_of_another_kind_does_not_slip_past_a_condition() -> None:
    rule = {"when": {"facts.known": False}, "forbid": ["yes"]}
    (finding,) = judged(rule, decision("yes", known="no")).findings
    assert finding == Finding("r1", "untold", "facts.known is 'no', where true or false was expected")


def test_a_broken_rule_outweighs_an_untold_one() -> None:
    rules = ({"must": {"facts.a": {"above": 0}}}, {"must": {"facts.b": {"above": 0}}})
    found = judge(policy(*rules), decision(b=-1), AS_OF)
    assert [finding.status for finding in found.findings] == ["untold", "broken"]
    assert found.status == "broken"


FACTS = ("a", "b")
CONDITIONS = st.sampled_from([{"at_least": 1}, {"below": 1}, {"at_least": 0, "below": 2}, 0, [1, 2]])
DEMANDS = st.dictionaries(st.sampled_from([f"facts.{name}" for name in FACTS]), CONDITIONS, min_size=1)
RULES = st.one_of(
    st.fixed_dictionaries({"must": DEMANDS}),
    st.fixed_dictionaries({"when": DEMANDS, "must": DEMANDS}),
    st.fixed_dictionaries({"when": DEMANDS, "forbid": st.just(["no"])}),
)


@given(
    rules=st.lists(RULES, min_size=1, max_size=4),
    outcome=st.sampled_from(["yes", "no"]),
    facts=st.fixed_dictionaries({name: st.sampled_from([None, 0, 1, 2]) for name in FACTS}),
)
def test_what_is_told_without_a_fact_stays_so_whatever_the_fact_is(
    rules: list[dict[str, Any]], outcome: str, facts: dict[str, int | None]
) -> None:
    known = policy(*rules)
    status = judge(known, decision(outcome, **facts), AS_OF).status
    choices = [[facts[name]] if facts[name] is not None else [0, 1, 2] for name in FACTS]
    completed = {
        judge(known, decision(outcome, **dict(zip(FACTS, values, strict=True))), AS_OF).status for values in product(*choices)
    }
    assert "untold" not in completed
    assert status == "untold" or completed == {status}


@given(rules=st.lists(RULES, min_size=2, max_size=4), a=st.integers(0, 2), b=st.integers(0, 2))
def test_a_policy_is_kept_when_each_of_its_rules_is(rules: list[dict[str, Any]], a: int, b: int) -> None:
    record = decision("no", a=a, b=b)
    alone = [judge(policy(rule), record, AS_OF).status for rule in rules]
    for order in (rules, rules[::-1]):
        assert (judge(policy(*order), record, AS_OF).status == "kept") is all(status == "kept" for status in alone)
