"""The crew as the target of a suite: one run per case, with nothing shared between cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import MappingProxyType

from pydantic import Field

from assay.digest import canonical, digest_of
from assay.errors import InputError, Problem, UsageError
from assay.model.base import Frozen
from assay.model.exchange import Exchange, Outcome, Request
from assay.model.gold import GoldCase
from assay.model.target import TargetContext, TargetRecording
from assay.model.verdict import Check
from assay.providers.budget import Budget
from assay.providers.crew.choice import FLAG, Choice, suite_choice
from assay.providers.crew.live import EndpointModel, live_model, recorded_model
from assay.providers.crew.orchestrator import Task, run
from assay.providers.crew.parts import Parts
from assay.providers.crew.policy import OWN, policy_named
from assay.providers.crew.prompts import PROMPT
from assay.providers.crew.scenario import Scenario, scenario_named, scenarios_in
from assay.providers.crew.schemas import SCHEMAS
from assay.providers.crew.scripted import ScriptedModel, WithPolicy
from assay.reading import records, validated

SCENARIOS = "scenarios"
"""The kind's name for the file with the scripted replies."""
EMPTY: Mapping[str, str] = MappingProxyType({})


class CrewInput(Frozen):
    """A case's input, as far as the crew reads it."""

    brief: str = Field(min_length=1)
    scenario: str = Field(min_length=1)
    """Which lines the scripted specialists speak; a live crew does not look at it."""
    policy: str = OWN
    """Who decides: `own`, or a rogue that takes the decision function's place."""


class CrewTarget:
    """Answers each case with the canonical JSON of its transcript."""

    def __init__(
        self,
        choice: Choice,
        scenarios: tuple[str, Mapping[str, Scenario]],
        parts: Parts,
        environ: Mapping[str, str] = EMPTY,
        recorded: Sequence[Exchange] | None = None,
        budget: Budget | None = None,
    ) -> None:
        """`recorded` are the exchanges that stand in for a model; without them it is asked, within the budget."""
        self._choice, self._parts, self._environ, self._recorded = choice, parts, environ, recorded
        self._budget = budget
        self._where, self._scenarios = scenarios
        self._asked: list[Exchange] = []
        self._replayed: dict[str, EndpointModel] = {}

    def answer(self, case: GoldCase) -> str:
        """The transcript of the case's run. What it raises is the case's failure."""
        given = validated(case.input, f"case {case.id}: input", CrewInput)
        policy = policy_named(given.policy, f"case {case.id}: input.policy")
        task = Task(case.id, given.brief, self._choice.provider.model, self._choice.by)
        if self._choice.kind == "scripted":
            scenario = scenario_named(given.scenario, self._scenarios, f"case {case.id}: input.scenario ({self._where})")
            transcript = run(task, ScriptedModel(scenario, policy), self._parts)
        else:
            with self._model(case.id) as model:
                transcript = run(task, model if given.policy == OWN else WithPolicy(model, policy), self._parts)
        return canonical(transcript.model_dump(mode="json")).decode()

    def recording(self) -> TargetRecording:
        """Every exchange with the model, in the order of the cases."""
        served = sorted({e.reply.model_served for e in self._asked if e.reply and e.reply.model_served})
        return TargetRecording(
            body=b"".join(canonical(exchange.model_dump(mode="json")) + b"\n" for exchange in self._asked),
            rows=len(self._asked),
            model_served=", ".join(served) or "nothing answered",
            identity={"prompt_sha256": digest_of(PROMPT), "schema_sha256": digest_of(SCHEMAS)},
        )

    def _model(self, case_id: str) -> AbstractContextManager[EndpointModel]:
        provider = self._choice.provider
        if self._recorded is not None:
            own = [exchange for exchange in self._recorded if exchange.case_id == case_id]
            return nullcontext(self._replayed.setdefault(case_id, recorded_model(provider, own)))

        def keep(request: Request, outcome: Outcome) -> None:
            self._asked.append(Exchange.of(case_id, request, outcome))

        return live_model(provider, self._environ, self._budget, keep)

    def checks(self) -> Sequence[Check]:
        """Whether the crew, left to its own default without key and flag, refuses to run instead of falling into its mock."""
        name = "mock_is_chosen"
        try:
            found = self._parts.default({})
        except UsageError as error:
            return (Check(name=name, status="kept", message=f"without key and {FLAG} the default crew refuses: {error}"),)
        message = f"without key and {FLAG} the default crew runs {found.provider.model}"
        return (Check(name=name, status="broken", message=message),)


def factory(context: TargetContext, parts: Parts | None = None) -> CrewTarget:
    """The crew with the model that the suite declares: scripted, recorded in replay, or asked live.

    Raises UsageError for a missing key or address, InputError for a missing or faulty scenarios file or recording.
    """
    choice = suite_choice(context.provider, context.environ, is_live=context.mode == "live")
    return _target(context, choice, context.environ, parts or Parts())


def default_factory(context: TargetContext, environ: Mapping[str, str], parts: Parts | None = None) -> CrewTarget:
    """The crew with its own default model, whatever the suite declares: the mock with `ASSAY_MOCK=1`, else a live one.

    Raises as `factory`.
    """
    parts = parts or Parts()
    return _target(context, parts.default(environ), environ, parts)


def _target(context: TargetContext, choice: Choice, environ: Mapping[str, str], parts: Parts) -> CrewTarget:
    if choice.kind != "scripted" and context.mode == "replay":
        if context.recording is None:
            raise InputError(
                Problem(f"recording of {choice.provider.model}", "is not there", remedy="Make it with `assay record`.")
            )
        recorded = records(context.recording, f"recording of {choice.provider.model}", Exchange)
        return CrewTarget(choice, ("", {}), parts, recorded=recorded)
    if choice.kind != "scripted":
        budget = context.budget if isinstance(context.budget, Budget) else None
        return CrewTarget(choice, ("", {}), parts, environ, budget=budget)
    if SCENARIOS not in context.files:
        expected = f"`{SCENARIOS}: <file>` under `files` in suite.yaml"
        raise InputError(Problem("crew", "has no scripted replies", expected=expected))
    where, data = context.files[SCENARIOS]
    return CrewTarget(choice, (where, scenarios_in(data, where)), parts)
