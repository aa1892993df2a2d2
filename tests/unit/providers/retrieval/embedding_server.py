"""An embeddings endpoint on loopback that answers as its script says, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, bytes, Mapping[str, str]]
Script = Callable[[list[str], int], Answer]
"""(texts, how many requests came before) -> status, body, headers."""


def vector_of(text: str) -> list[float]:
    """Not of length 1, as some endpoints answer."""
    return [float(len(text)), 2.0, 0.0]


def body_of(texts: list[str], **changes: Any) -> dict[str, Any]:
    """The right body."""
    data = [{"object": "embedding", "index": place, "embedding": vector_of(text)} for place, text in enumerate(texts)]
    usage = {"prompt_tokens": 7, "total_tokens": 7}
    return {"object": "list", "data": data, "model": "e-served", "usage": usage, **changes}


def right(texts: list[str], before: int) -> Answer:
    return 200, json.dumps(body_of(texts)).encode(), {}


def saying(body: bytes | object, status: int = 200, **headers: str) -> Script:
    """Always this body; anything but bytes is sent as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda texts, before: (status, data, headers)


def in_turn(*scripts: Script) -> Script:
    """One after another; the last goes on for ever."""
    return lambda texts, before: scripts[min(before, len(scripts) - 1)](texts, before)


@dataclass
class Seen:
    """What came in, and where to."""

    url: str = ""
    paths: list[str] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    organisations: list[str | None] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def embedding(script: Script = right) -> Iterator[Seen]:
    """The endpoint, answering until the block ends."""
    seen, lock = Seen(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                before = len(seen.bodies)
                seen.bodies.append(asked)
                seen.paths.append(self.path)
                seen.organisations.append(self.headers.get("OpenAI-Organization"))
                seen.authorizations.append(self.headers.get("Authorization", ""))
            status, data, headers = script(asked["input"], before)
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        seen.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield seen
        finally:
            server.shutdown()
            thread.join()
