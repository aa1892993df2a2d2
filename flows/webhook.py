"""Telling somebody elsewhere that a run failed: one POST of JSON to `$ASSAY_WEBHOOK_URL`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

VARIABLE = "ASSAY_WEBHOOK_URL"
TIMEOUT_S = 10


def post(environ: Mapping[str, str], message: Mapping[str, object]) -> str:
    """Send the message where the variable points; returns in words what came of it, never with the address or a part of it.

    A run's verdict does not hang on it: nothing is raised.
    """
    address = environ.get(VARIABLE, "")
    if not address:
        return f"{VARIABLE} is not set: nobody was told"
    if urlsplit(address).scheme not in {"http", "https"}:
        return f"{VARIABLE} is no http(s) address: nobody was told"
    data = json.dumps(message, ensure_ascii=False).encode()
    request = Request(address, data=data, headers={"Content-Type": "application/json"}, method="POST")  # noqa: S310  # http(s) only
    try:
        with urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310  # as above
            return f"{VARIABLE} answered {answer.status}"
    except (URLError, OSError, ValueError) as error:
        return f"{VARIABLE} could not be reached ({type(error).__name__}): nobody was told"
