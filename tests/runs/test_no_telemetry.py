"""A run sends nothing to anyone: every process of it is guarded, in a terminal, as a new user's first run."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.stages.conftest import copied
from tests.stages.copies import PASS, environment

GUARD = Path(__file__).with_name("guard")
SERVER = "guarding -m uvicorn DO_NOT_TRACK=1 PREFECT_SERVER_ANALYTICS_ENABLED=false"
ELSEWHERE = "203.0.113.7"
"""An address for documentation: nothing answers there (RFC 5737)."""
CONNECT = f"import socket; socket.create_connection(({ELSEWHERE!r}, 443), timeout=1)"
LOOK_UP = "import socket; socket.getaddrinfo('telemetry.example', 443)"
CHILD = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {CONNECT!r}]))"
LOOPBACK = """
import socket
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(("localhost", server.getsockname()[1])).close()
"""
HEARTBEAT = """
import asyncio
from prefect.server.database import provide_database_interface
from prefect.server.services.telemetry import send_telemetry_heartbeat
async def first_heartbeat():
    await provide_database_interface().create_db()
    await send_telemetry_heartbeat()
asyncio.run(first_heartbeat())
"""
CLIENT = """
import os, pathlib, prefect, time
end = time.monotonic() + 60
while "amplitude.com" not in pathlib.Path(os.environ["SOCKET_GUARD_LOG"]).read_text() and time.monotonic() < end:
    time.sleep(0.2)
"""


@dataclass(frozen=True)
class Guarded:
    """A finished process under the guard."""

    code: int
    terminal: str
    refused: list[str]
    guarding: list[str]
    """The processes that loaded the guard."""


def guarded(project: Path, *arguments: str, **environ: str) -> Guarded:
    """`python ARGUMENTS` in a terminal, with the guard in it and in every Python process that it starts."""
    log = project / "guard.log"
    log.write_text("", encoding="utf-8")
    environ |= {"PYTHONPATH": f"{GUARD}{os.pathsep}{project}", "SOCKET_GUARD_LOG": str(log)}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=project,
        env=environment(project, **environ),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    terminal = _read(ours)
    lines = log.read_text(encoding="utf-8").splitlines()
    refused = [line for line in lines if line.startswith("refused ")]
    return Guarded(process.wait(timeout=240), terminal, refused, [line for line in lines if line.startswith("guarding ")])


def _read(descriptor: int) -> str:
    """All that comes until the last process has left the terminal."""
    parts = []
    with open(descriptor, "rb", buffering=0) as terminal:
        try:
            while part := terminal.read(65536):
                parts.append(part)
        except OSError:  # Linux says so when the other end is closed
            pass
    return b"".join(parts).decode(errors="replace")


@pytest.mark.parametrize(
    ("code", "refused"),
    [
        (CONNECT, f"refused socket.getaddrinfo '{ELSEWHERE}'"),
        (CHILD, f"refused socket.getaddrinfo '{ELSEWHERE}'"),
        (LOOK_UP, "refused socket.getaddrinfo 'telemetry.example'"),
        (f"import socket; socket.socket().connect(({ELSEWHERE!r}, 443))", f"refused socket.connect '{ELSEWHERE}'"),
    ],
    ids=["connect", "in a child", "look up", "bare socket"],
)
def test_the_guard_refuses_and_logs_what_leaves_the_machine(code: str, refused: str, tmp_path: Path) -> None:
    found = guarded(tmp_path, "-c", code)
    assert found.code != 0
    assert "refused by the socket guard" in found.terminal
    assert found.refused == [refused]


def test_the_guard_lets_loopback_through(tmp_path: Path) -> None:
    found = guarded(tmp_path, "-c", LOOPBACK)
    assert (found.code, found.terminal, found.refused) == (0, "", [])


@pytest.mark.prefect
def test_a_run_with_prefect_talks_to_nobody_but_this_machine(tmp_path: Path) -> None:
    project = copied(tmp_path / "project")
    found = guarded(project, "-m", "assay", "run", "extraction")
    assert found.code == PASS, found.terminal
    assert "PASS extraction v1" in found.terminal
    assert found.refused == []
    assert [line for line in found.guarding if "uvicorn" in line] == [SERVER]
    assert "usage data" not in found.terminal


@pytest.mark.prefect
def test_the_guard_would_have_seen_the_telemetry_of_client_and_server(tmp_path: Path) -> None:
    """Both on here, as Prefect has them of itself.

    The server's heartbeat is sent from a process that is alone with its database. In a starting server another
    service may hold a new database locked; the heartbeat then gives up before it has sent anything, for ten minutes.
    """
    server = guarded(tmp_path, "-c", HEARTBEAT, PREFECT_HOME=str(tmp_path / "new-server"))
    assert "refused socket.getaddrinfo 'sens-o-matic.prefect.io'" in server.refused
    client = guarded(tmp_path, "-c", CLIENT, PREFECT_HOME=str(tmp_path / "new-user"))
    assert "refused socket.getaddrinfo 'api2.amplitude.com'" in client.refused
    assert "usage data" in client.terminal
