"""Replies are found by request digest; a miss says what differs; the work is linear."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.exchange import Exchange, Failure, Message, Reply, Request, RequestFields
from assay.model.suite import Sampling
from assay.replay import differences, replay
from tests.builders import exchange, reply, request

ONE = "1" * 64
CHANGES: dict[str, Callable[[Request], Request]] = {
    "model": lambda r: r.model_copy(update={"model": "m2"}),
    "schema_sha256": lambda r: r.model_copy(update={"schema_sha256": ONE}),
    "response_format": lambda r: r.model_copy(update={"response_format": "text"}),
    "repeat": lambda r: r.model_copy(update={"repeat": 1}),
    "messages[1]": lambda r: r.model_copy(update={"messages": (r.messages[0], Message(role="user", content="hullo"))}),
    "messages[0]": lambda r: r.model_copy(update={"messages": (Message(role="user", content="prompt"), r.messages[1])}),
    "messages": lambda r: r.model_copy(update={"messages": (*r.messages, Message(role="assistant", content=""))}),
    "sampling.temperature": lambda r: r.model_copy(update={"sampling": Sampling(temperature=0.1)}),
    "sampling.top_p": lambda r: r.model_copy(update={"sampling": Sampling(top_p=1.0)}),
    "sampling.presence_penalty": lambda r: r.model_copy(update={"sampling": Sampling(presence_penalty=0.5)}),
    "sampling.frequency_penalty": lambda r: r.model_copy(update={"sampling": Sampling(frequency_penalty=0.5)}),
    "sampling.seed": lambda r: r.model_copy(update={"sampling": Sampling(seed=0)}),
    "sampling.max_tokens": lambda r: r.model_copy(update={"sampling": Sampling(max_tokens=2049)}),
}


def test_a_reply_is_found_by_the_digest_of_its_request_whatever_the_order() -> None:
    asked = [(f"c{i}", [request(f"q{i}")]) for i in range(3)]
    exchanges = [exchange(request(f"q{i}"), f"c{i}", text=f"answer {i}") for i in (2, 0, 1)]
    found = replay(asked, exchanges)
    assert {case: [r.text for r in replies if isinstance(r, Reply)] for case, replies in found.replies.items()} == {
        "c0": ["answer 0"],
        "c1": ["answer 1"],
        "c2": ["answer 2"],
    }
    assert (found.misses, found.unused) == ({}, ())


def test_the_replies_of_a_case_stand_in_request_order() -> None:
    exchanges = [exchange(request(text), text=text) for text in ("b", "a")]
    found = replay([("c1", [request("a"), request("b")])], exchanges)
    assert found.replies["c1"] == (reply(text="a"), reply(text="b"))


def test_the_case_id_of_a_recording_does_not_answer_for_another_request() -> None:
    found = replay([("c1", [request("new")])], [exchange(request("old"), "c1")])
    assert found.replies == {}
    assert list(found.misses) == ["c1"]
    assert found.unused == ("c1",)


def test_a_case_with_one_missing_reply_of_two_has_none() -> None:
    found = replay([("c1", [request("a"), request("b")])], [exchange(request("a"))])
    assert (found.replies, list(found.misses)) == ({}, ["c1"])


@pytest.mark.parametrize("field", CHANGES)
def test_every_field_of_a_request_changes_its_digest_and_is_named_in_a_miss(field: str) -> None:
    recorded, asked = request(), CHANGES[field](request())
    assert asked.fields.digest != recorded.fields.digest
    named = [line.split(":")[0] for line in differences(asked.fields, recorded.fields)]
    assert named == [field]
    assert f"which differs in {field}: recorded " in replay([("c1", [asked])], [exchange(recorded)]).misses["c1"]


def test_the_changes_above_cover_every_field_there_is() -> None:
    covered = {name.split("[")[0] for name in CHANGES}
    own = set(Request.model_fields) - {"sampling"}
    assert covered == own | {f"sampling.{name}" for name in Sampling.model_fields}
    assert {name.removeprefix("messages_") for name in RequestFields.model_fields} >= own - {"messages"}


requests = st.builds(request, st.sampled_from("ab"), st.sampled_from("mn"), temperature=st.sampled_from([0.0, 1.0]))


@settings(max_examples=60)
@given(requests, requests)
def test_digests_are_equal_exactly_when_nothing_differs(one: Request, other: Request) -> None:
    same = one.fields.digest == other.fields.digest
    assert same == (one == other) == (differences(one.fields, other.fields) == [])


def test_a_miss_names_the_request_the_nearest_recording_and_both_values() -> None:
    near, far = request("hello", seed=1), request("bye", "other", seed=2)
    asked = request("hello", seed=3)
    message = replay([("c1", [asked])], [exchange(far, "c1"), exchange(near, "c1")]).misses["c1"]
    assert message == (
        f"no recording of request {asked.fields.digest[:12]}…; the nearest is that of case c1, "
        "which differs in sampling.seed: recorded 1, asked 3"
    )


def test_a_miss_looks_among_all_recordings_when_the_case_has_none() -> None:
    exchanges = [exchange(request("bye", "n"), "c8"), exchange(request("hello", "n"), "c9")]
    assert (
        "that of case c9, which differs in model: recorded n, asked m" in replay([("c1", [request()])], exchanges).misses["c1"]
    )


def test_the_nearest_of_equals_is_the_first_case_whatever_the_order() -> None:
    exchanges = [exchange(request("hello", model), case) for case, model in (("c3", "x"), ("c2", "y"))]
    for order in (exchanges, exchanges[::-1]):
        assert "that of case c2," in replay([("c1", [request()])], order).misses["c1"]


def test_a_miss_without_any_recording_says_only_that() -> None:
    assert replay([("c1", [request()])], []).misses == {"c1": f"no recording of request {request().fields.digest[:12]}…"}


def test_every_miss_is_named_also_when_there_are_many() -> None:
    asked = [(f"c{i}", [request(f"q{i}")]) for i in range(20)]
    assert list(replay(asked, [exchange(request("other"), "x")]).misses) == [case for case, _ in asked]


def test_recordings_that_no_request_asked_for_are_reported_once_and_sorted() -> None:
    texts = (("c1", "a"), ("c9", "b"), ("c9", "c"), ("c5", "d"))
    exchanges = [exchange(request(text), case) for case, text in texts]
    assert replay([("c1", [request("a")])], exchanges).unused == ("c5", "c9")


def test_a_recorded_failure_is_replayed_as_what_came_of_the_request() -> None:
    failure = Failure(reason="gave up", status=503, attempts=5)
    failed = Exchange(request_sha256=request().fields.digest, case_id="c1", request=request().fields, failure=failure)
    found = replay([("c1", [request()])], [failed])
    assert (found.replies, found.misses) == ({"c1": (failure,)}, {})


def test_by_case_takes_what_was_recorded_for_the_case_whatever_is_asked() -> None:
    exchanges = [exchange(request("old"), "c1", text="kept")]
    found = replay([("c1", [request("new")]), ("c2", [request("old")])], exchanges, by_case=True)
    assert found.replies == {"c1": (reply(text="kept"),)}
    assert list(found.misses) == ["c2"]
    assert found.unused == ()


class Named(RequestFields):
    """A request that is its own fields and counts how often its digest is made; 100,000 of them cost little."""

    name: str
    made: ClassVar[int] = 0

    @property
    def fields(self) -> RequestFields:
        return self

    @property
    def digest(self) -> str:
        Named.made += 1
        return self.name


class Counted(Exchange):
    """An exchange that counts every look at it."""

    looks: ClassVar[int] = 0

    def __getattribute__(self, name: str) -> Any:
        if name in {"request_sha256", "case_id", "request", "reply"}:
            Counted.looks += 1
        return super().__getattribute__(name)


def counted(n: int) -> list[Counted]:
    parts: dict[str, Any] = {"request": request().fields, "reply": reply(), "failure": None}
    return [Counted.model_construct(request_sha256=f"{i:064x}", case_id=f"c{i}", **parts) for i in range(n)]


def work(n: int, *, by_case: bool = False) -> tuple[int, int, int]:
    """Looks at exchanges, digests made, and cases answered, for n requests over n exchanges of n cases."""
    exchanges = counted(n)
    names: list[dict[str, Any]] = [{"name": f"{i:064x}"} for i in range(n)]
    requests: Any = ((f"c{i}", [Named.model_construct(**name)]) for i, name in enumerate(names))
    Counted.looks = Named.made = 0
    found = replay(requests, exchanges, by_case=by_case)
    return Counted.looks, Named.made, len(found.replies)


def work_of_misses(n: int) -> tuple[int, int]:
    """Looks at exchanges and misses, for n requests over n exchanges of other cases."""
    exchanges = counted(n)
    Counted.looks = 0
    found = replay(((f"d{i}", [request(f"q{i}")]) for i in range(n)), exchanges)
    return Counted.looks, len(found.misses)


def test_a_hundred_thousand_exchanges_cost_a_thousand_times_a_hundred() -> None:
    looks, made, found = work(100)
    assert found == 100
    assert work(100_000) == (looks * 1000, made * 1000, 100_000)


def test_taking_recordings_by_case_is_linear_too() -> None:
    looks, _, found = work(100, by_case=True)
    assert found == 100
    assert work(10_000, by_case=True)[0] == looks * 100


def test_misses_do_not_make_replay_quadratic() -> None:
    (few, missed), (many, all_missed) = work_of_misses(50), work_of_misses(1000)
    assert (missed, all_missed) == (50, 1000)
    assert many <= 20 * few
