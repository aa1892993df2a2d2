"""The port of everything that answers a scenario's questions, and what is injected into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from assay.model.suite import Provider
from assay.providers.facets.latency import Latency, declared
from assay.providers.retrieval.embedder import Embedder
from assay.suites.facets.answers import TaskAnswer
from assay.suites.facets.scenario import Scenario

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
"""The clock where none is given. Ages are counted back from it, so it changes no result."""

DECLARED = declared()


@dataclass(frozen=True)
class Surroundings:
    """What an orchestrator would otherwise take from the machine."""

    now: datetime = NOW
    seed: int = 0
    latency: Latency | None = DECLARED
    """What a simulated call takes; null measures it, which depends on the machine."""
    embedder: Embedder | None = None
    """Null for the system's own."""


class Orchestrator(Protocol):
    """Answers the questions of one scenario, in order, and may remember what it was asked before."""

    def ask(self, question: str) -> TaskAnswer:
        """The answer. What it raises is that task's failure."""


OrchestratorFactory = Callable[[Scenario, Surroundings], Orchestrator]
"""`package.module:factory` of any system: a fresh orchestrator for one scenario."""


@dataclass(frozen=True)
class Endpoint:
    """An orchestrator behind an address, as suite.yaml or the command line names it."""

    name: str
    provider: Provider
    environ: Mapping[str, str]
