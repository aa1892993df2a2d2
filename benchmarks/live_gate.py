"""`python benchmarks/live_gate.py`: how often the live gate calls a model worse that is not, and how often one that is.

Baseline and candidate are drawn independently from the same per-case pass probabilities; a worse candidate loses recall evenly.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter

import numpy as np
from live_gate_product import checks_of, noticed_drop
from live_gate_simulation import (
    CASES_PASSED,
    COLUMNS,
    MEASURES,
    Floats,
    World,
    flaky,
    gate_fails,
    p_values,
    passes,
    world_of,
)
from table import _aligned as aligned

Rejections = dict[float, dict[str, float]]
SIZES = (20, 150, 1_000)
DROPS = (0.02, 0.05, 0.1, 0.2)
GATE = "gate"
SHOWN = {CASES_PASSED: "McNemar, cases passed", "recall": "randomised, mean (recall)", GATE: "gate, Holm over 4"}
CLAIMED = 25
"""Runs of each kind that are asked what drop they would notice."""
OF_STABILITY = {"stable pass": 1.0, "flaky": 0.5, "stable fail": 0.0}
"""A report keeps only whether a case was flaky, so a flaky one is taken as noisy as a case can be."""
FLAKINESS: Mapping[str, Callable[[int], Floats]] = {
    "5 % flaky": lambda cases: flaky(cases, 0.05),
    "20 % flaky": lambda cases: flaky(cases, 0.2),
    "Beta(4, 1)": lambda cases: np.random.default_rng(3).beta(4, 1, cases),
    "all 0.9": lambda cases: np.full(cases, 0.9),
}


@dataclass
class Row:
    """One test at one size and flakiness."""

    cases: int
    flakiness: str
    flips: float
    """The expected share of cases that change sides between two runs of one model."""
    test: str
    false_alarms: float
    bound: float
    power: dict[float, float | None] = field(default_factory=dict)
    """Rejections by true drop; None where there is not as much recall to lose."""

    @property
    def is_met(self) -> bool:
        """Whether chance explains the false alarms."""
        return self.false_alarms <= self.bound


@dataclass
class Claim:
    """What the gate says it would notice 8 times in 10, and how often it does; None where there is not as much to lose."""

    cases: int
    flakiness: str
    drop: float
    """In recall."""
    alone: float | None
    """Rejections by recall's own test at the strictest level of Holm."""
    gate: float | None


def main() -> int:
    """Simulate, print, and write JSON if asked. A missed bound is told and is exit 1."""
    options = _options()
    levels = {options.stability.name: _recorded(options.stability, options.provider)} if options.stability else FLAKINESS
    started, rng = perf_counter(), np.random.default_rng(options.seed)
    rows, claims = [], []
    for name, chances in levels.items():
        for cases in SIZES:
            print(f"{perf_counter() - started:5.0f} s  {name}, {cases} cases", file=sys.stderr, flush=True)
            world = world_of(chances(cases))
            claimed = _claimed_drop(world, options.level, rng)
            found = _rejections(world, (0.0, *DROPS, claimed), options, rng)
            rows += _rows(name, world, found, options)
            of_claim = found.get(claimed, {})
            claims.append(Claim(cases, name, claimed, of_claim.get("strict:recall"), of_claim.get(GATE)))
    level, met = options.level, all(row.is_met for row in rows)
    print(f"false alarms at {level:g}: {options.times:,} pairs; power: {options.power_times:,} pairs; seed {options.seed}\n")
    print(f"{aligned(_row_cells(rows), texts=3)}\n\n{aligned(_claim_cells(claims), texts=3)}\n")
    print(f"bounds {'met' if met else 'missed'}; {perf_counter() - started:.0f} s")
    if options.json:
        figures = {"level": level, "rows": [asdict(row) for row in rows], "claims": [asdict(claim) for claim in claims]}
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0 if met else 1


def _rows(flakiness: str, world: World, found: Rejections, options: argparse.Namespace) -> Iterator[Row]:
    level, times = options.level, options.times
    bound = level + 3 * np.sqrt(level * (1 - level) / times)
    flips = float((2 * world.chances * (1 - world.chances)).mean())
    for test in SHOWN:
        curve = {drop: found[drop][test] if drop in found else None for drop in DROPS}
        yield Row(len(world.chances), flakiness, flips, test, found[0.0][test], float(bound), curve)


def _rejections(world: World, drops: Sequence[float], options: argparse.Namespace, rng: np.random.Generator) -> Rejections:
    """By true drop the share of pairs that each test rejects: alone, `strict:` at Holm's strictest level, and the gate."""
    level, start, found = options.level, 0, {}
    times = {drop: options.power_times if drop else options.times for drop in drops if drop <= world.recall}
    before = passes(world, sum(times.values()), rng)
    after = np.concatenate([passes(world, n, rng, drop) for drop, n in times.items()])
    p_all = p_values(world, before, after, level)
    fails = gate_fails(p_all, level)
    for drop, n in times.items():
        of_drop = slice(start, start := start + n)
        alone = {name: float((p[of_drop] <= level).mean()) for name, p in p_all.items()}
        strict = {f"strict:{name}": float((p[of_drop] <= level / len(p_all)).mean()) for name, p in p_all.items()}
        found[drop] = alone | strict | {GATE: float(fails[of_drop].mean())}
    return found


def _claimed_drop(world: World, level: float, rng: np.random.Generator) -> float:
    """The median of the drops in recall that pairs of unchanged runs say they would notice."""
    said = []
    for pair in zip(passes(world, CLAIMED, rng), passes(world, CLAIMED, rng), strict=True):
        counts = [np.where(side[:, None], world.right, world.wrong) for side in pair]
        said.append(noticed_drop(checks_of(pair, counts, COLUMNS, MEASURES, level), "recall"))
    return float(np.median(said))


def _recorded(report: Path, provider: str | None) -> Callable[[int], Floats]:
    """The probabilities of a `--repeat` run's cases, drawn with replacement to any size. Exits where there are none."""
    providers = json.loads(report.read_text())["providers"]
    known = {name: found["stability"] for name, found in providers.items() if found.get("stability")}
    name = provider or next(iter(known), None)
    if name not in known:
        sys.exit(f"{report}: no stability of provider {name!r}; expected one of {sorted(known)}. Run with --repeat N first.")
    chances = np.array([OF_STABILITY[found] for _, found in sorted(known[name].items())])
    return lambda cases: np.random.default_rng(3).choice(chances, cases)


def _row_cells(rows: list[Row]) -> list[tuple[str, ...]]:
    drops = [f"-{100 * drop:g} pp" for drop in DROPS]
    cells = [("flakiness", "test", "", "cases", "flips", "false alarms", "at most", *drops)]
    for row in rows:
        figures = (f"{row.cases:,}", _percent(row.flips), f"{100 * row.false_alarms:.2f} %", f"{100 * row.bound:.2f} %")
        power = [_percent(row.power[drop]) for drop in DROPS]
        cells.append((row.flakiness, SHOWN[row.test], "met" if row.is_met else "missed", *figures, *power))
    return cells


def _claim_cells(claims: list[Claim]) -> list[tuple[str, ...]]:
    cells = [("flakiness", "said to be noticed 8 times in 10", "", "cases", "its test finds", "gate fails")]
    for claim in claims:
        within = "" if claim.alone is None else "bold" if claim.alone < 0.7 else "cautious" if claim.alone > 0.9 else "as said"
        figures = (f"{claim.cases:,}", _percent(claim.alone), _percent(claim.gate))
        cells.append((claim.flakiness, f"recall -{100 * claim.drop:.1f} pp", within, *figures))
    return cells


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=10_000, metavar="N", help="pairs for false alarms (default: 10,000)")
    parser.add_argument("--power-times", type=int, default=1_000, metavar="N", help="pairs for each true drop (default: 1,000)")
    parser.add_argument("--level", type=float, default=0.05, metavar="P", help="the stated level (default: 0.05)")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument(
        "--stability", type=Path, metavar="REPORT", help="report.json of a run with --repeat: its cases instead"
    )
    parser.add_argument("--provider", help="whose cases of the report (default: the first with any)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there too")
    options = parser.parse_args()
    if options.times < 1 or options.power_times < 1 or not 0 < options.level < 0.5:
        parser.error("--times and --power-times take 1 or more, --level a number in (0, 0.5)")
    return options


if __name__ == "__main__":
    sys.exit(main())
