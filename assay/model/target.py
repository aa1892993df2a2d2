"""A target: the user's code, or a control's, that answers in process instead of from a recording of replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, cast, runtime_checkable

from pydantic import BaseModel, JsonValue

from assay.digest import canonical
from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.model.suite import Provider
from assay.model.verdict import Check


@dataclass(frozen=True)
class TargetContext:
    """What a target is built from. All of it is part of the stage key."""

    cases: Sequence[GoldCase]
    provider: Provider
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    """Gold files that the kind's targets read, by the kind's name for them: (shown path, content)."""
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    """The suite's options."""
    recording: bytes | None = None
    """What was recorded for the target, such as vectors; null where it needs none."""
    mode: Literal["replay", "live"] = "replay"
    """`live` asks the model that the target rests on, and gathers what a recording needs."""
    environ: Mapping[str, str] = field(default_factory=dict)
    """Where keys and addresses come from; empty in replay."""
    home: Path | None = None
    """Where what was computed live may be kept; null in replay."""
    budget: object | None = None
    """What a live target may spend, shared by all that the run asks: an `assay.providers.budget.Budget`."""
    replies: Mapping[str, Sequence[Outcome]] = field(default_factory=dict)
    """What the provider named in `of` answered, by case; empty without one."""


class Target(Protocol):
    """What a target's factory yields."""

    def answer(self, case: GoldCase) -> str:
        """The raw response text for one case. What it raises is that case's failure."""

    def checks(self) -> Sequence[Check]:
        """What the target can say of itself once all cases are answered, such as whether it sees the whole corpus."""


@dataclass(frozen=True)
class TargetRecording:
    """What a live target gathered, to be replayed later without its model."""

    body: bytes
    rows: int
    model_served: str
    identity: Mapping[str, str | int]


@runtime_checkable
class RecordableTarget(Target, Protocol):
    """A target that rests on a model."""

    def recording(self) -> TargetRecording:
        """All that the answers so far rested on."""


TargetFactory = Callable[[TargetContext], object]
"""What a suite names: from the context to a target, or to a plain function of a case's input."""


@dataclass(frozen=True)
class FunctionTarget:
    """A plain function of a case's input as a target; what it returns is answered as JSON (a set in order), a text as it is."""

    function: Callable[[Mapping[str, JsonValue]], object]

    def answer(self, case: GoldCase) -> str:
        """What the function returns: text, records, plain data, or something to iterate over."""
        found = self.function(case.input)
        return found if isinstance(found, str) else canonical(_plain(found)).decode()

    def checks(self) -> Sequence[Check]:
        """Nothing: a function says nothing of itself."""
        return ()


@dataclass(frozen=True)
class CaseFunction:
    """A function of the whole case as a target, for controls: its text is the answer."""

    function: Callable[[GoldCase], str]

    def answer(self, case: GoldCase) -> str:
        """The function's text."""
        return self.function(case)

    def checks(self) -> Sequence[Check]:
        """Nothing: a function says nothing of itself."""
        return ()


def as_target(made: object) -> Target:
    """What a factory made, as a target. Raises TypeError for anything but a target or a function."""
    if hasattr(made, "answer") and hasattr(made, "checks"):
        return cast(Target, made)
    if callable(made):
        return FunctionTarget(made)
    raise TypeError(f"the factory made a {type(made).__name__}; expected a target or a function of a case's input")


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(map(_plain, value), key=canonical)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [_plain(item) for item in value]
    return value
