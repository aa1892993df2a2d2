"""What a simulated call takes, as it is declared or was recorded; never what this machine needed for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from assay.errors import Unrecorded


class Latency(Protocol):
    """The latency of a provider's call, in seconds."""

    def __call__(self, provider: str, call: int, *, degraded: bool) -> float:
        """`call` is counted from 1 for each provider."""


def declared(latency_s: float = 0.01, slowdown: float = 6.0) -> Latency:
    """The same for every call, and so many times as long once the provider is degraded."""

    def latency(provider: str, call: int, *, degraded: bool) -> float:
        return latency_s * (slowdown if degraded else 1.0)

    return latency


def replayed(recorded: Mapping[str, Sequence[float]]) -> Latency:
    """What was recorded, by provider in order of calls. Raises Unrecorded beyond the end."""

    def latency(provider: str, call: int, *, degraded: bool) -> float:
        known = recorded.get(provider, ())
        if call > len(known):
            raise Unrecorded(f"no latency of {provider} is recorded for call {call}")
        return known[call - 1]

    return latency
