"""What a suite declares in its `suite.yaml`."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, StringConstraints, model_validator

from assay.model.base import Frozen

FORMAT = 1
Role = Literal["subject", "positive_control", "negative_control", "trivial_strategy"]
Enforcement = Literal["ci", "manual"]
SUBJECT: Role = "subject"
ResponseFormat = Literal["json_schema", "json_object", "text"]
ImportString = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
"""`package.module:NAME`."""
EnvironmentName = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
Version = Annotated[str, StringConstraints(pattern=r"^v[0-9]{1,4}$")]


class Sampling(Frozen):
    """How a model draws its answer; part of every request digest."""

    temperature: float = Field(0.0, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    seed: int | None = None
    max_tokens: int = Field(2048, gt=0)


class Price(Frozen):
    """What an endpoint charges, in USD per million tokens."""

    prompt_usd: float = Field(ge=0)
    completion_usd: float = Field(ge=0)


class Live(Frozen):
    """How a provider is reached. Keys and private addresses come from the environment, by the variable's name."""

    base_url: str | None = None
    base_url_env: EnvironmentName | None = None
    """The variable that holds the address; it wins over `base_url`."""
    api_key_env: EnvironmentName | None = None
    """The variable that holds the key; null for an endpoint without one."""
    concurrency: int = Field(4, ge=1, le=64)
    requests_per_minute: float | None = Field(None, gt=0)
    timeout_s: float = Field(60, gt=0)
    """For one attempt."""
    deadline_s: float = Field(300, gt=0)
    """For one request with all its retries."""
    attempts: int = Field(5, ge=1, le=20)
    price: Price | None = None
    """Null where nothing is charged or nothing is known; a budget in USD then counts nothing."""


class Control(Frozen):
    """How a provider that is no subject must come out before any number counts.

    A positive control reaches `floor`. A negative control stays under what chance explains. A trivial strategy stays behind
    every subject by more than the gate's tolerance.
    """

    metric: str = Field(min_length=1)
    floor: float | None = None


class Provider(Frozen):
    """Something that answers, and what its numbers may decide."""

    role: Role = "subject"
    enforcement: Enforcement
    """`ci` can fail a build; `manual` is reported and never gated."""
    model: str = Field(min_length=1)
    sampling: Sampling = Sampling()
    response_format: ResponseFormat = "json_schema"
    """`json_schema` where the endpoint enforces a schema, `json_object` where only JSON, `text` where neither."""
    turns_per_request: int | None = Field(None, ge=1)
    """How many user turns go into one request; null asks with the whole conversation."""
    live: Live | None = None
    """Null for a provider that cannot be asked."""
    target: ImportString | None = None
    """The factory of code that answers in process; null for a model that is recorded reply by reply."""
    recorded_as: Literal["arrow", "jsonl", "file"] | None = None
    """What a target's answers rest on: recorded vectors, recorded exchanges with a model, or a file of the suite that holds
    answers made elsewhere; null where the code alone answers."""
    of: Name | None = None
    """The provider whose replies a control is made from."""
    claims: Literal["none"] | None = None
    """`none`: nothing is claimed of this subject, so a trivial strategy may be as good; reported, not failed."""
    control: Control | None = None

    @property
    def asks_model(self) -> bool:
        """Whether a target rests on a model that can be asked and recorded."""
        return self.recorded_as in {"arrow", "jsonl"}

    @model_validator(mode="after")
    def _role_fits(self) -> Self:
        if (self.control is None) != (self.role == SUBJECT):
            raise ValueError("a control's role needs `control`, and a subject has none")
        if self.control is not None and (self.control.floor is None) == (self.role == "positive_control"):
            raise ValueError("a positive control needs `control.floor`, and no other role has one")
        if self.target is None and (self.control is not None or self.recorded_as or self.of):
            raise ValueError("`control`, `recorded_as` and `of` belong to a provider with a `target`")
        return self


class ContractSources(Frozen):
    """Where prompt and response schema come from: a file of the suite, or `package.module:NAME` of the user's code."""

    prompt: str = Field(min_length=1)
    response_schema: str = Field(alias="schema", min_length=1)


class GateRule(Frozen):
    """What the gate compares with the baseline."""

    max_drop_pp: float = Field(3.0, ge=0, le=100)
    """The largest absolute change for the worse, in percentage points, that is still kept."""
    metrics: tuple[str, ...] = Field(min_length=1)
    floors: dict[str, float] = Field(default_factory=dict)
    """What every subject must reach at least, whatever the baseline says."""
    ceilings: dict[str, float] = Field(default_factory=dict)
    """What no subject may exceed."""
    must_notice_cases: int | None = Field(None, ge=1)
    """The rows of each gated metric that turn wrong and must fire the gate on replay, wherever they fall."""
    must_detect_pp: float | None = Field(None, gt=0, le=100)
    """The drop that a live run must be able to notice, in percentage points; without it a live run has no verdict."""
    false_alarm: float = Field(0.05, gt=0, lt=0.5)
    """How often a live run may call a model worse that is not, over all gated metrics together."""


class PytestRule(Frozen):
    """How the suite shows in `pytest --assay`."""

    no_verdict: Literal["fail", "skip"] = "fail"


class Misbehaviour(Frozen):
    """Options by which a subject's target misbehaves on purpose, and who must notice it."""

    options: dict[str, JsonValue] = Field(min_length=1)
    """What the target gets besides the suite's options, and nothing else of the run does."""
    must_notice: tuple[str, ...] = Field(min_length=1)
    """Names of checks; one that ends in `*` is how names begin."""


class SabotageRule(Frozen):
    """What `assay sabotage` finds in this suite."""

    survivors: dict[str, str] = Field(default_factory=dict)
    """Defects that no right check notices, each with the reason why that is borne."""
    system: dict[str, Misbehaviour] = Field(default_factory=dict)
    """Defects of the system under evaluation, by name."""


class Suite(Frozen):
    """A named, versioned evaluation: kind, gold set, contract, providers and gate."""

    format: Literal[1]
    suite: Name
    version: Version
    kind: Name
    title: str = Field(min_length=1)
    synthetic: bool
    """True when the gold set was made up rather than taken from real traffic; reports say so."""
    files: dict[str, str] = Field(min_length=1)
    """Gold files by the names that the kind gives them, relative to the suite's folder."""
    contract: ContractSources | None = None
    """Null where no prompt is sent to anybody."""
    providers: dict[Name, Provider]
    gate: GateRule
    stale_after_days: int = Field(90, ge=1)
    """How old a recording or baseline may be before reports call it stale."""
    pytest: PytestRule = PytestRule()
    sabotage: SabotageRule = SabotageRule()
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """What only this kind understands; validated by the kind."""

    def at_its_cutoff(self) -> Suite:
        """The suite with `@k` in the names of metrics spelled out, where the options give `top_k`."""
        top_k = self.options.get("top_k")
        if not isinstance(top_k, int):
            return self

        def spelled(name: str) -> str:
            return name.removesuffix("@k") + f"@{top_k}" if name.endswith("@k") else name

        gate = self.gate.model_copy(
            update={
                "metrics": tuple(map(spelled, self.gate.metrics)),
                "floors": {spelled(name): floor for name, floor in self.gate.floors.items()},
                "ceilings": {spelled(name): ceiling for name, ceiling in self.gate.ceilings.items()},
            }
        )
        providers = {
            name: provider.model_copy(
                update={"control": provider.control.model_copy(update={"metric": spelled(provider.control.metric)})}
            )
            if provider.control
            else provider
            for name, provider in self.providers.items()
        }
        return self.model_copy(update={"gate": gate, "providers": providers})

    @model_validator(mode="after")
    def _is_not_called_all(self) -> Self:
        if self.suite == "all":
            raise ValueError("`all` means every suite of the project, so no suite is called so")
        return self

    @model_validator(mode="after")
    def _controls_are_made_from_providers(self) -> Self:
        for name, provider in self.providers.items():
            if provider.of is not None and provider.of not in self.providers:
                raise ValueError(f"provider {name!r} is made from the replies of {provider.of!r}, which is no provider")
        return self

    @property
    def constants(self) -> dict[str, float]:
        """Every absolute bound of the gate and of the positive controls, by what it bounds."""
        floors = {f"floor {name}": value for name, value in self.gate.floors.items()}
        ceilings = {f"ceiling {name}": value for name, value in self.gate.ceilings.items()}
        controls = {
            f"floor-of-{name} {provider.control.metric}": provider.control.floor
            for name, provider in self.controls.items()
            if provider.control and provider.control.floor is not None
        }
        return {**floors, **ceilings, **controls}

    @property
    def subjects(self) -> dict[str, Provider]:
        """The providers under evaluation."""
        return {name: provider for name, provider in self.providers.items() if provider.role == SUBJECT}

    @property
    def controls(self) -> dict[str, Provider]:
        """The providers that must come out a known way."""
        return {name: provider for name, provider in self.providers.items() if provider.role != SUBJECT}
