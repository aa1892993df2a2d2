"""The figures as text."""

from __future__ import annotations

from collections.abc import Sequence

from limits import Limit
from measure import medians
from processes import Samples
from scaling import Throughput, growth

Load = tuple[float, float, float]


def processes_table(samples: Samples) -> str:
    """A row per contender and state: medians, and the range of the wall time."""
    rows = [("whole process", "", "wall s", "min-max", "CPU s", "peak MiB")]
    for name, states in samples.items():
        for state, found in states.items():
            walls, middle = [sample.wall_s for sample in found], medians(found)
            spread = f"{min(walls):.2f}-{max(walls):.2f}"
            rows.append((name, state, f"{middle.wall_s:.2f}", spread, f"{middle.cpu_s:.2f}", f"{middle.peak_mib:.0f}"))
    return _aligned(rows, texts=2)


def limits_table(limits: Sequence[Limit]) -> str:
    """A row per limit."""
    rows = [("limit", "", "at most", "wall", "CPU")]
    for limit in limits:
        bound = f"{'<' if limit.is_strict else ''}{limit.at_most:.1f} {limit.unit}"
        outcome = "met" if limit.is_met else "missed"
        rows.append((limit.name, outcome, bound, f"{limit.wall:.2f} {limit.unit}", f"{limit.cpu:.2f} {limit.unit}"))
    return _aligned(rows, texts=2)


def scaling_table(found: list[Throughput]) -> str:
    """A row per work and size, then how the time per case grows."""
    rows = [("throughput", "cases", "wall s", "CPU s", "cases/s", "CPU ms/case", "inputs MiB", "peak MiB")]
    for t in found:
        figures = (f"{t.wall_s:.2f}", f"{t.cpu_s:.2f}", f"{t.cases / t.wall_s:,.0f}", f"{t.cpu_per_case_ms:.3f}")
        rows.append((t.work, f"{t.cases:,}", *figures, f"{t.inputs_mib:.0f}", f"{t.peak_mib:.0f}"))
    lines = [f"{work}: CPU time per case, large over small: {ratio:.2f}" for work, ratio in growth(found).items()]
    return "\n".join([_aligned(rows, texts=1), *lines])


def load_line(before: Load, after: Load, cpus: int) -> str:
    """How busy the machine was: load averages over 1, 5 and 15 minutes."""
    first, last = (" ".join(f"{value:.2f}" for value in load) for load in (before, after))
    return f"load average on {cpus} CPUs: {first} before, {last} after"


def _aligned(rows: Sequence[tuple[str, ...]], texts: int) -> str:
    """Columns of one width, the first `texts` of them to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.ljust(w) if i < texts else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
