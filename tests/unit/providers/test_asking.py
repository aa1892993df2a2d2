"""Every planned request ends in exactly one outcome; retries, time and money have an end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import Problem, Refused
from assay.model.exchange import Failure, Outcome, Reply, Request, Usage
from assay.model.suite import Live, Price
from assay.providers.asking import Planned, ask_all
from assay.providers.budget import Budget, Limits
from assay.providers.client import EndpointRefused, Unanswered
from tests.builders import reply, request

Step = Reply | Exception | None
"""What an attempt comes to; None is an endpoint that never answers."""
OVERLOADED = Unanswered("HTTP 503", status=503, retry=True, retry_after_s=0.0)
TOO_LONG = Unanswered("HTTP 400", status=400, retry=False)
NO_KEY = EndpointRefused(Problem("endpoint", "refuses"))
FULL_DISK = OSError("no space left on device")


class Scripted:
    """An endpoint that does one step after another for each request, its last one for ever, and notes what happens."""

    def __init__(self, *steps: Step, **others: Sequence[Step]) -> None:
        self._steps, self._others = steps or (reply(text="yes"),), others
        self.asked = Counter[str]()
        self.events: list[tuple[str, str]] = []
        self.timeouts: set[float] = set()
        self.kept: list[tuple[str, Outcome]] = []
        self.dropped: list[str] = []

    async def ask(self, request: Request, timeout_s: float) -> Reply:
        name = request.messages[-1].content
        steps = self._others.get(name, self._steps)
        step = steps[min(self.asked[name], len(steps) - 1)]
        self.asked[name] += 1
        self.events.append(("ask", name))
        self.timeouts.add(timeout_s)
        try:
            await (asyncio.sleep(0) if step else asyncio.Event().wait())
        except asyncio.CancelledError:
            self.dropped.append(name)
            raise
        if isinstance(step, Reply):
            return step
        raise step or AssertionError("an endpoint that never answers has answered")

    def keep(self, case_id: str, request: Request, outcome: Outcome) -> None:
        self.events.append(("keep", case_id))
        self.kept.append((case_id, outcome))


def plan(*names: str) -> list[Planned]:
    return [(name, request(name)) for name in names]


def asked(endpoint: Scripted, planned: Sequence[Planned], budget: Budget | None = None, **live: float) -> str | None:
    settings = Live.model_validate({"base_url": "http://127.0.0.1", "concurrency": 2, **live})
    return asyncio.run(ask_all(planned, endpoint, settings, budget or Budget(Limits(), None), endpoint.keep))


def expected(steps: Sequence[Step], attempts: int) -> tuple[Outcome, int]:
    """The outcome of a request with these steps and how often it is asked."""
    for nth in range(1, attempts + 1):
        step = steps[min(nth, len(steps)) - 1]
        if isinstance(step, Reply):
            return step, nth
        assert isinstance(step, Unanswered)
        if not step.retry or nth == attempts:
            return Failure(reason=step.reason, status=step.status, attempts=nth), nth
    raise AssertionError("no attempts")


@settings(deadline=None, max_examples=60)
@given(
    scripts=st.lists(st.lists(st.sampled_from([reply(text="yes"), OVERLOADED, TOO_LONG]), min_size=1, max_size=4), max_size=8),
    concurrency=st.integers(1, 5),
    attempts=st.integers(1, 4),
)
def test_every_request_ends_in_exactly_one_outcome(scripts: list[list[Step]], concurrency: int, attempts: int) -> None:
    named = {f"r{i}": steps for i, steps in enumerate(scripts)}
    endpoint = Scripted(**named)
    assert asked(endpoint, plan(*named), concurrency=concurrency, attempts=attempts) is None
    wanted = {name: expected(steps, attempts) for name, steps in named.items()}
    assert sorted(name for name, _ in endpoint.kept) == sorted(named)
    assert dict(endpoint.kept) == {name: outcome for name, (outcome, _) in wanted.items()}
    assert endpoint.asked == {name: times for name, (_, times) in wanted.items()}
    assert most_unkept(endpoint.events) <= concurrency


def most_unkept(events: Sequence[tuple[str, str]]) -> int:
    """The largest number of requests that were asked and not yet kept at any time."""
    waiting, most = set[str](), 0
    for what, name in events:
        waiting = waiting | {name} if what == "ask" else waiting - {name}
        most = max(most, len(waiting))
    return most


def test_an_outcome_is_kept_before_its_worker_asks_again() -> None:
    endpoint = Scripted(OVERLOADED, reply(text="yes"))
    asked(endpoint, plan("a", "b"), concurrency=1)
    assert endpoint.events == [(what, name) for name in "ab" for what in ("ask", "ask", "keep")]


def test_the_same_request_of_two_cases_has_an_outcome_for_each() -> None:
    endpoint = Scripted()
    asked(endpoint, [("c1", request("same")), ("c2", request("same"))])
    assert sorted(name for name, _ in endpoint.kept) == ["c1", "c2"]


def test_nothing_planned_is_nothing_asked() -> None:
    endpoint = Scripted()
    assert asked(endpoint, []) is None
    assert endpoint.events == []


def test_a_failure_carries_the_last_reason_its_status_and_the_attempts() -> None:
    reset = Unanswered("connection failed (ReadError)", status=None, retry=True, retry_after_s=0.0)
    endpoint = Scripted(reset, OVERLOADED)
    asked(endpoint, plan("a"), attempts=3)
    assert endpoint.kept == [("a", Failure(reason="HTTP 503", status=503, attempts=3))]


def test_without_a_wish_of_the_endpoint_it_is_asked_again_after_a_random_wait() -> None:
    endpoint = Scripted(Unanswered("HTTP 503", status=503, retry=True), reply(text="yes"))
    asked(endpoint, plan("a"))
    assert endpoint.kept == [("a", reply(text="yes"))]


@pytest.mark.parametrize(("timeout_s", "deadline_s", "wanted"), [(3, 9, 3.0), (9, 3, 3.0)])
def test_no_attempt_may_take_longer_than_the_deadline(timeout_s: float, deadline_s: float, wanted: float) -> None:
    endpoint = Scripted()
    asked(endpoint, plan("a"), timeout_s=timeout_s, deadline_s=deadline_s)
    assert endpoint.timeouts == {wanted}


def test_the_deadline_ends_an_endpoint_that_never_answers() -> None:
    endpoint = Scripted(None, b=[OVERLOADED, None])
    assert asked(endpoint, plan("a", "b", "c"), deadline_s=0.5) is None
    told = "no answer within the deadline of 0.5 s"
    attempts = {"a": 1, "b": 2, "c": 1}
    assert dict(endpoint.kept) == {name: Failure(reason=told, attempts=count) for name, count in attempts.items()}


def test_the_deadline_ends_a_wait_that_the_endpoint_asks_for() -> None:
    tomorrow = Unanswered("HTTP 429", status=429, retry=True, retry_after_s=86_400.0)
    endpoint = Scripted(tomorrow)
    asked(endpoint, plan("a"), deadline_s=0.1)
    assert [(name, type(outcome)) for name, outcome in endpoint.kept] == [("a", Failure)]
    assert endpoint.asked == {"a": 1}


def test_waiting_for_the_pace_fails_no_request_that_was_never_asked() -> None:
    """Six at once, one every 0.2 s: the last goes after a second, which is not the endpoint's delay."""
    endpoint = Scripted()
    asked(endpoint, plan(*"abcdef"), concurrency=6, requests_per_minute=300, deadline_s=0.8)
    assert [(name, type(outcome)) for name, outcome in sorted(endpoint.kept)] == [(name, Reply) for name in "abcdef"]


def test_a_limit_of_requests_stops_cleanly_and_the_rest_can_be_asked_later() -> None:
    endpoint, planned = Scripted(), plan(*"abcdefgh")
    assert asked(endpoint, planned, Budget(Limits(max_requests=3), None), concurrency=4) == "limit of 3 requests reached"
    assert (endpoint.asked.total(), len(endpoint.kept)) == (3, 3)
    done = {name for name, _ in endpoint.kept}
    assert asked(endpoint, [item for item in planned if item[0] not in done]) is None
    assert endpoint.asked == dict.fromkeys("abcdefgh", 1)


def test_retries_count_and_a_request_that_a_limit_interrupts_has_no_outcome() -> None:
    endpoint = Scripted(OVERLOADED)
    assert asked(endpoint, plan("a", "b"), Budget(Limits(max_requests=3), None), concurrency=1, attempts=2) is not None
    assert endpoint.asked == {"a": 2, "b": 1}
    assert endpoint.kept == [("a", Failure(reason="HTTP 503", status=503, attempts=2))]


def test_a_limit_of_money_is_never_exceeded() -> None:
    # without usage an attempt counts in full: 1,000 tokens at 5 USD per million are half a cent, and two fit into one
    price = Price(prompt_usd=0, completion_usd=5)
    planned = [(name, request(name, max_tokens=1000)) for name in "abcd"]
    endpoint, budget = Scripted(), Budget(Limits(max_usd=0.01), price)
    assert asked(endpoint, planned, budget, concurrency=1) == "limit of 0.01 USD reached (0.0100 spent)"
    assert (len(endpoint.kept), budget.spent_usd) == (2, pytest.approx(0.01))


def test_after_a_stop_nothing_more_is_asked_even_if_it_would_fit() -> None:
    price = Price(prompt_usd=0, completion_usd=5)
    planned = [(name, request(name, max_tokens=size)) for name, size in (("a", 100), ("b", 10_000), ("c", 100))]
    endpoint = Scripted()
    assert asked(endpoint, planned, Budget(Limits(max_usd=0.01), price)) is not None
    assert endpoint.asked == {"a": 1}


def test_money_that_is_only_reserved_by_requests_in_flight_stops_nothing() -> None:
    """At most half a cent each, so one at a time under 0.6 cents; each costs next to nothing, so all four fit in the end."""
    cheap = reply(text="yes").model_copy(update={"usage": Usage(prompt_tokens=1, completion_tokens=1)})
    planned = [(name, request(name, max_tokens=1000)) for name in "abcd"]
    endpoint, budget = Scripted(cheap), Budget(Limits(max_usd=0.006), Price(prompt_usd=0, completion_usd=5))
    assert asked(endpoint, planned, budget, concurrency=4) is None
    assert (len(endpoint.kept), budget.spent_usd) == (4, pytest.approx(0.00002))


def test_the_end_of_time_stops_a_request_in_flight_and_is_not_its_failure() -> None:
    endpoint = Scripted(None)
    budget = Budget(Limits(max_minutes=0.5 / 60), None)
    assert asked(endpoint, plan("a", "b", "c"), budget) == f"limit of {0.5 / 60:g} minutes reached"
    assert endpoint.kept == []
    assert sorted(endpoint.dropped) == ["a", "b"]


@pytest.mark.parametrize("error", [NO_KEY, FULL_DISK], ids=["refused", "crash"])
def test_an_error_of_the_endpoint_stops_all_workers_and_loses_nothing_kept(error: Exception) -> None:
    endpoint = Scripted(c=[error], b=[None])
    assert left_after(endpoint, plan(*"abcdef"), type(error)) == 0
    assert endpoint.kept == [("a", reply(text="yes"))]
    assert sorted(endpoint.asked) == ["a", "b", "c"]
    assert endpoint.dropped == ["b"]


@pytest.mark.parametrize("error", [Refused(Problem("reply", "holds a key")), FULL_DISK], ids=["secret", "crash"])
def test_an_outcome_that_may_not_or_cannot_be_kept_stops_all_workers(error: Exception) -> None:
    class Refusing(Scripted):
        def keep(self, case_id: str, request: Request, outcome: Outcome) -> None:
            if case_id == "c":
                raise error
            super().keep(case_id, request, outcome)

    endpoint = Refusing(b=[None])
    assert left_after(endpoint, plan(*"abcdef"), type(error)) == 0
    assert [name for name, _ in endpoint.kept] == ["a"]
    assert sorted(endpoint.asked) == ["a", "b", "c"]


def left_after(endpoint: Scripted, planned: Sequence[Planned], error: type[Exception]) -> int:
    """How many workers are left when asking has ended in the error."""

    async def ended() -> int:
        with pytest.raises(error):
            await ask_all(planned, endpoint, Live(concurrency=2), Budget(Limits(), None), endpoint.keep)
        return len(asyncio.all_tasks()) - 1

    return asyncio.run(ended())
