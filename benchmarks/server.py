"""A `prefect server start` of our own, for as long as it is needed."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from measure import BIN, ROOT, Failed, clean

START_S = 120


@contextmanager
def running_server(home: Path, settings: Mapping[str, str]) -> Iterator[str]:
    """Start a server on a fresh database, yield its API address once it is healthy, stop it."""
    port = _free_port()
    environ = clean({**settings, "PREFECT_HOME": str(home)})
    command = [str(BIN / "prefect"), "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    home.mkdir(parents=True)
    with (home / "server.log").open("wb") as output:
        server = subprocess.Popen(
            command, cwd=ROOT, env=environ, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            _wait_until_healthy(server, port)
            yield f"http://127.0.0.1:{port}/api"
        finally:
            _stop(server)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_healthy(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise Failed(f"prefect server start: exit {server.returncode}")
        if _is_healthy(port):
            return
        time.sleep(0.2)
    raise Failed(f"prefect server start: not healthy after {START_S} s")


def _is_healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/api/health")
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        connection.close()


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End the server's own process group, first politely."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(server.pid, number)
            server.wait(timeout=15)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
