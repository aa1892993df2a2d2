"""Secrets are never written: what goes to disk is scanned first, and a hit refuses the write."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import parse_qsl, unquote, urlsplit

from assay.errors import Problem, Refused
from assay.model.suite import Suite

SHAPES: Mapping[str, re.Pattern[str]] = {
    "an API key": re.compile(r"\b(?:sk|pk|rk)-(?:[A-Za-z0-9]+-)*[A-Za-z0-9_]{16,}"),
    "a bearer token": re.compile(r"(?i)\bbearer\s+(?=\S*\d)[A-Za-z0-9._~+/=-]{16,}"),
    "a cloud access key": re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    "a repository token": re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|glpat-[A-Za-z0-9_-]{20,}|github_pat_\w{30,})"),
    "a messenger token": re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    "a Google key": re.compile(r"\bAIza[A-Za-z0-9_-]{30,}"),
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "a signed web token": re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
}
SHORTEST_VALUE = 6
"""Values shorter than this are not looked for: they would be found everywhere."""
Secrets = Mapping[str, str]
"""What must not be written, by the variable that holds it."""


def secret_values(names: Iterable[str], environ: Mapping[str, str]) -> dict[str, str]:
    """The values of the named variables that are long enough to be looked for."""
    return {name: environ[name].strip() for name in names if len(environ.get(name, "").strip()) >= SHORTEST_VALUE}


def suite_secrets(suite: Suite, environ: Mapping[str, str]) -> dict[str, str]:
    """The values of all variables that the suite's providers name."""
    return secret_values(suite_variables(suite), environ)


def suite_variables(suite: Suite) -> list[str]:
    """The names of all variables that the suite's providers name, sorted."""
    blocks = [provider.live for provider in suite.providers.values() if provider.live]
    return sorted({name for live in blocks for name in (live.api_key_env, live.base_url_env) if name})


def refuse_secrets(where: str, value: object, secrets: Secrets) -> None:
    """Raise Refused when any text in a JSON-like value holds a secret: a known value in any form, or a known shape.

    The message names the place, the field and the kind of secret, never the secret.
    """
    for field, text in _texts(value, ""):
        for told in (*known_in(text, secrets), *shapes_in(text)):
            place = f"{where}: {field}" if field else where
            remedy = "Find out why the endpoint sends it, change the key, and record again."
            raise Refused(Problem(place, f"holds {told}, so nothing was written", remedy=remedy))


def known_in(text: str, secrets: Secrets) -> Iterator[str]:
    """The known values that the text holds in any form, in words."""
    for name, value in secrets.items():
        if any(form in text for part in _parts(value) for form in _forms(part)):
            yield f"the value of {name}"


def shapes_in(text: str) -> Iterator[str]:
    """The kinds of secret that something in the text looks like, in words."""
    for told, shape in SHAPES.items():
        if shape.search(text):
            yield told


def _texts(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Every text in the value with its place, such as `reply.text`."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _texts(item, f"{path}[{i}]")


def _parts(value: str) -> Iterator[str]:
    """The value, and of an address also its credentials and query values."""
    yield value
    try:
        address = urlsplit(value)
    except ValueError:
        return
    if address.scheme and address.netloc:
        credentials = address.netloc.rpartition("@")[0]
        parts = [*(unquote(part) for part in credentials.split(":", 1)), *(item for _, item in parse_qsl(address.query))]
        yield from (part for part in parts if len(part) >= SHORTEST_VALUE)


def _forms(value: str) -> Iterator[str]:
    """The value as it is, as JSON escapes it once or twice, and in base64 at each of the three alignments."""
    yield value
    for ascii_only in (True, False):
        once = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        yield from (once, json.dumps(once, ensure_ascii=ascii_only)[1:-1])
    data = value.encode()
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + data).decode()
        whole = encoded[-(-offset * 8 // 6) : (offset + len(data)) * 8 // 6]
        for form in {whole, whole.replace("+", "-").replace("/", "_")}:
            if len(form) >= SHORTEST_VALUE:
                yield form
