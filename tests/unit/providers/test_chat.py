"""What is sent to an endpoint, and what is kept of its answer. Faults are in test_chat_faults.py."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.exchange import Usage
from assay.providers.client import Unanswered
from tests.builders import request
from tests.fault_server import ANSWER, FaultServer, always, completion, saying
from tests.unit.providers.asked import KEY, Bench, asking, sent

WHOLE = {
    "model": "m",
    "messages": [{"role": "system", "content": "prompt"}, {"role": "user", "content": "Grüße 🦊\n"}],
    "temperature": 0.0,
    "max_tokens": 64,
}
TEXTS = (
    '{"memories": []}',
    "  leading and trailing \n\n",
    "",
    '```json\n{"memories": []}\n```',
    "e\u0301 is not \u00e9, ﬁ is not fi, \ufeff and \u200b stay",
    "emoji 👩‍👩‍👧, null \u0000, line \u2028 paragraph \u2029, \r\n and \t",
    '{"memories": [{"content": "cut in the mid',
    "\u202eright to left\u202c",
)


def test_the_body_holds_model_messages_sampling_and_schema_and_nothing_else() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    wanted = {"type": "json_schema", "json_schema": {"name": "response", "schema": schema, "strict": True}}
    assert sent(request("Grüße 🦊\n", max_tokens=64), schema).body == {**WHOLE, "response_format": wanted}


@pytest.mark.parametrize(("kind", "wanted"), [("json_object", {"response_format": {"type": "json_object"}}), ("text", {})])
def test_without_a_schema_the_endpoint_is_asked_for_json_or_for_nothing(kind: str, wanted: dict[str, Any]) -> None:
    asked_for = request("Grüße 🦊\n", max_tokens=64).model_copy(update={"response_format": kind})
    assert sent(asked_for).body == {**WHOLE, **wanted}


def test_sampling_is_sent_as_declared_also_where_it_is_zero() -> None:
    body = sent(request(temperature=0.7, top_p=0.9, seed=0, max_tokens=5)).body
    assert {name: body[name] for name in ("temperature", "top_p", "seed", "max_tokens")} == {
        "temperature": 0.7,
        "top_p": 0.9,
        "seed": 0,
        "max_tokens": 5,
    }


def test_properties_are_sent_in_the_order_of_required_and_the_others_after_them() -> None:
    inner = {"type": "object", "properties": {"x": {}, "y": {}, "z": {}}, "required": ["z", "x"]}
    schema = {
        "$defs": {"inner": inner},
        "anyOf": [inner],
        "properties": {"a": {}, "b": {"items": inner, "type": "array"}, "c": {}},
        "required": ["c", "a", "b"],
    }
    before = copy.deepcopy(schema)
    found = sent(request(), schema).body["response_format"]["json_schema"]["schema"]
    assert list(found["properties"]) == ["c", "a", "b"]
    for part in (found["$defs"]["inner"], found["anyOf"][0], found["properties"]["b"]["items"]):
        assert list(part["properties"]) == ["z", "x", "y"]
    assert found == before
    assert json.dumps(schema) == json.dumps(before)


def test_properties_without_required_keep_their_order() -> None:
    schema = {"properties": {"b": {}, "a": {}}}
    found = sent(request(), schema).body["response_format"]["json_schema"]["schema"]
    assert list(found["properties"]) == ["b", "a"]


def test_the_key_goes_into_one_header_and_nowhere_else() -> None:
    seen = sent(request())
    assert [name for name, value in seen.headers.items() if KEY in value] == ["authorization"]
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in seen.path + json.dumps(seen.body)


def test_the_process_environment_adds_nothing_to_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "stray")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: stray\nAuthorization: Bearer stray")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/stray")
    seen = sent(request())
    assert {name: value for name, value in seen.headers.items() if "stray" in value} == {}


def test_the_text_is_kept_exactly_as_received() -> None:
    latest = [""]
    with FaultServer(always(ANSWER), reply=lambda prompt: latest[0]) as server, asking(server) as ask:

        @settings(deadline=None, max_examples=60)
        @given(text=st.text())
        def unchanged(text: str) -> None:
            latest[0] = text
            assert ask(request()).text == text

        for text in TEXTS:
            latest[0] = text
            assert ask(request()).text == text
        unchanged()


def test_a_wrong_charset_in_the_header_does_not_change_the_text(bench: Bench) -> None:
    """JSON is UTF-8 whatever the header says (RFC 8259, 8.1); `ë` read as Latin-1 would be `Ã«`."""
    body = json.dumps(completion("Zoë"), ensure_ascii=False).encode()
    assert bench.reply_to(saying(body, headers={"Content-Type": "text/plain; charset=iso-8859-1"})).text == "Zoë"


def test_bytes_that_are_no_text_are_a_malformed_body_and_never_a_replaced_character(bench: Bench) -> None:
    with pytest.raises(Unanswered) as found:
        bench.reply_to(saying(b'{"choices": [{"message": {"content": "a\xffb"}}], "model": "m"}'))
    assert (found.value.reason, found.value.status, found.value.retry) == ("the body is not a chat completion", 200, True)


def test_model_finish_reason_and_status_are_kept_as_served(bench: Bench) -> None:
    choice = {"message": {"content": "cut"}, "finish_reason": "length"}
    reply = bench.reply_to(saying(completion("", model="m-2026-11-30", choices=[choice])))
    assert (reply.text, reply.model_served, reply.finish_reason, reply.status) == ("cut", "m-2026-11-30", "length", 200)
    assert reply.latency_ms is not None
    assert reply.latency_ms > 0


def test_usage_tells_cached_and_reasoning_tokens_apart(bench: Bench) -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 60, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    found = bench.reply_to(saying(completion("x", usage=usage))).usage
    assert found == Usage(prompt_tokens=100, completion_tokens=20, cached_tokens=60, reasoning_tokens=5)


@pytest.mark.parametrize("details", [{}, {"prompt_tokens_details": None}, {"prompt_tokens_details": {"cached_tokens": None}}])
def test_usage_without_details_has_no_cached_and_no_reasoning_tokens(bench: Bench, details: dict[str, Any]) -> None:
    found = bench.reply_to(saying(completion("x", usage={"prompt_tokens": 9, "completion_tokens": 2, **details}))).usage
    assert found == Usage(prompt_tokens=9, completion_tokens=2, cached_tokens=0, reasoning_tokens=0)


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": -1, "completion_tokens": 2}, {"prompt_tokens": None}, "many"])
def test_usage_that_means_nothing_is_absent_and_the_paid_text_is_kept(bench: Bench, usage: object) -> None:
    reply = bench.reply_to(saying(completion("paid for", usage=usage)))
    assert (reply.text, reply.usage) == ("paid for", None)


def test_the_request_id_is_that_of_the_header_or_else_of_the_completion(bench: Bench) -> None:
    body = completion("x", id="of the body")
    assert bench.reply_to(saying(body, headers={"x-request-id": "of the header"})).request_id == "of the header"
    assert bench.reply_to(saying(body)).request_id == "of the body"
