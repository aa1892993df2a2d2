"""Secrets are never written: what goes to disk is scanned first, and a hit refuses the write."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping

from assay.errors import Problem, Refused

SHAPES: Mapping[str, re.Pattern[str]] = {
    "an API key": re.compile(r"\b(?:sk|pk|rk)-(?:[A-Za-z0-9]+-)*[A-Za-z0-9_]{16,}"),
    "a bearer token": re.compile(r"(?i)\bbearer\s+[A-Za-z0-9._~+/=-]{16,}"),
    "a cloud access key": re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    "a repository token": re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|glpat-[A-Za-z0-9_-]{20,}|github_pat_\w{30,})"),
    "a messenger token": re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    "a Google key": re.compile(r"\bAIza[A-Za-z0-9_-]{30,}"),
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "a signed web token": re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
}
SHORTEST_VALUE = 6
"""Values of environment variables shorter than this are not looked for: they would be found everywhere."""


def secret_values(names: Iterable[str], environ: Mapping[str, str]) -> dict[str, str]:
    """The values that must not be written, by the variable that holds them."""
    return {name: environ[name].strip() for name in names if len(environ.get(name, "").strip()) >= SHORTEST_VALUE}


def refuse_secrets(where: str, text: str, values: Mapping[str, str]) -> None:
    """Raise Refused when the text holds a secret: the value of a named variable, plain or in base64, or a known shape.

    The message names the place and the kind of secret, never the secret.
    """
    for told in _found(text, values):
        raise Refused(
            Problem(
                where,
                f"holds {told}, so nothing was written",
                remedy="Find out why the endpoint sends it, change the key, and record again.",
            )
        )


def _found(text: str, values: Mapping[str, str]) -> Iterator[str]:
    for name, value in values.items():
        if any(form in text for form in _forms(value)):
            yield f"the value of {name}"
    for told, shape in SHAPES.items():
        if shape.search(text):
            yield told


def _forms(value: str) -> Iterator[str]:
    """The value as it is, as JSON escapes it, and in base64 at each of the three alignments."""
    yield value
    yield value.replace("\\", "\\\\").replace('"', '\\"')
    data = value.encode()
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + data).decode()
        start = -(-offset * 4 // 3)
        whole = encoded[start : len(encoded) - 4 if (len(data) + offset) % 3 else len(encoded)]
        for form in {whole, whole.replace("+", "-").replace("/", "_")}:
            if len(form) >= SHORTEST_VALUE:
                yield form
