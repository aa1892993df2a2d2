"""One whole process: what it took, by the clock, in CPU time and in memory."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
TIMEOUT_S = 600
INHERITED = ("PATH", "HOME", "LANG", "TMPDIR")
"""All that a measured process sees of our environment: no API, profile or CI flag of the user's changes the figures."""
_TAIL = 2000


class Failed(RuntimeError):
    """A measured process did not do its work, so its time means nothing."""


@dataclass(frozen=True)
class Sample:
    """One process with the children that it waited for, the ephemeral server among them."""

    wall_s: float
    cpu_s: float
    """User plus system time."""
    peak_mib: float
    """Resident memory of the largest one of the processes, at its highest."""


def run(command: Sequence[str], environ: Mapping[str, str], log: Path, ok: Sequence[int] = (0,)) -> Sample:
    """Run a command in the project's folder, its output in `log`. Raises Failed for an exit code that is not `ok`."""
    with log.open("wb") as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=ROOT, env=clean(environ), stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        watchdog = threading.Timer(TIMEOUT_S, os.killpg, (process.pid, signal.SIGKILL))
        watchdog.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        watchdog.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in ok:
        tail = log.read_text(errors="replace")[-_TAIL:]
        raise Failed(f"{' '.join(command)}: exit {process.returncode}\n{tail}")
    return Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def clean(environ: Mapping[str, str]) -> dict[str, str]:
    """A small environment plus the given variables."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ} | dict(environ)


def medians(samples: Sequence[Sample]) -> Sample:
    """Each figure's median on its own."""
    return Sample(*(median(getattr(s, name) for s in samples) for name in ("wall_s", "cpu_s", "peak_mib")))
