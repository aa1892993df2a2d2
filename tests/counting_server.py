"""A chat endpoint on loopback that answers at once, counts what it is asked, and says what it is told to let slip."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from assay.digest import sha256_hex

Moment = Callable[[int], None]
"""Called with how many requests have come in."""


@dataclass(frozen=True)
class Slips:
    """What the endpoint lets slip; each kind only where it says."""

    headers: Mapping[str, str] = field(default_factory=dict)
    """Sent with every answer, errors too."""
    text: str = ""
    """Said within the reply."""
    body: Mapping[str, Any] = field(default_factory=dict)
    """Laid over the body of every answer that is a success."""
    error: str = ""
    """The message of every error."""
    statuses: tuple[int, ...] = ()
    """What the first askings of each body are answered with; then comes a success."""


def answer_to(digest: str, slip: str = "") -> str:
    """The reply to the request body of this digest: memories as the extraction suite wants them."""
    memory = {"content": f"Answer to {digest}. {slip}".strip(), "categories": ["factual"], "temporal_kind": "indefinite"}
    return json.dumps({"memories": [{**memory, "valid_from": None, "valid_until": None, "supersedes": None}]})


@dataclass
class Endpoint:
    """The endpoint as a test sees it."""

    slips: Slips = Slips()
    delay_s: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    """Requests by the digest of their body."""
    seen: list[tuple[str, str]] = field(default_factory=list)
    """(path with query, Authorization header) of every request."""
    before_reply: Moment = lambda number: None
    after_reply: Moment = lambda number: None
    url: str = ""
    open: int = 0
    """Connections that are being served."""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def settled(self) -> None:
        """Return when all that was sent before has been counted. Connections are accepted in the order they were made."""
        with urllib.request.urlopen(self.url, timeout=60), self.changed:  # noqa: S310  # our own loopback server
            assert self.changed.wait_for(lambda: self.open <= 1, timeout=60), "a client is still there"

    def arrived(self, path: str, authorization: str, body: bytes) -> tuple[str, int, int]:
        """Count a request: (digest of its body, which asking of this body, which request of all); from 1."""
        digest = sha256_hex(body)
        with self.changed:
            self.counts[digest] += 1
            self.seen.append((path, authorization))
            return digest, self.counts[digest], len(self.seen)

    def answer(self, digest: str, asking: int) -> tuple[int, dict[str, Any]]:
        """Status and body for the n-th asking of a body."""
        if asking <= len(self.slips.statuses):
            return self.slips.statuses[asking - 1], {"error": {"message": self.slips.error, "code": self.slips.error}}
        message = {"role": "assistant", "content": answer_to(digest, self.slips.text)}
        usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = {"id": f"chat-{digest[:8]}", "object": "chat.completion", "model": "m-served", "usage": usage}
        return 200, {**body, "choices": [choice], **self.slips.body}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._opened(1)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._opened(-1)

    def _opened(self, more: int) -> None:
        with self.endpoint.changed:
            self.endpoint.open += more
            self.endpoint.changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients are killed in these tests: a connection that breaks is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        """Nothing; see `Endpoint.settled`."""
        self.send_response(204)
        self.end_headers()

    def do_POST(self) -> None:
        endpoint, length = self.server.endpoint, int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            return  # its client died while it sent
        digest, asking, number = endpoint.arrived(self.path, self.headers.get("Authorization", ""), body)
        endpoint.before_reply(number)
        time.sleep(endpoint.delay_s)
        status, answer = endpoint.answer(digest, asking)
        data = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            **endpoint.slips.headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()
        endpoint.after_reply(number)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def counting(endpoint: Endpoint | None = None) -> Iterator[Endpoint]:
    """The endpoint, answering until the block ends."""
    endpoint = endpoint or Endpoint()
    with _Server(endpoint) as server:
        endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield endpoint
        finally:
            server.shutdown()
            thread.join()
