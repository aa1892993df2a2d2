"""What a model is asked for one case, and what an oracle would answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.errors import InputError
from assay.model.suite import Sampling
from assay.suites.checks.requests import oracle_reply, requests_for
from tests.builders import ZERO, provider
from tests.unit.suites.checks.built import WORD, one, said, score


def asked(**changes: Any) -> list[str]:
    (request,) = requests_for(one(**changes), "Be brief.", ZERO, provider())
    return [message.content for message in request.messages]


def test_the_prompt_of_the_contract_comes_first_then_the_cases_own() -> None:
    assert asked() == ["Be brief.", "Say it, c."]


def test_an_input_without_a_prompt_is_asked_whole_with_sorted_keys() -> None:
    assert asked(input={"b": "ü", "a": [1]}) == ["Be brief.", '{"a": [1], "b": "ü"}']


def test_a_prompt_that_is_no_text_is_asked_as_json() -> None:
    assert asked(input={"prompt": {"q": 1}}) == ["Be brief.", '{"q": 1}']


@pytest.mark.parametrize("nothing", [{}, {"prompt": ""}, {"prompt": " \n"}, {"prompt": {}}])
def test_a_case_that_asks_nothing_is_an_input_error(nothing: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="case c: asks nothing; expected an input"):
        asked(input=nothing)


def test_all_that_can_change_the_answer_is_in_the_request() -> None:
    answering = provider(model="m2", sampling=Sampling(temperature=0.5), response_format="text")
    (request,) = requests_for(one(), "Be brief.", ZERO, answering, repeat=3)
    assert (request.model, request.sampling.temperature, request.response_format) == ("m2", 0.5, "text")
    assert (request.schema_sha256, request.repeat) == (ZERO, 3)


def test_an_expectation_does_not_change_what_is_asked() -> None:
    first, second = (requests_for(one(expected=word), "p", ZERO, provider())[0].fields.digest for word in ("a", "b"))
    assert first == second


def test_the_oracle_answers_with_the_expectation() -> None:
    assert oracle_reply(one(expected="ship ahoy")) == "ship ahoy"
    assert json.loads(oracle_reply(one(expected={"word": "ü"}))) == {"word": "ü"}


def test_what_the_oracle_answers_passes_unless_a_fault_was_planted() -> None:
    assert score(WORD, said(oracle_reply(one()))).passed
    assert not score(WORD, said(oracle_reply(one())), planted="wrong word").passed
