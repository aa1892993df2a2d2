"""A failed run is told to whoever is named in the environment, and no verdict hangs on it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

import pytest
from prefect.client.schemas.objects import FlowRun
from prefect.settings import PREFECT_API_URL, temporary_settings
from prefect.states import Failed

from flows.evaluate import evaluate
from flows.showing import tell_webhook
from flows.webhook import VARIABLE, post

MESSAGE = {"state": "Failed", "message": "FAIL extraction v1: größer"}
ADDRESS_PART = "part-of-the-address"
FLOW, RUN, DEPLOYMENT = (UUID(int=number) for number in (1, 2, 3))
AT_THE_START = FlowRun(id=RUN, flow_id=FLOW, name="extraction", tags=[], deployment_id=DEPLOYMENT, auto_scheduled=True)
AT_THE_END = AT_THE_START.model_copy(
    update={"name": "extraction v1 replay: FAIL", "tags": ["verdict:FAIL", "suite:extraction"]}
)
DEPLOYED = {"id": str(DEPLOYMENT), "flow_id": str(FLOW), "name": "on-demand", "version": None}
NOBODY = "http://127.0.0.1:1"


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
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", heard
    server.shutdown()
    server.server_close()


def test_the_message_arrives_as_json(listener: tuple[str, list[bytes]]) -> None:
    address, heard = listener
    assert post({VARIABLE: f"{address}/hook?token={ADDRESS_PART}"}, lambda: MESSAGE) == f"{VARIABLE} answered 204"
    assert json.loads(heard[0]) == MESSAGE


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("", f"{VARIABLE} is not set: nobody was told"),
        (f"file:///etc/{ADDRESS_PART}", f"{VARIABLE} is no http(s) address: nobody was told"),
        (f"http://[half/{ADDRESS_PART}", f"{VARIABLE} is no http(s) address: nobody was told"),
    ],
)
def test_without_an_address_nothing_is_looked_up(address: str, told: str) -> None:
    assert post({VARIABLE: address}, lambda: pytest.fail("the message was asked for")) == told


def test_who_cannot_be_reached_is_said_without_the_address() -> None:
    told = f"{VARIABLE} could not be reached (URLError): nobody was told"
    assert post({VARIABLE: f"{NOBODY}/{ADDRESS_PART}"}, lambda: MESSAGE) == told


def test_an_answer_that_is_an_error_is_said(listener: tuple[str, list[bytes]]) -> None:
    address, _ = listener
    assert (
        post({VARIABLE: f"{address}/broken/{ADDRESS_PART}"}, lambda: MESSAGE)
        == f"{VARIABLE} answered 500: nobody may have been told"
    )


@contextmanager
def _api(answers: Mapping[str, Any]) -> Iterator[str]:
    """Prefect's API as far as it is asked: what lies at a path, and 404 for all else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = answers.get(self.path)
            data = json.dumps({"detail": "not found"} if found is None else found).encode()
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _told(listener: tuple[str, list[bytes]], api: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What arrives of a run that failed, with such an API."""
    address, heard = listener
    monkeypatch.setenv(VARIABLE, address)
    with temporary_settings({PREFECT_API_URL: api}):
        tell_webhook(evaluate, AT_THE_START, Failed(message="FAIL extraction v1: recall"))
    (told,) = map(json.loads, heard)
    return dict(told)


def test_the_message_has_the_run_as_it_ended_and_its_deployment(
    listener: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {f"/flow_runs/{RUN}": AT_THE_END.model_dump(mode="json"), f"/deployments/{DEPLOYMENT}": DEPLOYED}
    with _api(answers) as api:
        assert _told(listener, api, monkeypatch) == {
            "flow": "evaluate",
            "deployment": "on-demand",
            "flow_run": "extraction v1 replay: FAIL",
            "flow_run_id": str(RUN),
            "state": "Failed",
            "message": "FAIL extraction v1: recall",
            "scheduled": True,
            "tags": ["suite:extraction", "verdict:FAIL"],
            "unread": None,
        }


def test_without_its_deployment_the_message_has_the_run_and_says_so(
    listener: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with _api({f"/flow_runs/{RUN}": AT_THE_END.model_dump(mode="json")}) as api:
        told = _told(listener, api, monkeypatch)
    assert (told["flow_run"], told["deployment"]) == ("extraction v1 replay: FAIL", None)
    assert told["unread"] == "the deployment's name is not known: the API did not tell (ObjectNotFound)"


def test_without_the_api_the_message_has_what_the_hook_was_given_and_says_so(
    listener: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = _told(listener, NOBODY, monkeypatch)
    assert (told["flow_run"], told["tags"], told["deployment"], told["scheduled"]) == ("extraction", [], None, True)
    assert told["unread"] == (
        "name and tags are those of the start; the deployment's name is not known: the API did not tell (ConnectError)"
    )
    assert told["message"] == "FAIL extraction v1: recall"
