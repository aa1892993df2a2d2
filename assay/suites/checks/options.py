"""What a suite of checks sets in its `options`: which evaluators look at which part of an output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from assay.errors import nearest
from assay.model.base import Frozen
from assay.model.suite import ImportString
from assay.reading import validated

JUDGE = "assay.suites.checks.judging:recorded_judge"
"""The factory of a judge; by it a judge is told from other resources."""
TAKEN = frozenset({"cases", "passed", "checked", "errors", "planted", "cases_passed", "planted_noticed", "could_not_run"})
"""What the kind itself counts and measures, so that no check can be called so."""


class Resource(Frozen):
    """Something that evaluators are handed besides plain values, such as a policy engine. Made by `factory(files, options)`."""

    factory: ImportString
    files: tuple[str, ...] = ()
    """The suite's files that it is made from, by role."""
    options: dict[str, JsonValue] = Field(default_factory=dict)


class CheckEntry(Frozen):
    """One named check: an evaluator over a part of the output."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    evaluator: str = ""
    """A known evaluator, or `package.module:function`; empty is the one called like the check."""
    path: str = ""
    """Where in the output its value lies, dotted; empty is the whole output."""
    expected: str = ""
    """Where in the case's `expected` its expectation lies, dotted; empty is all of it."""
    config: dict[str, JsonValue] = Field(default_factory=dict)
    """The evaluator's options, and its `objective`. A case may override them."""
    resources: dict[str, str] = Field(default_factory=dict)
    """Options that are resources, by the resource's name."""
    advisory: bool = False
    """Reported and never gated: what has not been calibrated against people, such as a judge."""

    @property
    def used(self) -> str:
        """The evaluator's name or import string."""
        return self.evaluator or self.name


class Options(Frozen):
    """`options` of a suite of checks."""

    checks: tuple[CheckEntry, ...] = Field(min_length=1)
    resources: dict[str, Resource] = Field(default_factory=dict)
    reads: Literal["json", "text"] = "json"
    """How an output is read; text stays as it is."""
    planted: dict[str, str] = Field(default_factory=dict)
    """By the name of a planted fault the check that must notice it, or `check.reason` for one reason of it."""
    repeats: int = Field(1, ge=1, le=100, strict=True)

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        names = [check.name for check in self.checks]
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise ValueError(f"the check {twice[0]!r} stands twice")
        measured = [*TAKEN, *(f"{name}_score" for name in names)]
        taken = [name for name in names if name in measured]
        if taken:
            raise ValueError(f"a check cannot be called {taken[0]!r}, which is what a measure is called")
        for check in self.checks:
            for resource in check.resources.values():
                if resource not in self.resources:
                    raise ValueError(f"the check {check.name!r} asks for the unknown resource {resource!r}")
        for fault, noticed in self.planted.items():
            if noticed.partition(".")[0] not in names:
                close = nearest(noticed.partition(".")[0], names)
                raise ValueError(f"the planted fault {fault!r} is noticed by {noticed!r}, which is no check. {close}".strip())
        advisory = {check.name for check in self.checks if self.is_advisory(check)}
        for fault, noticed in self.planted.items():
            if noticed.partition(".")[0] in advisory:
                raise ValueError(
                    f"the planted fault {fault!r} is noticed by {noticed!r}, which is advisory and decides nothing"
                )
        return self

    def is_advisory(self, check: CheckEntry) -> bool:
        """Whether a check decides nothing: it says so, or it asks a judge, and no judge has been calibrated."""
        asks = [self.resources[name].factory for name in check.resources.values()]
        return check.advisory or check.used == "llm_as_judge" or JUDGE in asks

    @property
    def judge_files(self) -> frozenset[str]:
        """The suite's files, by role, that only judges are made from."""
        of_judges = {role for found in self.resources.values() if found.factory == JUDGE for role in found.files}
        return frozenset(
            of_judges - {role for found in self.resources.values() if found.factory != JUDGE for role in found.files}
        )


def options_of(options: Mapping[str, JsonValue]) -> Options:
    """The options, validated. Raises InputError."""
    return validated(dict(options), "suite.yaml: options", Options)
