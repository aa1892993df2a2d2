"""A Prefect server of our own for a test session, what its API tells, and runs against it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tests.stages.copies import command, environment, label, written

Seen = TypeVar("Seen")
PATIENCE_S = 120
BUSY = 503
QUIET = {"DO_NOT_TRACK": "1", "PREFECT_SERVER_ANALYTICS_ENABLED": "false", "PREFECT_SERVER_UI_ENABLED": "false"}
LEASES = {"PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": "prefect.server.concurrency.lease_storage.filesystem"}
"""As the README says."""


@dataclass(frozen=True)
class Api:
    """A running server."""

    url: str
    home: Path

    @property
    def environ(self) -> dict[str, str]:
        """What makes a client use this server and leave no trace elsewhere."""
        return {"PREFECT_API_URL": self.url, "PREFECT_HOME": str(self.home)}

    def asked(self, what: str, **query: Any) -> list[dict[str, Any]]:
        """All `what` (flow_runs, task_runs, artifacts) that match."""
        body = json.dumps(query).encode()
        found: list[dict[str, Any]] = self.posted(f"{what}/filter", body)
        return found

    def posted(self, path: str, body: bytes) -> Any:
        """What the server answers."""
        return json.loads(self._answered("POST", path, body))

    def deleted(self, path: str) -> None:
        self._answered("DELETE", path)

    def _answered(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """Asked again while the server's database is busy, as Prefect's own client does."""
        request = urllib.request.Request(  # noqa: S310  # our own loopback server
            f"{self.url}/{path}", data=body, headers={"Content-Type": "application/json"}, method=method
        )
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310  # as above
                    return bytes(answer.read())
            except urllib.error.HTTPError as error:
                if error.code != BUSY or time.monotonic() > end:
                    raise
                time.sleep(0.5)

    def flow_run_ids(self) -> set[str]:
        return {run["id"] for run in self.asked("flow_runs")}

    def flow_run(self, run_id: str) -> dict[str, Any]:
        return self.asked("flow_runs", flow_runs={"id": {"any_": [run_id]}})[0]

    def task_states(self, run_id: str, expected: int) -> dict[str, str]:
        """The state of each task of a flow run by name; waits until as many as expected have ended."""
        runs = eventually(
            lambda: self.asked("task_runs", flow_runs={"id": {"any_": [run_id]}}),
            lambda runs: len(runs) >= expected and all(run["end_time"] for run in runs),
        )
        states = {run["name"]: run["state_name"] for run in runs}
        assert len(states) == len(runs), "two tasks have one name"
        return states

    def artifacts(self, run_id: str) -> list[dict[str, Any]]:
        return self.asked("artifacts", artifacts={"flow_run_id": {"any_": [run_id]}})


@dataclass(frozen=True)
class Evaluated:
    """A finished `assay run extraction`."""

    done: subprocess.CompletedProcess[str]
    files: dict[str, bytes]
    """What it wrote; report.json without its timing block."""
    timing: dict[str, Any]
    flow_run_ids: tuple[str, ...] = ()
    """The flow runs that it made."""

    @property
    def computed(self) -> list[str]:
        """The stages that were not answered from the cache."""
        return [label(stage) for stage in self.timing["stages"] if not stage["cached"]]

    @property
    def headline(self) -> str:
        return str(json.loads(self.files["report.json"])["headline"])


def evaluated(project: Path, *options: str, **environ: str) -> Evaluated:
    """`assay run extraction OPTIONS` in a copy of the project."""
    done = command(project, "run", "extraction", *options, **environ)
    latest = project / ".assay" / "runs" / "latest"
    assert latest.exists(), f"exit {done.returncode}: {done.stdout}{done.stderr}"
    folder = latest.parent / latest.read_text(encoding="utf-8").strip()
    return Evaluated(done, written(folder), json.loads((folder / "report.json").read_bytes())["timing"])


def evaluated_on(api: Api, project: Path, *options: str) -> Evaluated:
    """The same as a flow of this server."""
    before = api.flow_run_ids()
    found = evaluated(project, *options, **api.environ)
    return Evaluated(found.done, found.files, found.timing, tuple(api.flow_run_ids() - before))


def eventually(look: Callable[[], Seen], enough: Callable[[Seen], bool]) -> Seen:
    """What is seen once it is enough, or at last."""
    end = time.monotonic() + PATIENCE_S
    while not enough(seen := look()) and time.monotonic() < end:
        time.sleep(0.2)
    return seen


@contextmanager
def serving(home: Path, **environ: str) -> Iterator[Api]:
    """A server on a free loopback port, with its own home and silent unless told otherwise; stopped at the end."""
    api = Api(f"http://127.0.0.1:{_free_port()}/api", home)
    port = api.url.rsplit(":", 1)[1].removesuffix("/api")
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", port],
            cwd=home,
            env=environment(home, **{"PREFECT_HOME": str(home), **QUIET, **LEASES, **environ}),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            eventually(lambda: process.poll() is not None or _is_healthy(api), bool)
            assert _is_healthy(api), (home / "server.log").read_text(encoding="utf-8")
            yield api
        finally:
            _stop(process)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _is_healthy(api: Api) -> bool:
    try:
        with urllib.request.urlopen(f"{api.url}/health", timeout=5) as answer:  # noqa: S310  # our own loopback server
            return json.load(answer) is True
    except OSError:
        return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
