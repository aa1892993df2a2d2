"""Waiting for one's turn or for money is not the endpoint's delay, and no limit is waited past."""

from __future__ import annotations

import asyncio
from collections import Counter

from assay.model.exchange import Outcome, Reply, Request, Usage
from assay.model.suite import Live, Price
from assay.providers.asking import Planned, ask_all
from assay.providers.budget import Budget, Limits
from tests.builders import reply, request

GUARD_S = 10
"""Far more than is needed and far less than a wait that nobody ends."""


class Slow:
    """An endpoint that takes its time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.asked = Counter[str]()
        self.kept: dict[str, Outcome] = {}

    async def ask(self, request: Request, timeout_s: float) -> Reply:
        self.asked[request.messages[-1].content] += 1
        await asyncio.sleep(self._seconds)
        return reply(text="yes").model_copy(update={"usage": Usage(prompt_tokens=1, completion_tokens=1)})

    def keep(self, case_id: str, request: Request, outcome: Outcome) -> None:
        self.kept[case_id] = outcome


def asked(endpoint: Slow, names: str, budget: Budget, **live: float) -> str | None:
    planned: list[Planned] = [(name, request(name, max_tokens=1000)) for name in names]
    ways = Live.model_validate({"concurrency": len(names), **live})

    async def guarded() -> str | None:
        async with asyncio.timeout(GUARD_S):
            return await ask_all(planned, endpoint, ways, budget, endpoint.keep)

    return asyncio.run(guarded())


def test_waiting_for_money_fails_no_request_that_was_never_asked() -> None:
    """There is money for one at a time, half a second each: the last is asked after 1.5 s, later than its deadline."""
    endpoint, budget = Slow(0.5), Budget(Limits(max_usd=0.006), Price(prompt_usd=0, completion_usd=5))
    assert asked(endpoint, "abcd", budget, deadline_s=1.2) is None
    assert {name: type(outcome) for name, outcome in endpoint.kept.items()} == dict.fromkeys("abcd", Reply)
    assert endpoint.asked == dict.fromkeys("abcd", 1)


def test_the_end_of_time_is_not_waited_past_for_a_slow_pace() -> None:
    """The second would go after an hour; there is half a second."""
    endpoint, budget = Slow(0), Budget(Limits(max_minutes=0.5 / 60), None)
    assert asked(endpoint, "ab", budget, requests_per_minute=1 / 60) == f"limit of {0.5 / 60:g} minutes reached"
    assert list(endpoint.kept) == ["a"]
