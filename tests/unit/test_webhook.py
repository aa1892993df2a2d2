"""A failed run is told to whoever is named in the environment, and no verdict hangs on it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from flows.webhook import VARIABLE, post

MESSAGE = {"state": "Failed", "message": "FAIL extraction v1: größer"}
ADDRESS_PART = "part-of-the-address"


@pytest.fixture
def listener() -> Iterator[tuple[str, list[bytes]]]:
    heard: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(500 if "broken" in self.path else 204)
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", heard
    server.shutdown()
    server.server_close()


def test_the_message_arrives_as_json(listener: tuple[str, list[bytes]]) -> None:
    address, heard = listener
    assert post({VARIABLE: f"{address}/hook?token={ADDRESS_PART}"}, MESSAGE) == f"{VARIABLE} answered 204"
    assert json.loads(heard[0]) == MESSAGE


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("", f"{VARIABLE} is not set: nobody was told"),
        (f"file:///etc/{ADDRESS_PART}", f"{VARIABLE} is no http(s) address: nobody was told"),
        (f"http://127.0.0.1:1/{ADDRESS_PART}", f"{VARIABLE} could not be reached (URLError): nobody was told"),
        (f"http://[half/{ADDRESS_PART}", f"{VARIABLE} is no http(s) address: nobody was told"),
    ],
)
def test_what_cannot_be_told_is_said_without_the_address(address: str, told: str) -> None:
    assert post({VARIABLE: address}, MESSAGE) == told


def test_an_answer_that_is_an_error_is_said(listener: tuple[str, list[bytes]]) -> None:
    address, _ = listener
    assert (
        post({VARIABLE: f"{address}/broken/{ADDRESS_PART}"}, MESSAGE) == f"{VARIABLE} answered 500: nobody may have been told"
    )
