"""A crew that asked a model on loopback goes the same way from what was recorded, with no server and no key."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from assay.digest import canonical, digest_of
from assay.errors import InputError, Unrecorded
from assay.model.exchange import Exchange
from assay.model.gold import GoldCase
from assay.model.suite import Provider
from assay.model.target import RecordableTarget, TargetRecording
from assay.model.transcript import Transcript
from assay.providers.crew import factory
from assay.providers.crew.prompts import PROMPT
from assay.providers.crew.schemas import SCHEMAS
from tasks.replay_targets import answers_of
from tests.builders import provider
from tests.fault_server import ANSWER, refusal
from tests.unit.providers.crew.runs import CASES, context, shown
from tests.unit.providers.crew.test_cases import EXPECTED
from tests.unit.providers.crew.test_live import Crowd

KEY = "sk-not-to-be-seen"
THREE = ("editor-passes-at-once", "one-revision", "strategist-returns-no-angles")
"""Cases of three briefs. The served editor passes every draft, so a model takes each from start to end at once."""


def asking(crowd: Crowd, **live: Any) -> Provider:
    """The provider that asks this server."""
    url = getattr(crowd.server, "url", "http://127.0.0.1:1/v1")
    return provider("manual", model="m", live={"base_url": url, "api_key_env": "P_KEY", "attempts": 1, **live})


def recorded(crowd: Crowd, cases: Sequence[GoldCase], **live: Any) -> tuple[list[str], TargetRecording]:
    """What the crew answered with its model asked, and what was recorded of that."""
    with crowd.server:
        target = factory(context(provider=asking(crowd, **live), files={}, mode="live", environ={"P_KEY": KEY}))
        answers = [target.answer(case) for case in cases]
    return answers, target.recording()


def replayed(crowd: Crowd, cases: Sequence[GoldCase], body: bytes) -> list[str]:
    """What the crew answers from a recording; the server is gone, and so is the key."""
    seen = len(crowd.server.seen)
    target = factory(context(provider=asking(crowd), files={}, recording=body))
    answers = [target.answer(case) for case in cases]
    assert len(crowd.server.seen) == seen
    return answers


def exchanges(recording: TargetRecording) -> list[Exchange]:
    return [Exchange.model_validate_json(line) for line in recording.body.splitlines()]


def test_the_same_transcripts_come_from_the_recording_byte_for_byte() -> None:
    crowd, cases = Crowd(), [CASES[name] for name in THREE]
    answers, recording = recorded(crowd, cases)
    for answer in answers:
        assert shown(Transcript.model_validate_json(answer).events) == EXPECTED["editor-passes-at-once"]
    assert replayed(crowd, cases, recording.body) == answers
    assert replayed(crowd, cases[::-1], recording.body) == answers[::-1]


def test_a_recording_says_what_it_rests_on() -> None:
    crowd, cases = Crowd(), [CASES[name] for name in THREE]
    _, recording = recorded(crowd, cases)
    # Four decisions and three specialists in each of three cases.
    assert (recording.rows, len(crowd.server.seen), recording.model_served) == (21, 21, "fault-1")
    assert recording.identity == {"prompt_sha256": digest_of(PROMPT), "schema_sha256": digest_of(SCHEMAS)}
    found = exchanges(recording)
    assert [exchange.case_id for exchange in found] == [name for name in THREE for _ in range(7)]
    assert recording.body == b"".join(canonical(exchange.model_dump(mode="json")) + b"\n" for exchange in found)
    assert KEY.encode() not in recording.body


def test_decisions_of_a_policy_are_not_recorded_for_the_specialists_alone_are_asked() -> None:
    crowd, case = Crowd(strategist=0), CASES["rogue-skips-steps"]
    answers, recording = recorded(crowd, [case])
    assert shown(Transcript.model_validate_json(answers[0]).events) == EXPECTED["rogue-skips-steps"]
    assert recording.rows == 3
    assert replayed(crowd, [case], recording.body) == answers


def test_an_outage_is_recorded_as_one() -> None:
    crowd, case = Crowd(), CASES["editor-passes-at-once"]
    crowd.action = lambda prompt, nth: refusal(503) if prompt.startswith("Result of assign_writer") else ANSWER
    answers, recording = recorded(crowd, [case])
    assert shown(Transcript.model_validate_json(answers[0]).events) == EXPECTED["rogue-raises-at-decision"]
    assert exchanges(recording)[-1].reply is None
    assert replayed(crowd, [case], recording.body) == answers


def test_where_nobody_answered_there_is_no_model_to_name() -> None:
    crowd = Crowd()
    crowd.action = lambda prompt, nth: refusal(503)
    _, recording = recorded(crowd, [CASES["editor-passes-at-once"]])
    assert (recording.rows, recording.model_served) == (1, "nothing answered")


def test_a_case_that_was_never_recorded_is_no_outage_and_leaves_the_whole_target_without_answers() -> None:
    crowd, case = Crowd(), CASES["editor-passes-at-once"]
    _, recording = recorded(crowd, [case])
    new = case.model_copy(update={"input": {**case.input, "brief": "Another brief."}})
    with pytest.raises(Unrecorded, match="does not hold a request to decide"):
        replayed(crowd, [new], recording.body)
    found, target = answers_of(
        context(
            provider=asking(crowd).model_copy(update={"target": "assay.providers.crew:factory"}),
            files={},
            recording=recording.body,
            cases=(case, new),
        )
    )
    told = "recording of m: it does not hold a request to decide. Record it anew with `assay record`."
    assert (found["replies"], found["misses"], target) == ({}, {"*": told}, None)


def test_another_model_or_sampling_is_another_request() -> None:
    crowd, case = Crowd(), CASES["editor-passes-at-once"]
    _, recording = recorded(crowd, [case])
    changed: tuple[dict[str, Any], ...] = (
        {"model": "m-2"},
        {"sampling": asking(crowd).sampling.model_copy(update={"seed": 8})},
    )
    for change in changed:
        target = factory(context(provider=asking(crowd).model_copy(update=change), files={}, recording=recording.body))
        with pytest.raises(Unrecorded):
            target.answer(case)


def test_a_faulty_recording_is_told_by_its_line() -> None:
    crowd, case = Crowd(), CASES["editor-passes-at-once"]
    _, recording = recorded(crowd, [case])
    first = json.loads(recording.body.splitlines()[0])
    broken = recording.body + canonical({**first, "request_sha256": "no digest"}) + b"\n"
    with pytest.raises(InputError, match=r"^recording of m:8: request_sha256: is not valid"):
        factory(context(provider=asking(crowd), files={}, recording=broken))


def test_a_scripted_crew_has_nothing_to_record() -> None:
    target = factory(context())
    target.answer(CASES["editor-passes-at-once"])
    assert isinstance(target, RecordableTarget)
    assert (target.recording().rows, target.recording().body) == (0, b"")
