"""load: a scenario: dated records in a hierarchy, roles and profiles, tasks with facets, and a policy.

A facet is a short substring that a good answer holds. Ages are `days_ago`, counted back from the clock that is injected.
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, JsonValue, model_validator

from assay.model.base import Frozen
from assay.suites.facets.policy import Policy


class KnowledgeItem(Frozen):
    """One record of the memory."""

    id: str = Field(pattern=r"\S")
    text: str = Field(pattern=r"\S")
    parent: str | None = None
    """A record that stands earlier in the file; null for a root."""
    days_ago: float | None = Field(None, ge=0)
    """Null for what has no date and counts as current."""
    valid_from_days_ago: float | None = None
    """Negative in the future, as the next."""
    valid_until_days_ago: float | None = None
    meta: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _window_is_open(self) -> Self:
        start, end = self.valid_from_days_ago, self.valid_until_days_ago
        if start is not None and end is not None and start <= end:
            raise ValueError(f"is valid until {end:g} days ago, which is not after {start:g} days ago, from when it is valid")
        return self


class Profile(Frozen):
    """What a provider is good at, and what it costs."""

    name: str = Field(pattern=r"\S")
    provider: str = Field(pattern=r"\S")
    domains: tuple[str, ...] = ()
    reasoning: float = 0.5
    creativity: float = 0.5
    reliability: float = 0.5
    cost_per_call: float = Field(1.0, ge=0)
    latency_s: float = Field(1.0, ge=0)


class AgentRole(Frozen):
    """A specialist that answers part of a question."""

    name: str = Field(pattern=r"\S")
    description: str
    system_prompt: str
    domains: tuple[str, ...] = ()
    profile: str
    """The name of a profile."""


class Disturbance(Frozen):
    """After how many calls a simulated provider gets worse; null for never."""

    degrade_after: int | None = Field(None, ge=0)
    """It cuts its answers short, slows down and sometimes refuses."""
    fail_after: int | None = Field(None, ge=0)
    """Every further call raises."""


class Task(Frozen):
    """A question with what a good answer holds, and what it must not hold."""

    question: str = Field(pattern=r"\S")
    expected_facets: tuple[str, ...] = ()
    forbidden_facets: tuple[str, ...] = ()
    """Of a question that has no answer: what a wrong one would hold. Also what has been superseded."""
    expected_events: tuple[str, ...] = ()
    """The throttle events of this task in order, as `<provider>: <kinds>`; each task without any must run without one."""
    id: str = Field("", pattern=r"^[a-z0-9_-]*$")
    """Empty for `t<position>`, counted from 1."""
    notes: str = ""


class Scenario(Frozen):
    """One use case. `scenario_of` reads it; its rows are consistent."""

    name: str
    title: str
    description: str
    knowledge: tuple[KnowledgeItem, ...]
    profiles: tuple[Profile, ...]
    roles: tuple[AgentRole, ...]
    tasks: tuple[Task, ...]
    policy: Policy = Policy()
    disturbed: dict[str, Disturbance] = Field(default_factory=dict)
    """Simulated trouble by provider: then its tasks stand apart from the means of the others."""

    @property
    def providers(self) -> tuple[str, ...]:
        """Those that its profiles name, in order of name."""
        return tuple(sorted({profile.provider for profile in self.profiles}))

    def task_id(self, position: int) -> str:
        """The name of the task at this position, counted from 0."""
        return self.tasks[position].id or f"t{position + 1}"
