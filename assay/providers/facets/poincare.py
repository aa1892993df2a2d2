"""poincare-orchestra as a system under evaluation (extra `orchestra`), by its public names alone.

Clock, seed, latency and embedder are injected: its mock providers neither sleep nor are timed, and ages are counted from `now`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from assay.digest import digest_of
from assay.errors import Problem, Unrecorded, UsageError, nearest
from assay.providers.facets.latency import Latency
from assay.providers.facets.port import Surroundings
from assay.providers.retrieval.embedder import Embedder
from assay.suites.facets.answers import Event, TaskAnswer
from assay.suites.facets.scenario import Disturbance, Scenario
from assay.suites.facets.scenario_file import scenario_from

if TYPE_CHECKING:
    import poincare_memory
    import poincare_orchestra
    from poincare_orchestra import AgentResponse, CompletionRequest, MockProvider, RunResult

PACKAGES = ("poincare-orchestra", "poincare-memory")


class PoincareOrchestrator:
    """One orchestrator for all tasks of a scenario: history, cooldowns and throttling carry over."""

    def __init__(self, scenario: Scenario, surroundings: Surroundings) -> None:
        """Raises UsageError where the package is not installed."""
        package = _package()
        theirs = _their_scenario(scenario)
        self._events = 0
        self.memory: poincare_memory.Memory = theirs.build_memory(
            now=surroundings.now, clock=lambda: surroundings.now, embedder=_their_embedder(surroundings.embedder)
        )
        self._providers = [_provider(n, scenario.disturbed.get(n, Disturbance()), surroundings) for n in scenario.providers]
        self._orchestrator: poincare_orchestra.Orchestrator = package.Orchestrator(
            theirs, providers=self._providers, memory=self.memory
        )

    def ask(self, question: str) -> TaskAnswer:
        """The synthesised answer, what each provider said, and the events of this question alone. Raises Unrecorded."""
        found = self._orchestrator.run(question)
        for provider in self._providers:
            if isinstance(provider, Timed) and provider.unrecorded:
                raise provider.unrecorded
        fresh = found.throttle_events[self._events :]
        self._events = len(found.throttle_events)
        return TaskAnswer(
            answer=found.synthesis.answer,
            responses=tuple(response.content for response in found.responses),
            sources=_sources(found),
            weighted_score=found.synthesis.weighted_score,
            constraints_met=found.synthesis.constraints_met,
            events=tuple(Event(provider=event.provider, reasons=tuple(event.reasons)) for event in fresh),
            subtasks=len(found.plan.subtasks),
        )


class Timed:
    """A mock provider whose latency is told instead of measured."""

    def __init__(self, mock: MockProvider, latency: Latency) -> None:
        self.name: str = mock.name
        self._mock, self._latency = mock, latency
        self.unrecorded: Unrecorded | None = None
        """What the router takes for a provider's error and is none."""

    def complete(self, request: CompletionRequest) -> AgentResponse:
        """The mock's response with the told latency. Raises what the mock raises, and Unrecorded."""
        response = self._mock.complete(request)
        calls, limit = self._mock.calls, self._mock.degrade_after
        try:
            told = self._latency(self.name, calls, degraded=limit is not None and calls > limit)
        except Unrecorded as error:
            self.unrecorded = self.unrecorded or error
            raise
        return response.model_copy(update={"latency_s": told})


def orchestrator(scenario: Scenario, surroundings: Surroundings) -> PoincareOrchestrator:
    """`assay.providers.facets.poincare:orchestrator`."""
    return PoincareOrchestrator(scenario, surroundings)


def packaged_names() -> list[str]:
    """The scenarios that the package brings. Raises UsageError where it is not installed."""
    return list(_package().list_scenarios())


def packaged_scenario(name: str) -> Scenario:
    """A scenario that the package brings. Raises UsageError for an unknown name."""
    known = packaged_names()
    if name not in known:
        expected = f"a scenario file, or one of {', '.join(known)}"
        raise UsageError(Problem("scenario", "unknown scenario", name, expected, nearest(name, known)))
    value = _package().load_scenario(name).model_dump(mode="json", exclude_none=True)
    return scenario_from(value, f"{PACKAGES[0]}: {name}")


def packaged_digest(name: str) -> str:
    """What names a packaged scenario by its content, as the package itself has it."""
    return digest_of(_package().load_scenario(name).model_dump(mode="json"))


def versions() -> dict[str, str]:
    """The installed versions of the package and its memory. Raises UsageError where it is not installed."""
    _package()
    return {name: version(name) for name in PACKAGES}


def _package() -> Any:  # noqa: ANN401  # a module, imported where it is needed
    try:
        import poincare_orchestra
    except ImportError:
        remedy = "Install it with `pip install 'assay[orchestra]'`."
        raise UsageError(Problem("orchestrator", "poincare-orchestra is not installed", remedy=remedy)) from None
    return poincare_orchestra


def _their_scenario(scenario: Scenario) -> poincare_orchestra.Scenario:
    """The scenario without its tasks: what is asked comes one by one, and what is expected is none of its business."""
    fields = scenario.model_dump(mode="json", exclude={"tasks", "disturbed"}, exclude_none=True)
    found: poincare_orchestra.Scenario = _package().Scenario.model_validate({**fields, "tasks": []})
    return found


def _provider(name: str, disturbance: Disturbance, surroundings: Surroundings) -> poincare_orchestra.Provider:
    mock = {"seed": surroundings.seed, **disturbance.model_dump()}
    if surroundings.latency is None:
        measured: poincare_orchestra.Provider = _package().MockProvider(name, **mock)
        return measured
    return Timed(_package().MockProvider(name, latency_s=0.0, **mock), surroundings.latency)


def _their_embedder(embedder: Embedder | None) -> poincare_memory.Embedder | None:
    if embedder is None:
        return None
    import numpy as np
    from poincare_memory import CallableEmbedder

    def vectors(texts: Sequence[str]) -> Any:  # noqa: ANN401  # an array, of a package that is imported where it is needed
        return np.asarray(embedder.embed(texts), dtype=np.float64)

    return CallableEmbedder(vectors, embedder.identity.dimension)


def _sources(found: RunResult) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source for claim in found.synthesis.claims for source in claim.sources))
