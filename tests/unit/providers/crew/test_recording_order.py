"""A recording answers each case as it was answered: request by request, in order, and no more often."""

from __future__ import annotations

import pytest

from assay.errors import Unrecorded
from assay.model.transcript import Transcript
from tests.fault_server import ANSWER, Action, completion, refusal, saying
from tests.unit.providers.crew.runs import CASES
from tests.unit.providers.crew.test_live import SAID, Crowd
from tests.unit.providers.crew.test_recording import recorded, replayed


def test_a_specialist_that_recovered_recovers_in_replay_too() -> None:
    """The second asking of the strategist is the same request as the first, with another outcome."""
    crowd, case = Crowd(strategist=2), CASES["editor-passes-at-once"]

    def action(prompt: str, nth: int) -> Action:
        if prompt.startswith('Result of consult_strategist: {"failed"'):
            return saying(completion(SAID["Brief"]))
        return refusal(503) if prompt == f"Brief: {case.input['brief']}" and nth == 1 else ANSWER

    crowd.action = action
    (answer,), recording = recorded(crowd, [case])
    events = Transcript.model_validate_json(answer).events
    assert [event.name for event in events if event.kind in {"error", "final"}] == ["ModelOutage", "DONE"]
    assert replayed(crowd, [case], recording.body) == [answer]


def test_two_cases_of_one_brief_are_answered_each_as_it_was() -> None:
    crowd, one = Crowd(), CASES["editor-passes-at-once"]
    cases = [one, one.model_copy(update={"id": "other"})]

    def action(prompt: str, nth: int) -> Action:
        is_second_strategist = prompt == f"Brief: {one.input['brief']}" and nth == 3
        return saying(completion('{"angles": ["Mondays."]}')) if is_second_strategist else ANSWER

    crowd.action = action
    answers, recording = recorded(crowd, cases)
    assert ["Mondays." in answer for answer in answers] == [False, True]
    assert replayed(crowd, cases, recording.body) == answers


def test_repeats_are_answered_in_their_order_and_no_more_often_than_recorded() -> None:
    crowd, one = Crowd(), CASES["editor-passes-at-once"]
    crowd.action = lambda prompt, nth: (
        saying(completion('{"angles": ["Mondays."]}')) if prompt == f"Brief: {one.input['brief']}" and nth == 3 else ANSWER
    )
    answers, recording = recorded(crowd, [one, one])
    assert replayed(crowd, [one, one], recording.body) == answers
    with pytest.raises(Unrecorded, match="does not hold a request to decide"):
        replayed(crowd, [one, one, one], recording.body)
