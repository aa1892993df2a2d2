"""One case of a gold set, the same for every kind."""

from __future__ import annotations

from pydantic import Field, JsonValue

from assay.digest import digest_of
from assay.model.base import Frozen


class GoldCase(Frozen):
    """A versioned input with its expectation. Its digest is its name in a recording."""

    id: str = Field(min_length=1)
    input: dict[str, JsonValue]
    expected: dict[str, JsonValue]
    strata: tuple[str, ...] = ()
    """The groups a sample must keep in proportion, such as a language or `hostile`."""

    @property
    def digest(self) -> str:
        """SHA-256 over input and expectation."""
        return digest_of({"input": self.input, "expected": self.expected})
