"""`python benchmarks/run.py`: what the pipeline costs, as a table, beside its peers and its own limits."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from limits import limits
from measure import Failed, medians
from processes import measure_processes
from scaling import LARGE, SMALL, growth, measure_scaling
from table import limits_table, load_line, processes_table, scaling_table

PARTS = ("processes", "scaling")


def main() -> int:
    """Measure, print, and write JSON if asked. A missed limit is told, and is no error: only a quiet machine can judge."""
    options = _options()
    before = os.getloadavg()
    figures: dict[str, Any] = {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"cpus": os.cpu_count(), "python": platform.python_version(), "platform": platform.platform()},
        "passes": options.passes,
    }
    try:
        if options.only in {None, "processes"}:
            figures |= _processes(options.passes)
        if options.only in {None, "scaling"}:
            figures |= _scaling(options.passes, options.cases)
    except Failed as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    after = os.getloadavg()
    print(load_line(before, after, os.cpu_count() or 1))
    if options.json:
        text = json.dumps({**figures, "load_average": {"before": before, "after": after}}, indent=2)
        options.json.write_text(text + "\n")
    return 0


def _processes(passes: int) -> dict[str, Any]:
    samples = measure_processes(passes, _tell)
    middle = {name: {state: medians(found) for state, found in states.items()} for name, states in samples.items()}
    judged = limits(middle)
    print(f"{processes_table(samples)}\n\n{limits_table(judged)}\n")
    return {
        "processes": {
            name: {
                state: {"median": asdict(middle[name][state]), "passes": [asdict(sample) for sample in found]}
                for state, found in states.items()
            }
            for name, states in samples.items()
        },
        "limits": [{**asdict(limit), "is_met": limit.is_met} for limit in judged],
    }


def _scaling(passes: int, cases: int) -> dict[str, Any]:
    found = measure_scaling(passes, cases, _tell)
    print(f"{scaling_table(found)}\n")
    return {"scaling": [asdict(figures) for figures in found], "growth": growth(found)}


def _tell(message: str) -> None:
    print(f"{datetime.now(UTC):%H:%M:%S} {message}", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passes", type=int, default=5, metavar="N", help="medians are of N passes (default: 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there too")
    parser.add_argument("--only", choices=PARTS, help="one of the two parts")
    parser.add_argument("--cases", type=int, default=LARGE, metavar="N", help=f"the large size (default: {LARGE:,})")
    options = parser.parse_args()
    if options.passes < 1 or options.cases <= SMALL:
        parser.error(f"--passes takes 1 or more, --cases more than {SMALL:,}")
    return options


if __name__ == "__main__":
    sys.exit(main())
