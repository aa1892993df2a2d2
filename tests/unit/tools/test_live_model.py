"""The server of the small model: it shares its port with nobody."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "tools" / "live_model.py"


def test_a_port_that_another_server_holds_is_refused_in_one_line() -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)  # as the server itself does
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        command = [sys.executable, str(SCRIPT), "--port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"tools/live_model.py: port {port} cannot be taken (Address already in use). "
        "Stop what listens there, perhaps an earlier `make live-model`, or take another with --port.\n"
    )
