"""Whole processes, pass by pass: all contenders take turns, so that the machine's noise hits all alike."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from contenders import ALONE, EMPTY_ON_SERVER, WITH_SERVER, Contender, measured, settings, write_scripts
from measure import Sample
from server import running_server

Samples = dict[str, dict[str, list[Sample]]]
"""Contender's name, then state, to one sample per pass."""
Tell = Callable[[str], None]


def measure_processes(passes: int, tell: Tell) -> Samples:
    """Every contender in every pass, each time in another order. Raises Failed."""
    found: Samples = {}
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        scripts = Path(folder)
        write_scripts(scripts)
        for number in range(passes):
            home = scripts / f"pass-{number}"
            for contender in _rotated(ALONE, number):
                tell(f"pass {number + 1} of {passes}: {contender.name}")
                _add(found, contender, measured(contender, scripts, _home(home, contender), settings()))
            _measure_with_server(found, scripts, home, number, tell)
    return found


def _measure_with_server(found: Samples, scripts: Path, home: Path, number: int, tell: Tell) -> None:
    """The contenders that use a server: one of their own per pass, woken by a flow that is not counted."""
    tell("starting a server")
    with running_server(home / "server", settings()) as address:
        environ = {**settings(), "PREFECT_API_URL": address}
        measured(EMPTY_ON_SERVER, scripts, home / "wake", environ)
        for contender in _rotated(WITH_SERVER, number):
            tell(f"with the server: {contender.name}")
            _add(found, contender, measured(contender, scripts, _home(home, contender), environ))


def _rotated(contenders: Sequence[Contender], by: int) -> list[Contender]:
    turn = by % len(contenders)
    return [*contenders[turn:], *contenders[:turn]]


def _home(folder: Path, contender: Contender) -> Path:
    return folder / contender.name.replace(" ", "-").replace(",", "")


def _add(found: Samples, contender: Contender, samples: dict[str, Sample]) -> None:
    for state, sample in samples.items():
        found.setdefault(contender.name, {}).setdefault(state, []).append(sample)
