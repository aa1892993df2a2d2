"""What a fault of the endpoint becomes: ask again, do not, or stop the run."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from math import isfinite

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import UserError
from assay.model.exchange import Reply
from assay.providers.client import EndpointRefused, Unanswered, retry_after_s
from tests.fault_server import (
    ANSWER,
    BROKEN,
    NO_CHOICES,
    NO_CONTENT,
    RESET,
    SHORT,
    STALL,
    TRUNCATED,
    WRONG_TYPE,
    Action,
    FaultServer,
    always,
    completion,
    refusal,
    saying,
)
from tests.unit.providers.asked import KEY, Bench, asked

NO_COMPLETION = "the body is not a chat completion"
NO_TEXT = "the answer has no content (finish reason stop)"
FAULTS = [
    (refusal(400), "HTTP 400", 400, False),
    (refusal(402), "HTTP 402", 402, False),
    (refusal(422), "HTTP 422", 422, False),
    (refusal(408), "HTTP 408", 408, True),
    (refusal(409), "HTTP 409", 409, True),
    (refusal(425), "HTTP 425", 425, True),
    (refusal(429), "HTTP 429", 429, True),
    (refusal(500), "HTTP 500", 500, True),
    (refusal(503), "HTTP 503", 503, True),
    (refusal(529), "HTTP 529", 529, True),
    (RESET, "connection failed (ReadError)", None, True),
    (SHORT, "connection failed (RemoteProtocolError)", None, True),
    (saying(b"plain", headers={"Content-Encoding": "gzip"}), "connection failed (DecodingError)", None, True),
    (TRUNCATED, NO_COMPLETION, 200, True),
    (BROKEN, NO_COMPLETION, 200, True),
    (WRONG_TYPE, NO_COMPLETION, 200, True),
    (saying(b""), NO_COMPLETION, 200, True),
    (saying(None), NO_COMPLETION, 200, True),
    (saying([]), NO_COMPLETION, 200, True),
    (saying({"choices": None}), NO_COMPLETION, 200, True),
    (saying(completion("x", choices=[{"message": {"content": [{"type": "text"}]}}])), NO_COMPLETION, 200, True),
    (saying(b'{"choices": [{"message": {"content": "half an emoji \\ud83d"}}]}'), NO_COMPLETION, 200, True),
    (saying(b'data: {"choices": []}\n\ndata: [DONE]\n\n'), NO_COMPLETION, 200, True),
    (NO_CHOICES, "the answer has no choices", 200, True),
    (saying({"error": {"message": "overloaded"}}), "the answer has no choices", 200, True),
    (NO_CONTENT, NO_TEXT, 200, True),
]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
DETAILS = st.fixed_dictionaries({}, optional={"cached_tokens": st.integers() | ANYTHING})
TOKENS = st.integers(-2, 2) | ANYTHING
USAGE = st.fixed_dictionaries(
    {"prompt_tokens": TOKENS, "completion_tokens": TOKENS}, optional={"prompt_tokens_details": ANYTHING | DETAILS}
)
CHOICE = st.fixed_dictionaries({"message": ANYTHING | st.fixed_dictionaries({"content": ANYTHING})})
PARTIAL = st.fixed_dictionaries({"choices": st.lists(ANYTHING | CHOICE, max_size=2)}, optional={"model": ANYTHING})


@pytest.mark.parametrize(("action", "reason", "status", "retry"), FAULTS)
def test_a_fault_says_what_it_is_and_whether_to_ask_again(
    bench: Bench, action: Action, reason: str, status: int | None, retry: bool
) -> None:
    with pytest.raises(Unanswered) as found:
        bench.reply_to(action)
    assert (found.value.reason, found.value.status, found.value.retry) == (reason, status, retry)
    assert bench.requests == 1, "one attempt is one request"


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_no_request_of_the_run_can_mend_stops_it(bench: Bench, status: int) -> None:
    told = rf"^endpoint: refuses to answer \(HTTP {status}\); check key, model and address\.$"
    with pytest.raises(EndpointRefused, match=told):
        bench.reply_to(refusal(status))
    assert bench.requests == 1


def test_silence_ends_at_the_timeout() -> None:
    with FaultServer(always(STALL)) as server, pytest.raises(Unanswered) as found:
        asked(server, timeout_s=0.2)
    assert (found.value.reason, found.value.status, found.value.retry) == ("no answer within 0.2 s", None, True)


def test_the_timeout_is_for_the_whole_attempt_also_when_the_body_drips() -> None:
    """Ten parts, each 0.2 s after the other: no pause is longer than the timeout, all together are 2 s."""
    with FaultServer(always(Action("drip", drip_s=0.2))) as server, pytest.raises(Unanswered) as found:
        asked(server, timeout_s=0.5)
    assert (found.value.reason, found.value.retry) == ("no answer within 0.5 s", True)


def test_a_redirect_is_not_followed() -> None:
    """One attempt is one request, to the declared address and no other."""
    there = Action("redirect", 307, {"Location": "/v1/chat/completions"})
    with FaultServer(lambda prompt, nth: ANSWER if nth else there) as server, pytest.raises((Unanswered, UserError)):
        asked(server)
    assert len(server.seen) == 1


def test_nobody_listening_is_a_failed_connection() -> None:
    with FaultServer(always(ANSWER)) as server:
        pass
    with pytest.raises(Unanswered) as found:
        asked(server)
    assert (found.value.reason, found.value.retry) == ("connection failed (ConnectError)", True)


def test_no_error_repeats_what_the_endpoint_echoes(bench: Bench) -> None:
    for status in (400, 401, 429, 500):
        echo = Action("echo", status, {"Retry-After": KEY}, lambda _: json.dumps({"error": {"message": KEY}}).encode())
        with pytest.raises((Unanswered, UserError)) as found:
            bench.reply_to(echo)
        assert KEY not in f"{found.value} {vars(found.value)} {found.value.__cause__}"


def test_any_json_in_place_of_a_completion_is_a_reply_or_unanswered(bench: Bench) -> None:
    @settings(deadline=None, max_examples=100)
    @given(body=ANYTHING | st.builds(completion, st.text(max_size=5), usage=USAGE) | PARTIAL)
    def told(body: object) -> None:
        try:
            assert isinstance(bench.reply_to(saying(body)), Reply)
        except Unanswered as fault:
            assert fault.status == 200  # noqa: PT017  # either is honest; another exception would end the run

    told()


NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("0", 0.0),
        ("7", 7.0),
        ("1.5", 1.5),
        (" 3 ", 3.0),
        ("Mon, 30 Nov 2026 12:01:30 GMT", 90.0),
        ("Monday, 30-Nov-26 12:01:30 GMT", 90.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),  # past
        ("", None),
        ("soon", None),
        ("Mon, 99 Nov 2026 12:01:30 GMT", None),
        ("nan", None),
        ("inf", None),
        ("1e999", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_nonsense_is_nothing(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, NOW) == seconds


@settings(deadline=None)
@given(header=st.text(max_size=30) | st.floats().map(str) | st.datetimes().map(lambda d: f"{d:%a, %d %b %Y %H:%M:%S GMT}"))
def test_any_retry_after_is_nothing_or_a_wait_that_ends(header: str) -> None:
    found = retry_after_s(header, NOW)
    assert found is None or (found >= 0 and isfinite(found))


def test_a_refusal_carries_the_wait_that_the_endpoint_asks_for(bench: Bench) -> None:
    for status in (429, 503):
        with pytest.raises(Unanswered) as found:
            bench.reply_to(refusal(status, "7"))
        assert found.value.retry_after_s == 7.0
    with pytest.raises(Unanswered) as found:
        bench.reply_to(refusal(429))
    assert found.value.retry_after_s is None
