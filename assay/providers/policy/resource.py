"""The policy engine as a resource of a suite of checks."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from assay.errors import InputError, Problem
from assay.providers.policy.engine import Engine, engine_of


def policies(files: Mapping[str, tuple[str, bytes]], options: Mapping[str, JsonValue]) -> Engine:
    """The engine over the suite's `policies` file, as of `options.as_of`. Raises InputError."""
    if "policies" not in files:
        raise InputError(Problem("suite.yaml: files", "names no 'policies' file", expected="`policies: <file>`"))
    as_of = options.get("as_of")
    if not isinstance(as_of, str):
        where, expected = "suite.yaml: options.resources", "a moment with its offset, in quotes"
        raise InputError(Problem(where, "has no `as_of`", as_of, expected))
    where, data = files["policies"]
    return engine_of(data, where, as_of)
