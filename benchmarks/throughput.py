"""Scoring and replay at two sizes, each in a process of its own: `python throughput.py score 1000` prints one JSON line."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

THRESHOLD = 0.6
"""As a calibrated one; the figure decides which pairs match, hardly how long that takes."""
PRELUDE = 500
"""Cases that go through first, so that imports and first calls are no part of the small size's time."""


def score(count: int, seed: int) -> Callable[[], object]:
    """The core of the score stage over `count` cases that are in memory already."""
    from generated import scored_cases

    from assay.scoring import metrics_of, score_cases
    from assay.suites.extraction import scoring

    pairs = list(scored_cases(count, seed))
    cases, replies = [case for case, _ in pairs], {case.id: (reply,) for case, reply in pairs}

    def work() -> object:
        rows = score_cases(cases, replies, lambda case, found: scoring.score_case(case, found, THRESHOLD))
        if {row.status for row in rows} - {"scored", "malformed"}:
            raise SystemExit("a generated case crashed")
        return rows, metrics_of(rows, scoring.MEASURES)

    return work


def replay(count: int, seed: int) -> Callable[[], object]:
    """`count` requests found among as many recordings that are in memory already."""
    from generated import recorded_requests

    from assay.replay import replay as replayed

    requests, exchanges = recorded_requests(count, seed)

    def work() -> object:
        found = replayed(requests, exchanges)
        if len(found.replies) != count or found.unused:
            raise SystemExit("a generated request was not found")
        return found

    return work


WORK = {"score": score, "replay": replay}


def main(name: str, count: int) -> None:
    """Print seconds by clock and CPU, and the process's memory before and at its highest."""
    WORK[name](PRELUDE, 1)()
    work = WORK[name](count, 2)
    before = _peak_mib()
    start, cpu = time.perf_counter(), time.process_time()
    kept = work()
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(json.dumps({"wall_s": wall, "cpu_s": cpu, "inputs_mib": before, "peak_mib": _peak_mib()}))
    del kept


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parent.parent))
    main(sys.argv[1], int(sys.argv[2]))
