"""The forms that replies are held to. `SCHEMAS` is all of them: the schema of the contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.providers.crew.moves import TOOLS, names
from assay.providers.crew.port import PURPOSES, Purpose
from assay.providers.crew.specialists import REPLY_FORMS

DECISION: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "tool": {"type": "string", "enum": names(TOOLS)},
        "arguments": {
            "type": "object",
            "properties": {"notes": {"type": "string"}},
            "required": ["notes"],
            "additionalProperties": False,
        },
    },
    "required": ["tool", "arguments"],
    "additionalProperties": False,
}
"""A decision as text, for servers that do not call tools."""


def schema_of(purpose: Purpose) -> Mapping[str, Any]:
    """The JSON Schema of a reply."""
    return DECISION if purpose == "decide" else REPLY_FORMS[purpose].model_json_schema()


def tools_of(purpose: Purpose) -> list[dict[str, Any]]:
    """The tools that are offered: the moves to who decides, none to specialists."""
    offered = TOOLS if purpose == "decide" else ()
    return [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in offered]


SCHEMAS: Mapping[str, Any] = {"replies": {purpose: schema_of(purpose) for purpose in PURPOSES}, "tools": tools_of("decide")}
