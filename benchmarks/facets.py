"""Our facets report beside the system's own command, task by task: `python benchmarks/facets.py`.

Exits 1 where a figure differs. Needs the extra `orchestra`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
NAMES = ("sprint_coaching", "clinical_anatomy", "support_kb")
OURS, THEIRS = str(BIN / "assay"), str(BIN / "poincare-orchestra")
FIGURES = ("facet_recall", "mean_weighted_score", "constraints_met_rate", "throttle_events")
DIGITS = 9


def reported(command: Sequence[str]) -> tuple[dict[str, Any], float]:
    """The JSON report that a command prints, and its CPU seconds."""
    before = os.times()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    after = os.times()
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(done.stdout), spent


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """The figures that are not equal, over all tasks and in each."""
    found = [name for name in FIGURES if round(ours[name], DIGITS) != round(theirs[name], DIGITS)]
    for mine, other in zip(ours["per_task"], theirs["per_task"], strict=True):
        found += [f"{other['question'][:40]}: {key}" for key in other if mine.get(key) != other[key]]
    return found


def main() -> int:
    """Print a row per scenario."""
    wrong = 0
    start = time.perf_counter()
    print("| scenario | tasks | facet recall | mean J | constraints | events | ours CPU s | theirs CPU s | differing figures |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---|")
    for name in NAMES:
        (ours, mine), (theirs, other) = (reported([command, "eval", name, "--json"]) for command in (OURS, THEIRS))
        differing = differences(ours, theirs)
        wrong += len(differing)
        recall, score, met, events = (ours[figure] for figure in FIGURES)
        figures = f"{len(ours['per_task'])} | {recall:.2f} | {score:.3f} | {met:.0%} | {events}"
        print(f"| {name} | {figures} | {mine:.2f} | {other:.2f} | {'; '.join(differing) or 'none'} |")
    print(f"\n{time.perf_counter() - start:.1f} s, {wrong} figures differ", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
