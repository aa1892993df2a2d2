"""The response schema of batch extraction: what a model must answer with. `schema.json` of a suite is made from it."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, WithJsonSchema

from assay.model.base import Documented

Category = Literal["factual", "procedural", "preference", "behavioral", "episodic"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
TemporalKind = Literal["indefinite", "bounded", "point", "supersession"]


DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"


def _calendar_date(text: str) -> str:
    if not re.fullmatch(DATE, text):
        raise ValueError("a date is written YYYY-MM-DD")
    date.fromisoformat(text)
    return text


DateText = Annotated[
    str, AfterValidator(_calendar_date), WithJsonSchema({"type": "string", "format": "date", "pattern": f"^{DATE}$"})
]


class ExtractedMemory(Documented):
    """One statement worth remembering about the user."""

    content: str = Field(min_length=1)
    """The statement as one self-contained sentence."""
    categories: tuple[Category, ...] = Field(min_length=1, max_length=len(CATEGORIES))
    temporal_kind: TemporalKind
    valid_from: DateText | None
    """First day on which it holds, YYYY-MM-DD, or null."""
    valid_until: DateText | None
    """Last day on which it holds, YYYY-MM-DD, or null."""
    supersedes: str | None
    """The content of the earlier memory that it replaces, or null."""


class BatchExtractionResult(Documented):
    """All memories of one conversation; the list may be empty."""

    memories: tuple[ExtractedMemory, ...]


def schema_text() -> str:
    """The JSON Schema as it stands in a suite's `schema.json`."""
    return json.dumps(BatchExtractionResult.model_json_schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(schema_text(), end="")
