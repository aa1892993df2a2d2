"""One request to an endpoint on loopback, or many through one client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from assay.model.exchange import Reply, Request
from assay.model.suite import Provider
from assay.providers.chat import ChatEndpoint
from tests.builders import provider, request
from tests.fault_server import ANSWER, Action, FaultServer, Seen, always

KEY = "key-of-the-test"
PATIENCE_S = 10
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}


def reachable(server: FaultServer, **changes: Any) -> Provider:
    """A provider that is this server."""
    live = {"base_url": server.url, "api_key_env": "P_KEY", **changes.pop("live", {})}
    return provider("manual", live=live, **changes)


@contextmanager
def asking(
    server: FaultServer,
    timeout_s: float = PATIENCE_S,
    schema: Mapping[str, Any] = SCHEMA,
    environ: Mapping[str, str] | None = None,
) -> Iterator[Callable[[Request], Reply]]:
    """What asks the server once."""
    with asyncio.Runner() as runner:
        endpoint = ChatEndpoint("p", reachable(server), schema, environ or {"P_KEY": KEY})
        try:
            yield lambda what: runner.run(endpoint.ask(what, timeout_s))
        finally:
            runner.run(endpoint.close())


def asked(server: FaultServer, what: Request | None = None, **how: Any) -> Reply:
    """The reply to one attempt."""
    with asking(server, **how) as ask:
        return ask(what or request())


class Bench:
    """One server and one client for many replies: a client is slow to make, for it reads all root certificates."""

    def __init__(self, server: FaultServer, ask: Callable[[Request], Reply]) -> None:
        self._server, self._ask = server, ask
        self.action = ANSWER
        self.requests = 0
        """How many the last reply took."""

    def reply_to(self, action: Action) -> Reply:
        """What one attempt gets from a server that does this."""
        self.action, before = action, len(self._server.seen)
        try:
            return self._ask(request())
        finally:
            self.requests = len(self._server.seen) - before


def sent(what: Request, schema: Mapping[str, Any] = SCHEMA) -> Seen:
    """What the server sees of a request."""
    with FaultServer(always(ANSWER)) as server:
        asked(server, what, schema=schema)
    return server.seen[0]
