"""The engine behind the port of decision_scores."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from assay.errors import InputError, UsageError
from assay.evaluators.decision_scores import PolicyEngine, decision_scores
from assay.providers.policy.engine import Engine, engine_of
from tests.unit.providers.policy.built import decision, policy

AS_OF = "2026-11-30T00:00:00+00:00"
TEXT = b"""
format: 1
policies:
  - {id: lending, title: L, outcomes: [yes_, no_], rules: [{name: small, must: {facts.amount: {at_most: 10}}}]}
  - {id: lodging, title: L, outcomes: [yes_, no_], rules: [{name: named, present: [facts.guest]}]}
"""


def engine() -> Engine:
    return engine_of(TEXT, "p.yaml", AS_OF)


def test_it_is_the_port_that_evaluators_call() -> None:
    assert isinstance(engine(), PolicyEngine)
    assert [known.id for known in engine().policies] == ["lending", "lodging"]


def test_it_says_yes_or_no() -> None:
    assert engine().check_compliance(decision("yes_", amount=10), "lending") is True
    assert engine().check_compliance(decision("yes_", amount=11), "lending") is False
    assert engine().check_compliance(decision("yes_", amount=11, guest="x"), "lodging") is True


def test_an_unknown_policy_lists_the_known_ones() -> None:
    with pytest.raises(UsageError) as error:
        engine().check_compliance(decision("yes_"), "lendings")
    assert str(error.value) == (
        "policy_id: unknown policy, got 'lendings'; expected one of lending, lodging. Did you mean 'lending'?"
    )


def test_what_cannot_be_told_is_neither_yes_nor_no() -> None:
    with pytest.raises(InputError) as error:
        engine().check_compliance(decision("yes_"), "lending")
    assert str(error.value) == "policy lending, rule small: cannot be told: facts.amount is missing."


def test_a_broken_rule_is_no_even_where_another_cannot_be_told() -> None:
    both = Engine([policy({"must": {"facts.a": True}}, {"must": {"facts.b": True}})], AS_OF)
    assert both.check_compliance(decision(b=False), "p") is False


def test_an_evaluator_turns_what_cannot_be_told_into_an_error_of_its_own() -> None:
    options = {"policy_engine": engine(), "policy_id": "lending"}
    assert "facts.amount is missing" in str(decision_scores(decision("yes_"), None, options).error)
    assert "unknown policy" in str(decision_scores(decision("yes_"), None, {**options, "policy_id": "x"}).error)
    metric = decision_scores(decision("yes_", amount=11), None, options)
    assert metric.error is None
    assert metric.meta["checks"]["policy"] is False  # type: ignore[index]  # a mapping


@pytest.mark.parametrize("as_of", [AS_OF, "2026-11-30T01:00:00+01:00", datetime(2026, 11, 30, tzinfo=UTC)])
def test_the_reference_moment_is_given_and_may_have_any_offset(as_of: str | datetime) -> None:
    rule = {"fresh": {"field": "timestamp", "within_hours": 1, "of": "as_of"}}
    found = Engine([policy(rule)], as_of)
    assert found.check_compliance(decision(timestamp="2026-11-29T23:00:00+00:00"), "p")
    assert not found.check_compliance(decision(timestamp="2026-11-29T22:59:59+00:00"), "p")


@pytest.mark.parametrize(
    ("as_of", "part"), [("2026-11-30", "has no offset"), ("today", "is not a moment"), (3, "is not a moment")]
)
def test_a_reference_moment_that_is_none_is_refused(as_of: object, part: str) -> None:
    with pytest.raises(UsageError, match=part):
        Engine([], as_of)  # type: ignore[arg-type]  # on purpose
