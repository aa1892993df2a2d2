"""The base of every record that crosses a file or process border."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict


def _iso(text: str) -> str:
    datetime.fromisoformat(text)
    return text


IsoTime = Annotated[str, AfterValidator(_iso)]
"""A date or time in ISO 8601."""


class Frozen(BaseModel):
    """Immutable, unknown keys refused, NaN and infinities refused."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        populate_by_name=True,
        protected_namespaces=(),
    )


class Documented(Frozen):
    """A record whose JSON Schema is published: the texts under its fields become descriptions there."""

    model_config = ConfigDict(use_attribute_docstrings=True)
