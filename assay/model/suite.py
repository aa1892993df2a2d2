"""What a suite declares in its `suite.yaml`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from assay.model.base import Frozen

FORMAT = 1
Role = Literal["subject", "positive_control", "negative_control", "trivial_strategy"]
Enforcement = Literal["ci", "manual"]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
Version = Annotated[str, StringConstraints(pattern=r"^v[0-9]{1,4}$")]


class Sampling(Frozen):
    """How a model draws its answer; part of every request digest."""

    temperature: float = Field(0.0, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    seed: int | None = None
    max_tokens: int = Field(2048, gt=0)


class Provider(Frozen):
    """Something that answers, and what its numbers may decide."""

    role: Role = "subject"
    enforcement: Enforcement
    """`ci` can fail a build; `manual` is reported and never gated."""
    model: str = Field(min_length=1)
    sampling: Sampling = Sampling()


class ContractSources(Frozen):
    """Where prompt and response schema come from: a file of the suite, or `package.module:NAME` of the user's code."""

    prompt: str = Field(min_length=1)
    response_schema: str = Field(alias="schema", min_length=1)


class GateRule(Frozen):
    """What the gate compares with the baseline."""

    max_drop_pp: float = Field(3.0, ge=0, le=100)
    """The largest absolute change for the worse, in percentage points, that is still kept."""
    metrics: tuple[str, ...] = Field(min_length=1)


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
