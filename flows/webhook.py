"""Telling somebody elsewhere that a run failed: one POST of JSON to `$ASSAY_WEBHOOK_URL`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

VARIABLE = "ASSAY_WEBHOOK_URL"
TIMEOUT_S = 10


def post(environ: Mapping[str, str], message: Callable[[], Mapping[str, object]]) -> str:
    """Send the message where the variable points; returns in words what came of it, never with the address or a part of it.

    The message is asked for only where there is an address. A run's verdict does not hang on it: nothing is raised here.
    """
    address = environ.get(VARIABLE, "")
    if not address:
        return f"{VARIABLE} is not set: nobody was told"
    if not _is_web_address(address):
        return f"{VARIABLE} is no http(s) address: nobody was told"
    data = json.dumps(message(), ensure_ascii=False).encode()
    request = Request(address, data=data, headers={"Content-Type": "application/json"}, method="POST")  # noqa: S310  # http(s) only
    try:
        with urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310  # as above
            return f"{VARIABLE} answered {answer.status}"
    except HTTPError as error:
        return f"{VARIABLE} answered {error.code}: nobody may have been told"
    except (OSError, HTTPException, ValueError) as error:
        return f"{VARIABLE} could not be reached ({type(error).__name__}): nobody was told"


def _is_web_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return False
