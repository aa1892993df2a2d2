"""A factory makes a target, or a plain function whose results are answered as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from assay.model.gold import GoldCase
from assay.model.target import FunctionTarget, RecordableTarget, TargetContext, as_target
from assay.model.transcript import Event, Transcript
from assay.providers.crew import factory
from assay.providers.crew.strategies import idle, other_case
from tests.builders import provider, reply

GIVEN: dict[str, Any] = {"brief": "b", "list": [1, 2]}


def case(name: str = "c1") -> GoldCase:
    return GoldCase(id=name, input=GIVEN, expected={})


def answer(function: Callable[[Mapping[str, Any]], object]) -> str:
    return FunctionTarget(function).answer(case())


def test_the_function_is_given_the_input_and_nothing_of_the_expectation() -> None:
    seen: list[Mapping[str, Any]] = []
    answer(seen.append)
    assert seen == [GIVEN]


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        ("as it is", "as it is"),
        ("", ""),
        ([], "[]"),
        ({"b": 1, "a": [None, True]}, '{"a":[null,true],"b":1}'),
        (({"kind": "final", "name": "é"},), '[{"kind":"final","name":"é"}]'),
        ({1: "keys become text"}, '{"1":"keys become text"}'),
        (None, "null"),
        (0.5, "0.5"),
    ],
    ids=repr,
)
def test_what_a_function_returns_is_answered_as_canonical_json_and_a_text_as_it_is(returned: object, text: str) -> None:
    assert answer(lambda given: returned) == text


def test_records_are_answered_as_their_fields_wherever_they_lie() -> None:
    event = Event(kind="final", name="DONE", result={"draft": None})
    whole = Transcript(id="t", events=(event,))
    assert Transcript.model_validate_json(answer(lambda given: whole)) == whole
    assert [Event.model_validate(one) for one in json.loads(answer(lambda given: [event, event]))] == [event, event]
    assert json.loads(answer(lambda given: {"last": event}))["last"]["name"] == "DONE"


def test_a_generator_is_run_to_its_end() -> None:
    ended: list[str] = []

    def run(given: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
        yield {"kind": "phase", "name": given["brief"]}
        yield {"kind": "final", "name": "DONE"}
        ended.append("yes")

    assert answer(run) == '[{"kind":"phase","name":"b"},{"kind":"final","name":"DONE"}]'
    assert ended == ["yes"]


def test_what_a_generator_raises_halfway_is_the_cases_failure() -> None:
    def run(given: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
        yield {"kind": "phase", "name": "A"}
        raise LookupError("halfway")

    with pytest.raises(LookupError, match="halfway"):
        answer(run)


@pytest.mark.parametrize("returned", [float("nan"), [float("inf")], object(), b"bytes", ["half a pair: \ud800"]])
def test_what_json_does_not_hold_is_refused(returned: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        answer(lambda given: returned)


def test_a_function_says_nothing_of_itself_and_rests_on_no_model() -> None:
    target = FunctionTarget(lambda given: "")
    assert target.checks() == ()
    assert not isinstance(target, RecordableTarget)


def test_a_target_is_taken_as_it_is_even_when_it_can_be_called() -> None:
    class Callable_:  # noqa: N801  # a name for a class that is both
        def __call__(self, given: object) -> str:
            return "called"

        def answer(self, given: GoldCase) -> str:
            return given.id

        def checks(self) -> tuple[()]:
            return ()

    made = Callable_()
    assert as_target(made) is made
    assert as_target(made).answer(case("c7")) == "c7"


def test_a_function_and_an_object_that_can_be_called_become_targets() -> None:
    class Desk:
        def __call__(self, given: Mapping[str, Any]) -> object:
            return given["list"]

    assert as_target(Desk()).answer(case()) == "[1,2]"
    assert as_target(lambda given: given["brief"]).answer(case()) == "b"


@pytest.mark.parametrize("made", [None, 3, "text", [], iter(())])
def test_anything_else_is_refused_by_its_type(made: object) -> None:
    told = f"the factory made a {type(made).__name__}; expected a target or a function of a case's input"
    with pytest.raises(TypeError) as found:
        as_target(made)
    assert str(found.value) == told


def test_the_crew_and_its_strategies_are_made_by_such_factories() -> None:
    scripted = TargetContext(cases=(), provider=provider(model="scripted"), files={"scenarios": ("s.jsonl", b"")})
    assert isinstance(as_target(factory(scripted)), RecordableTarget)
    assert json.loads(as_target(idle(scripted)).answer(case()))[-1]["name"] == "DONE"


def test_the_strategy_of_other_cases_answers_with_the_next_and_the_last_with_the_first() -> None:
    cases = [case(name) for name in ("c1", "c2", "c3")]
    replies = {name: [reply(text=f"run of {name}")] for name in ("c1", "c2", "c3")}
    target = other_case(TargetContext(cases=cases, provider=provider(), replies=replies))
    assert [target.answer(one) for one in cases] == ["run of c2", "run of c3", "run of c1"]
    assert target.checks() == ()


def test_a_case_without_another_has_no_stand_in() -> None:
    alone = other_case(TargetContext(cases=[case()], provider=provider(), replies={"c1": [reply(text="run of c1")]}))
    with pytest.raises(LookupError, match="no other case has a run to stand in for c1"):
        alone.answer(case())
