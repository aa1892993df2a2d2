"""Throughput at a small and a large size, a process each: does twice as much take twice as long?"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from contenders import PYTHON
from measure import ROOT, run

SMALL = 1_000
LARGE = 100_000
WORK = ("score", "replay")


@dataclass(frozen=True)
class Throughput:
    """One kind of work at one size."""

    work: str
    cases: int
    wall_s: float
    cpu_s: float
    inputs_mib: float
    """The process's peak once its inputs stood in memory, before the work."""
    peak_mib: float

    @property
    def cpu_per_case_ms(self) -> float:
        """What one case takes; the machine's load hardly changes it."""
        return 1000 * self.cpu_s / self.cases


def measure_scaling(passes: int, large: int, tell: Callable[[str], None]) -> list[Throughput]:
    """Each work at both sizes: the median of `passes` processes at the small one, one process at the large one."""
    found = []
    for work in WORK:
        for cases, times in ((SMALL, passes), (large, 1)):
            tell(f"{work}: {cases:,} cases, {times} x")
            found.append(_median([_measured(work, cases) for _ in range(times)]))
    return found


def growth(found: list[Throughput]) -> dict[str, float]:
    """By work, CPU time per case at the large size over that at the small one; linear growth is about 1."""
    by_work = {work: [t for t in found if t.work == work] for work in WORK}
    return {work: large.cpu_per_case_ms / small.cpu_per_case_ms for work, (small, large) in by_work.items()}


def _measured(work: str, cases: int) -> Throughput:
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        log = Path(folder) / "log"
        run((PYTHON, str(ROOT / "benchmarks" / "throughput.py"), work, str(cases)), {}, log)
        figures: dict[str, float] = json.loads(log.read_text().splitlines()[-1])
    return Throughput(work, cases, **figures)


def _median(found: list[Throughput]) -> Throughput:
    figures = {name: median(getattr(t, name) for t in found) for name in ("wall_s", "cpu_s", "inputs_mib", "peak_mib")}
    return Throughput(found[0].work, found[0].cases, **figures)
