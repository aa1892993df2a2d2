"""What a suite declares in its `suite.yaml`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from assay.model.base import Frozen

FORMAT = 1
Role = Literal["subject", "positive_control", "negative_control", "trivial_strategy"]
Enforcement = Literal["ci", "manual"]
ResponseFormat = Literal["json_schema", "json_object", "text"]
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


class ContractSources(Frozen):
    """Where prompt and response schema come from: a file of the suite, or `package.module:NAME` of the user's code."""

    prompt: str = Field(min_length=1)
    response_schema: str = Field(alias="schema", min_length=1)


class GateRule(Frozen):
    """What the gate compares with the baseline."""

    max_drop_pp: float = Field(3.0, ge=0, le=100)
    """The largest absolute change for the worse, in percentage points, that is still kept."""
    metrics: tuple[str, ...] = Field(min_length=1)
    must_detect_pp: float | None = Field(None, gt=0, le=100)
    """The drop that a live run must be able to notice, in percentage points; without it a live run has no verdict."""
    false_alarm: float = Field(0.05, gt=0, lt=0.5)
    """How often a live run may call a model worse that is not, over all gated metrics together."""


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
    contract: ContractSources
    providers: dict[Name, Provider]
    gate: GateRule
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """What only this kind understands; validated by the kind."""
