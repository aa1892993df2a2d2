"""The `judge` file of a suite: a header with the provenance, then one exchange a line."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from assay.digest import canonical, sha256_hex
from assay.errors import InputError, Problem
from assay.model.base import Frozen, IsoTime
from assay.model.exchange import Exchange, FileFacts, Sha256
from assay.reading import json_value, records, text_of, validated

MEND = "Record it anew with `assay judge SUITE`."


class JudgeFacts(Frozen):
    """What one judge was when it was asked. The prompt is kept, so that a change can be shown and not only claimed."""

    model_asked: str
    model_served: str | None
    prompt: str
    schema_sha256: Sha256


class Header(Frozen):
    """The first line: where the lines below it come from."""

    format: Literal[1]
    suite: str
    gold_version: str
    recorded_at: IsoTime
    recorded_by: str
    """The command that made the recording."""
    judges: dict[str, JudgeFacts] = Field(min_length=1)
    """By the resource's name."""
    exchanges: FileFacts


def judgements_in(shown: str, data: bytes) -> tuple[Header | None, list[Exchange]]:
    """Header and exchanges; (None, []) for an empty file. Raises InputError, also for lines that were edited by hand."""
    if not data.strip():
        return None, []
    first, newline, lines = data.partition(b"\n")
    where = f"{shown}:1"
    header = validated(json_value(text_of(first, where), where), where, Header)
    if sha256_hex(lines) != header.exchanges.sha256:
        told = "holds other lines than were recorded"
        raise InputError(Problem(shown, told, sha256_hex(lines), f"sha256 {header.exchanges.sha256}", MEND))
    return header, records(newline + lines, shown, Exchange)


def judgements(header: Header, lines: bytes) -> bytes:
    """The file: the header's line, then the exchanges' lines as they are."""
    return canonical(header.model_dump(mode="json")) + b"\n" + lines
