"""Latencies are told: declared for every call, or replayed call by call."""

from __future__ import annotations

import pytest

from assay.errors import Unrecorded
from assay.providers.facets.latency import declared, replayed


def test_declared_latency_is_the_same_for_every_call_and_longer_when_degraded() -> None:
    latency = declared(0.02, 5.0)
    assert [latency("a", call, degraded=False) for call in (1, 9)] == [0.02, 0.02]
    assert latency("a", 1, degraded=True) == pytest.approx(0.1)


def test_recorded_latency_comes_in_order_by_provider() -> None:
    latency = replayed({"a": [0.1, 0.2], "b": [0.3]})
    assert [latency("a", 1, degraded=False), latency("a", 2, degraded=True), latency("b", 1, degraded=False)] == [0.1, 0.2, 0.3]


@pytest.mark.parametrize(("provider", "call"), [("a", 2), ("c", 1)])
def test_what_was_not_recorded_is_told(provider: str, call: int) -> None:
    with pytest.raises(Unrecorded, match=f"no latency of {provider} is recorded for call {call}"):
        replayed({"a": [0.1]})(provider, call, degraded=False)
