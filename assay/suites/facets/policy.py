"""load: how an orchestrator may spend and what it weighs, as a scenario declares it."""

from __future__ import annotations

import re

from pydantic import Field, field_validator

from assay.model.base import Frozen

WEIGHTS = {"coverage": 0.4, "density": 0.2, "agreement": 0.1, "recency": 0.15, "cost": 0.15}
"""What a synthesis is scored by, and what each counts where a scenario does not say."""
BOUNDS = {"coverage": 0.5, "density": 0.2}
OBJECTIVES = tuple(WEIGHTS)
DECAY = re.compile(r"(none|validity|(half_life|ebbinghaus)(:(?=.*[1-9])\d+(\.\d+)?)?)")
"""One part of a temporal policy; parts are joined with `+`, hours follow `:`."""


class Policy(Frozen):
    """Budget, retrieval, weights, bounds and temporal policy."""

    max_subtasks: int = Field(4, ge=1)
    total_budget: float = Field(6.0, gt=0)
    min_budget: float = Field(0.5, ge=0)
    retrieval_k: int = Field(5, ge=1)
    objectives: dict[str, float] = Field(default_factory=lambda: dict(WEIGHTS))
    constraints: dict[str, float] = Field(default_factory=lambda: dict(BOUNDS))
    """The least that each objective must come to."""
    refine_rounds: int = Field(1, ge=0)
    decay: str = "half_life:720"

    @field_validator("objectives", "constraints")
    @classmethod
    def _known(cls, given: dict[str, float]) -> dict[str, float]:
        unknown = [name for name in given if name not in OBJECTIVES]
        if unknown:
            raise ValueError(f"unknown objectives {', '.join(unknown)}; expected some of {', '.join(OBJECTIVES)}")
        return given

    @field_validator("objectives")
    @classmethod
    def _weights(cls, given: dict[str, float]) -> dict[str, float]:
        if any(weight < 0 for weight in given.values()) or (given and sum(given.values()) <= 0):
            raise ValueError("weights are at least 0, and one is more")
        return given

    @field_validator("constraints")
    @classmethod
    def _bounds(cls, given: dict[str, float]) -> dict[str, float]:
        if any(not 0 <= bound <= 1 for bound in given.values()):
            raise ValueError("bounds lie in [0, 1]")
        return given

    @field_validator("decay")
    @classmethod
    def _decay(cls, given: str) -> str:
        for part in given.split("+"):
            if not DECAY.fullmatch(part.strip()):
                raise ValueError(
                    f"unknown decay {part!r}; expected none, validity, half_life:HOURS or ebbinghaus:HOURS, joined with +"
                )
        return given
