"""One pair of simulated runs through the product's own live gate: what it decides, and what drop it says it would notice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.live_gate import live_checks
from assay.metrics.ratios import measured
from assay.model.baseline import Block
from assay.model.report import Evidence, RunFacts
from assay.model.score import Measure
from assay.model.suite import GateRule
from assay.model.verdict import CaseOutcome, Check


def checks_of(
    passed: Sequence[NDArray[np.bool_]],
    counts: Sequence[NDArray[np.float64]],
    columns: Sequence[str],
    measures: Mapping[str, Measure],
    level: float,
) -> tuple[Check, ...]:
    """The live checks for (baseline, candidate), each with the cases passed and their counts, shape (cases, counts)."""
    before, after = (_cases(flags, rows, columns) for flags, rows in zip(passed, counts, strict=True))
    block = Block(
        enforcement="ci", last_refreshed=None, reason="", source=None, metrics=_metrics(before, measures), cases=before
    )
    evidence = Evidence(
        role="subject",
        enforcement="ci",
        model="simulated",
        cassette_kind=None,
        recording=None,
        proof=(),
        metrics=_metrics(after, measures),
        cases=after,
        failed={},
    )
    return tuple(live_checks(evidence, block, _facts(measures, len(after), level)))


def noticed_drop(checks: Sequence[Check], name: str) -> float:
    """The drop in (0, 1] that the metric's check says would be noticed 8 times in 10."""
    message = next(check.message for check in checks if check.name == f"live.{name}")
    shown = re.search(r"a drop of ([\d.]+) pp would be noticed 8 times in 10", message)
    if shown is None:
        raise ValueError(f"no drop is said to be noticed in: {message}")
    return float(shown[1]) / 100


def _cases(passed: NDArray[np.bool_], counts: NDArray[np.float64], columns: Sequence[str]) -> dict[str, CaseOutcome]:
    return {
        f"c{i:05}": CaseOutcome(
            passed=bool(flag), score=float(flag), counts={name: int(n) for name, n in zip(columns, row, strict=True) if n}
        )
        for i, (flag, row) in enumerate(zip(passed, counts, strict=True))
    }


def _metrics(cases: Mapping[str, CaseOutcome], measures: Mapping[str, Measure]) -> dict[str, object]:
    totals: Counter[str] = Counter()
    for case in cases.values():
        totals.update(case.counts)
    return dict(measured(totals, measures))


def _facts(measures: Mapping[str, Measure], cases: int, level: float) -> RunFacts:
    return RunFacts(
        suite="simulated",
        version="v1",
        kind="simulated",
        title="Simulated",
        synthetic=True,
        mode="live",
        cases=cases,
        sample=None,
        overrides=(),
        rule=GateRule(metrics=tuple(measures), false_alarm=level, must_detect_pp=100),
        measures=dict(measures),
        calibration=None,
        text_normaliser=None,
    )
