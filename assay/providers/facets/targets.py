"""Orchestrators as targets of a suite: each scenario runs once, whole and in order, and every case takes its task's answer.

A target of one's own is one line in a module of one's own: `target = suite_target(factory)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from assay.digest import canonical, sha256_hex
from assay.errors import InputError, Problem, UsageError
from assay.model.embedding import EmbedderIdentity, Vector
from assay.model.gold import GoldCase
from assay.model.target import Target, TargetContext, TargetFactory, TargetRecording
from assay.model.verdict import Check
from assay.providers.facets import poincare as system
from assay.providers.facets.endpoint import endpoint_factory
from assay.providers.facets.evaluation import Outcome, asked
from assay.providers.facets.latency import declared
from assay.providers.facets.port import Endpoint, OrchestratorFactory, Surroundings
from assay.providers.retrieval.embedder import Embedder
from assay.providers.retrieval.memoised import MemoEmbedder
from assay.providers.retrieval.minilm import MiniLM
from assay.providers.retrieval.recorded import RecordedEmbedder
from assay.providers.retrieval.targets import Gathering, unrecorded
from assay.stores.memo import Memo
from assay.stores.vectors import read_vectors, vector_facts
from assay.suites.facets.answers import TaskAnswer
from assay.suites.facets.cases import parse
from assay.suites.facets.options import options_of
from assay.suites.facets.scenario import Scenario

DECIMALS = 9
"""J is rounded here, so that the last bits of a machine's arithmetic are no part of an answer."""
PACKAGES = system.PACKAGES
"""The distributions whose versions are part of what the targets are."""
LoadScenario = Callable[[GoldCase], Scenario]


class ScenarioTarget:
    """A factory's orchestrators, one for each scenario that a case asks for."""

    def __init__(self, context: TargetContext, factory: OrchestratorFactory, embedder: Embedder | None = None) -> None:
        self._scenario_of = scenario_loader(context)
        self._factory = factory
        self._surroundings = surroundings_of(context, embedder)
        self._done: dict[str, list[Outcome]] = {}

    def answer(self, case: GoldCase) -> str:
        """The answer to the case's task as canonical JSON. Raises what the orchestrator raised on it."""
        name, position = str(case.input["scenario"]), case.input["position"]
        with unrecorded():
            if name not in self._done:
                scenario = self._scenario_of(case)
                self._done[name] = asked(scenario, self._factory(scenario, self._surroundings))
        outcome = self._done[name][position] if isinstance(position, int) else LookupError(f"no task at {position}")
        if isinstance(outcome, TaskAnswer):
            return _text(outcome)
        raise outcome

    def checks(self) -> Sequence[Check]:
        """Nothing: its numbers speak."""
        return ()


class EmbeddedTarget(ScenarioTarget):
    """An orchestrator over vectors of a model that was asked in this run."""

    def __init__(self, context: TargetContext, factory: OrchestratorFactory, gathering: Gathering) -> None:
        super().__init__(context, factory, gathering)
        self._gathering = gathering

    def recording(self) -> TargetRecording:
        """Every vector that was used."""
        return self._gathering.recording()


class OneByOne:
    """An embedder that is asked for each text once: records and questions come again and again."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}

    @property
    def identity(self) -> EmbedderIdentity:
        """Of the embedder behind it."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """The embedder's vectors."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        if fresh:
            self._known |= dict(zip(fresh, self._embedder.embed(fresh), strict=True))
        return [self._known[text] for text in texts]


def suite_target(factory: OrchestratorFactory) -> TargetFactory:
    """A target of any orchestrator factory."""

    def target(context: TargetContext) -> Target:
        return ScenarioTarget(context, factory)

    return target


def poincare(context: TargetContext) -> Target:
    """poincare-orchestra with its own hashing embedder."""
    return ScenarioTarget(context, system.orchestrator)


def poincare_minilm(context: TargetContext) -> Target:
    """poincare-orchestra over MiniLM's vectors: recorded ones in replay, the real model's live."""
    if context.mode == "replay":
        return ScenarioTarget(context, system.orchestrator, OneByOne(_recorded(context)))
    model: Embedder = MiniLM()
    if context.home is not None:
        model = MemoEmbedder(model, Memo(context.home))
    return EmbeddedTarget(context, system.orchestrator, Gathering(OneByOne(model)))


def endpoint(context: TargetContext) -> Target:
    """The HTTP endpoint of the provider's `live` block. Raises UsageError in replay: its answers are not recorded."""
    if context.mode == "replay":
        told = "an HTTP endpoint answers live only"
        raise UsageError(Problem(f"provider {context.provider.model}", told, remedy="Ask it with `assay run --mode live`."))
    return ScenarioTarget(context, endpoint_factory(Endpoint(context.provider.model, context.provider, context.environ)))


def scenario_loader(context: TargetContext) -> LoadScenario:
    """By case, its scenario: one of the suite's files, or of the installed package where the gold set names it.

    The loader raises InputError where the package brings another scenario than the one that was named.
    """
    own = {scenario.name: scenario for scenario in parse(context.files)[0]}

    def scenario_of(case: GoldCase) -> Scenario:
        name = str(case.input["scenario"])
        return own[name] if name in own else _packaged(case, name)

    return scenario_of


def surroundings_of(context: TargetContext, embedder: Embedder | None = None) -> Surroundings:
    """What the suite's options inject."""
    chosen = options_of(context.options)
    return Surroundings(
        now=datetime.fromisoformat(chosen.now),
        seed=chosen.seed,
        latency=declared(chosen.latency_s, chosen.slowdown),
        embedder=embedder,
    )


def question_of(case: GoldCase, scenario: Scenario) -> str:
    """The question that the case asks."""
    position = case.input["position"]
    return scenario.tasks[position if isinstance(position, int) else 0].question


def _text(answer: TaskAnswer) -> str:
    score = answer.weighted_score
    shown = answer.model_copy(update={"weighted_score": None if score is None else round(score, DECIMALS)})
    return canonical(shown.model_dump(mode="json")).decode()


def _packaged(case: GoldCase, name: str) -> Scenario:
    scenario = system.packaged_scenario(name)
    found = system.packaged_digest(name)
    if found != case.input.get("scenario_sha256"):
        told = f"the installed package ({', '.join(f'{n} {v}' for n, v in system.versions().items())}) brings another scenario"
        raise InputError(
            Problem(f"scenario {name}", told, f"sha256 {found[:12]}…", f"{str(case.input.get('scenario_sha256'))[:12]}…")
        )
    if sha256_hex(question_of(case, scenario).encode()) != case.input.get("question_sha256"):
        raise InputError(Problem(case.id, "asks another question than the package's scenario", expected="its sha256"))
    return scenario


def _recorded(context: TargetContext) -> RecordedEmbedder:
    shown = f"recording of {context.provider.model}"
    if context.recording is None:
        raise InputError(Problem(shown, "is not there", remedy="Make it with `assay record`."))
    identity = vector_facts(context.recording, shown).embedder
    return RecordedEmbedder(read_vectors(context.recording, shown), identity, shown)
