"""Hard limits on what may be asked, and a pace. Counted before a request is sent, so that none is ever exceeded."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from assay.errors import AssayError
from assay.model.exchange import Request, Usage
from assay.model.suite import Price

CHARACTERS_PER_TOKEN = 3.0
"""For estimates only; English has about four."""
MILLION = 1_000_000


class BudgetSpent(AssayError):
    """A limit was reached; what is recorded stays, and the rest can be recorded later."""


@dataclass(frozen=True)
class Limits:
    """What a recording may cost at most; None is no limit."""

    max_requests: int | None = None
    max_usd: float | None = None
    max_minutes: float | None = None


def estimated_tokens(request: Request) -> int:
    """About how many tokens the request's messages have."""
    return round(sum(len(message.content) for message in request.messages) / CHARACTERS_PER_TOKEN)


def worst_usd(request: Request, price: Price | None) -> float:
    """The most that one asking can cost: a token for every byte of the prompt, a full-length answer. 0 without a price."""
    if price is None:
        return 0.0
    prompt = sum(len(message.content.encode()) for message in request.messages) * price.prompt_usd
    return (prompt + request.sampling.max_tokens * price.completion_usd) / MILLION


@dataclass
class Budget:
    """Counts attempts and money. Every attempt is counted, also one that fails: it may have been charged."""

    limits: Limits
    price: Price | None
    started: float = field(default_factory=time.monotonic)
    requests: int = 0
    spent_usd: float = 0.0
    reserved_usd: float = 0.0

    def take(self, request: Request) -> float:
        """Reserve one attempt; returns the reserved USD. Raises BudgetSpent when it does not fit."""
        worst = worst_usd(request, self.price)
        if self.limits.max_requests is not None and self.requests >= self.limits.max_requests:
            raise BudgetSpent(f"limit of {self.limits.max_requests} requests reached")
        if self.limits.max_usd is not None and self.spent_usd + self.reserved_usd + worst > self.limits.max_usd:
            raise BudgetSpent(f"limit of {self.limits.max_usd:g} USD reached ({self.spent_usd:.4f} spent)")
        if self.remaining_s() <= 0:
            raise BudgetSpent(f"limit of {self.limits.max_minutes:g} minutes reached")
        self.requests += 1
        self.reserved_usd += worst
        return worst

    def must_wait(self, request: Request) -> bool:
        """Whether the request only fits once others have settled what they reserved."""
        if self.limits.max_usd is None or self.reserved_usd <= 0:
            return False
        needed = self.spent_usd + worst_usd(request, self.price)
        return needed <= self.limits.max_usd < needed + self.reserved_usd

    def settle(self, reserved: float, usage: Usage | None) -> None:
        """Replace a reservation by what the attempt cost; without usage the reservation itself is taken as spent."""
        self.reserved_usd -= reserved
        if usage is None or self.price is None:
            self.spent_usd += reserved
            return
        prompt, completion = usage.prompt_tokens * self.price.prompt_usd, usage.completion_tokens * self.price.completion_usd
        self.spent_usd += (prompt + completion) / MILLION

    def remaining_s(self) -> float:
        """Seconds until the time limit; infinite without one."""
        if self.limits.max_minutes is None:
            return float("inf")
        return self.limits.max_minutes * 60 - (time.monotonic() - self.started)


class Pace:
    """Lets requests through at most so many a minute, evenly."""

    def __init__(self, per_minute: float | None) -> None:
        self._gap_s = 60 / per_minute if per_minute else 0.0
        self._next = 0.0

    async def wait(self) -> None:
        """Return when the next request may go."""
        now = time.monotonic()
        slot = max(now, self._next)
        self._next = slot + self._gap_s
        if slot > now:
            import asyncio

            await asyncio.sleep(slot - now)
