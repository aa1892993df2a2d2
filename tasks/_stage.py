"""What a stage is: a name, a pure function from opened inputs and parameters to a body, and its kind's module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from assay.stores.artifacts import Body, Ref

Inputs = Mapping[str, Any]
"""Bodies by input name, as the artifact store decodes them."""
Params = Mapping[str, Any]


@dataclass(frozen=True)
class Stage:
    """One of the six steps of every run."""

    name: str
    run: Callable[[str, Inputs, Params], Body]
    """(kind, inputs, params) -> body. Reads nothing but its arguments."""
    part: str | None = None
    """The module of the kind that does this stage's work; its code is part of the key."""


@dataclass(frozen=True)
class StageCall:
    """A stage with everything its result depends on."""

    stage: Stage
    kind: str
    inputs: Mapping[str, Ref]
    params: Mapping[str, JsonValue]
    provider: str | None = None
    """For people only: what the result depends on is in the inputs and parameters."""
