"""A transcript that was read, with what its file says about it and what of it could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from assay.errors import Problem
from assay.model.transcript import Transcript


@dataclass(frozen=True)
class Recorded:
    """A transcript and the labels beside it. `problems` are faults of single events that leave the rest readable."""

    transcript: Transcript
    labels: Mapping[str, JsonValue] = field(default_factory=dict)
    """What others say of the run, such as its reward or the step at which it went wrong; no part of the transcript."""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Reading:
    """All that one file holds. Everything in it is either in `recorded` or named in `problems`."""

    form: str
    recorded: tuple[Recorded, ...]
    problems: tuple[Problem, ...] = ()
    """Faults that cost a whole transcript."""
    found: int = 0
    """How many things in the file may have been transcripts; what is not JSON counts as one."""
    failed: int = 0
    """How many of them have a fault in `problems`."""

    @property
    def skipped(self) -> int:
        """How many are neither recorded nor failed: 0, or a defect of the reader."""
        return self.found - self.failed - len(self.recorded)

    @property
    def errors(self) -> tuple[Problem, ...]:
        """Every fault of the file."""
        return (*self.problems, *(problem for one in self.recorded for problem in one.problems))
