"""Limits are never exceeded, whatever is asked and however it ends; a pace lets through so many a minute."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.exchange import Usage
from assay.model.suite import Price
from assay.providers.budget import Budget, BudgetSpent, Limits, Pace, estimated_tokens, worst_usd
from tests.builders import request

PRICE = Price(prompt_usd=3.0, completion_usd=6.0)
FOR_ANSWERS = Price(prompt_usd=0.0, completion_usd=6.0)
CENT = 0.01
ROUNDING_USD = 1e-9


def full(prompt: int, completion: int) -> Usage:
    return Usage(prompt_tokens=prompt, completion_tokens=completion)


def test_the_estimate_counts_the_characters_of_all_messages() -> None:
    assert estimated_tokens(request("")) == 2  # "prompt": 6 / 3
    assert estimated_tokens(request("x" * 294)) == 100  # (6 + 294) / 3


def test_the_most_that_a_request_can_cost_is_its_prompt_and_an_answer_of_full_length() -> None:
    asked = request("x" * 294, max_tokens=1000)
    assert worst_usd(asked, FOR_ANSWERS) == pytest.approx(0.006)  # 1,000 tokens at 6 USD per million
    assert worst_usd(asked, PRICE) >= 0.0063  # and for 100 tokens or more of prompt, 3 USD per million


def test_without_a_price_nothing_costs_anything() -> None:
    budget = Budget(Limits(max_usd=0.0), None)
    assert worst_usd(request(), None) == 0.0
    for _ in range(3):
        budget.settle(budget.take(request()), full(10**9, 10**9))
    assert (budget.requests, budget.spent_usd) == (3, 0.0)


@pytest.mark.parametrize("text", ["北京の天気はとても良いです。" * 100, "🦊🐻🐼" * 200, "q7$kZ!x%" * 100])
def test_the_most_that_a_request_can_cost_holds_for_text_of_a_token_per_character(text: str) -> None:
    """Japanese, emoji and random letters have one token or more per character, not a third of one."""
    asked = request(text, max_tokens=1)
    charged_usd = len(text) * PRICE.prompt_usd / 1_000_000
    assert worst_usd(asked, PRICE) >= charged_usd


def test_exactly_as_many_requests_go_as_are_allowed() -> None:
    budget = Budget(Limits(max_requests=3), None)
    for _ in range(3):
        budget.take(request())
    with pytest.raises(BudgetSpent, match=r"^limit of 3 requests reached$"):
        budget.take(request())
    assert budget.requests == 3


def test_what_is_reserved_counts_until_it_is_settled() -> None:
    # each answer may cost 0.006 USD, so one fits into a cent and two do not
    asked = request(max_tokens=1000)
    budget = Budget(Limits(max_usd=CENT), FOR_ANSWERS)
    reserved = budget.take(asked)
    with pytest.raises(BudgetSpent, match=r"^limit of 0\.01 USD reached \(0\.0000 spent\)$"):
        budget.take(asked)
    budget.settle(reserved, full(100, 500))
    assert budget.spent_usd == pytest.approx(0.003)
    budget.take(asked)  # 0.003 + 0.006 fits


def test_an_attempt_without_usage_is_taken_as_spent_in_full() -> None:
    asked = request(max_tokens=1000)
    budget = Budget(Limits(max_usd=CENT), FOR_ANSWERS)
    budget.settle(budget.take(asked), None)
    assert (budget.requests, budget.spent_usd) == (1, pytest.approx(0.006))
    with pytest.raises(BudgetSpent, match=r"^limit of 0\.01 USD reached \(0\.0060 spent\)$"):
        budget.take(asked)


def test_the_whole_prompt_and_the_whole_answer_are_paid() -> None:
    budget = Budget(Limits(), PRICE)
    budget.settle(budget.take(request()), full(1000, 500))
    assert budget.spent_usd == pytest.approx(0.006)  # 1,000 at 3 and 500 at 6 USD per million: 0.003 + 0.003


def test_a_request_that_does_not_fit_reserves_and_counts_nothing() -> None:
    budget = Budget(Limits(max_usd=CENT), PRICE)
    with pytest.raises(BudgetSpent):
        budget.take(request(max_tokens=10_000))
    assert (budget.requests, budget.reserved_usd, budget.spent_usd) == (0, 0.0, 0.0)


def test_time_that_is_over_stops_and_time_without_a_limit_does_not() -> None:
    over = Budget(Limits(max_minutes=1.5), None, started=time.monotonic() - 91)
    assert over.remaining_s() < 0
    with pytest.raises(BudgetSpent, match=r"^limit of 1\.5 minutes reached$"):
        over.take(request())
    assert Budget(Limits(), None, started=0.0).remaining_s() == float("inf")
    assert 0 < Budget(Limits(max_minutes=10), None).remaining_s() <= 600


@settings(deadline=None, max_examples=100)
@given(
    max_requests=st.none() | st.integers(1, 8),
    max_usd=st.none() | st.floats(0, 0.05),
    steps=st.lists(st.tuples(st.booleans(), st.integers(0, 300), st.integers(1, 3000), st.floats(0, 1)), max_size=30),
)
def test_no_order_of_asking_and_settling_exceeds_a_limit(
    max_requests: int | None, max_usd: float | None, steps: list[tuple[bool, int, int, float]]
) -> None:
    """A step asks with so many characters and so long an answer, or settles the oldest with a part of its worst usage."""
    budget = Budget(Limits(max_requests, max_usd), PRICE)
    open_: list[tuple[float, Usage]] = []
    taken = 0
    for asks, characters, longest, share in steps:
        asked = request("x" * characters, max_tokens=longest)
        if asks or not open_:
            try:
                reserved = budget.take(asked)
            except BudgetSpent:
                continue
            taken += 1
            open_.append((reserved, full(estimated_tokens(asked), longest)))
        else:
            reserved, worst = open_.pop(0)
            part = full(int(worst.prompt_tokens * share), int(worst.completion_tokens * share))
            budget.settle(reserved, part if share else None)
        assert budget.requests == taken
        assert max_requests is None or taken <= max_requests
        assert max_usd is None or budget.spent_usd + budget.reserved_usd <= max_usd + ROUNDING_USD
    for reserved, worst in open_:
        budget.settle(reserved, worst)
    assert budget.reserved_usd == pytest.approx(0.0, abs=ROUNDING_USD)
    assert max_usd is None or budget.spent_usd <= max_usd + ROUNDING_USD


def test_without_a_pace_nobody_waits() -> None:
    pace = Pace(None)
    for _ in range(100):
        with pytest.raises(StopIteration):  # the coroutine ends without having given up control
            pace.wait().send(None)


def test_the_first_of_a_pace_goes_at_once() -> None:
    with pytest.raises(StopIteration):
        Pace(1).wait().send(None)


def test_no_more_go_than_the_pace_allows_also_when_all_ask_at_once() -> None:
    """A lower bound: with 50 ms between them, the fifth of five goes 200 ms after the first or later."""
    passed: list[float] = []

    async def goes(pace: Pace) -> None:
        await pace.wait()
        passed.append(time.monotonic())

    async def all_at_once() -> None:
        pace = Pace(1200)
        await asyncio.gather(*(goes(pace) for _ in range(5)))

    start = time.monotonic()
    asyncio.run(all_at_once())
    assert [at - start >= 0.05 * nth - 0.001 for nth, at in enumerate(passed)] == [True] * 5
