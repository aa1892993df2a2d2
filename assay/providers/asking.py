"""Asks a list of requests: concurrent, paced, retried within a budget, each ending in exactly one outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from math import isinf
from typing import TYPE_CHECKING, Protocol

from assay.model.exchange import Failure, Outcome, Reply, Request
from assay.model.suite import Live
from assay.providers.budget import Budget, BudgetSpent, Pace
from assay.providers.client import Unanswered

if TYPE_CHECKING:
    from tenacity import AsyncRetrying, RetryCallState

FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
HELD_S = 0.02
"""How long a request waits before it looks again whether money reserved by others is free."""
Planned = tuple[str, Request]
Keep = Callable[[str, Request, Outcome], None]
"""Called with (case id, request, outcome) as soon as it is there; returns when it is safe on disk."""


class Endpoint(Protocol):
    """What can be asked."""

    async def ask(self, request: Request, timeout_s: float) -> Reply:
        """One attempt; raises Unanswered or a UserError."""


async def ask_all(planned: Sequence[Planned], endpoint: Endpoint, live: Live, budget: Budget, keep: Keep) -> str | None:
    """Ask every planned request and `keep` each outcome. Returns why it stopped early, or None when all were asked.

    A worker keeps an outcome before it asks again. Any error (no request can succeed, a secret in a reply,
    a full disk) stops all.
    """
    waiting = iter(planned)
    pace = Pace(live.requests_per_minute)
    stopped: list[str] = []

    async def work() -> None:
        for case_id, request in waiting:
            if stopped:
                return
            try:
                keep(case_id, request, await outcome_of(request, endpoint, live, budget, pace))
            except BudgetSpent as spent:
                stopped.append(str(spent))
                return

    workers = [asyncio.create_task(work()) for _ in range(min(live.concurrency, len(planned)))]
    try:
        await asyncio.gather(*workers)
    except BaseException:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        raise
    return stopped[0] if stopped else None


async def _turn(request: Request, budget: Budget, pace: Pace) -> None:
    """Return when the request may go: by the pace, and by what others have reserved. Raises BudgetSpent when time is over."""
    left_s = budget.remaining_s()
    try:
        async with asyncio.timeout(None if isinf(left_s) else max(0.0, left_s)):
            await pace.wait()
            while budget.must_wait(request):
                await asyncio.sleep(HELD_S)
    except TimeoutError:
        raise BudgetSpent(f"limit of {budget.limits.max_minutes:g} minutes reached") from None


async def outcome_of(request: Request, endpoint: Endpoint, live: Live, budget: Budget, pace: Pace) -> Outcome:
    """The reply, or the failure that is left when attempts or time are used up. Raises BudgetSpent, UserError."""
    attempts = 0
    await _turn(request, budget, pace)

    async def attempt() -> Reply:
        nonlocal attempts
        if attempts:
            await _turn(request, budget, pace)
        reserved = budget.take(request)
        attempts += 1
        reply = None
        try:
            reply = await endpoint.ask(request, min(live.timeout_s, live.deadline_s))
        finally:
            budget.settle(reserved, reply.usage if reply else None)
        return reply

    limit_s = min(live.deadline_s, max(0.0, budget.remaining_s()))
    try:
        async with asyncio.timeout(limit_s):
            return await _retrying(live.attempts)(attempt)
    except Unanswered as last:
        return Failure(reason=last.reason, status=last.status, attempts=attempts)
    except TimeoutError:
        if budget.remaining_s() <= 0:
            raise BudgetSpent(f"limit of {budget.limits.max_minutes:g} minutes reached") from None
        return Failure(reason=f"no answer within the deadline of {live.deadline_s:g} s", attempts=max(1, attempts))


def _retrying(attempts: int) -> AsyncRetrying:
    from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt  # of the extra `live`: replay does without

    return AsyncRetrying(
        stop=stop_after_attempt(attempts),
        wait=_wait,
        retry=retry_if_exception(lambda error: isinstance(error, Unanswered) and error.retry),
        reraise=True,
    )


def _wait(state: RetryCallState) -> float:
    """As long as the endpoint asks for, else random and exponentially growing."""
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, Unanswered) and error.retry_after_s is not None:
        return error.retry_after_s
    from tenacity import wait_random_exponential

    return float(wait_random_exponential(multiplier=FIRST_WAIT_S, max=LONGEST_WAIT_S)(state))
