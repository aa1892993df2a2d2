"""On the path of a process and its children: refuses and logs every connection and name look-up but to this machine.

An audit hook sees what the socket module does below any Python library, and cannot be taken off again.
"""

from __future__ import annotations

import ipaddress
import os
import sys

LOG = os.environ["SOCKET_GUARD_LOG"]
CONNECTS = ("socket.connect", "socket.sendto", "socket.sendmsg")
SWITCHES = ("DO_NOT_TRACK", "PREFECT_SERVER_ANALYTICS_ENABLED")
LOOKS_UP = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")


def told(line: str) -> None:
    """One whole line, whichever process says it."""
    descriptor = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, f"{line}\n".encode())
    os.close(descriptor)


def is_here(name: object) -> bool:
    """Whether a host is this machine, by name or address."""
    if name in {None, "", "localhost"}:
        return True
    try:
        address = ipaddress.ip_address(str(name))
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def guard(event: str, arguments: tuple[object, ...]) -> None:
    """Raise for anything that would leave the machine. Addresses of Unix sockets are paths, not pairs."""
    if event in CONNECTS:
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    elif event in LOOKS_UP:
        host = arguments[0]
    else:
        return
    if isinstance(host, bytes):
        host = host.decode(errors="replace")
    if not is_here(host):
        told(f"refused {event} {host!r}")
        raise PermissionError(f"{event} to {host!r} is refused by the socket guard")


sys.addaudithook(guard)
switches = [f"{name}={os.environ.get(name, '').lower()}" for name in SWITCHES]
told(" ".join(["guarding", *(sys.orig_argv[1:3] if "-m" in sys.orig_argv[:2] else ()), *switches]))
