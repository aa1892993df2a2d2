"""Live evidence over cases of one measure, `accuracy` (right of asked), with metrics summed from the cases' counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from assay.gate import judge
from assay.metrics.ratios import measured
from assay.model.baseline import Baseline
from assay.model.report import Evidence, Judgement, RunFacts
from assay.model.score import Measure, Ratio
from assay.model.suite import GateRule
from assay.model.verdict import CaseOutcome
from tests.builders import baseline_of, evidence, facts, recording

LIVE = "live_p_recorded"
Cases = dict[str, CaseOutcome]


def share(of: str = "asked", right: str = "right", **changes: Any) -> Measure:
    """One ratio of counts."""
    return Measure(ratios=(Ratio(numerator=right, denominator=of, of=f"cases {of}"),), **changes)


ACCURACY = {"accuracy": share()}


def outcome(*, passed: bool, **counts: int) -> CaseOutcome:
    return CaseOutcome(passed=passed, score=float(passed), counts={name: n for name, n in counts.items() if n})


def cases(*runs: tuple[int, CaseOutcome]) -> Cases:
    """So many cases of each outcome, c000 onwards."""
    flat = [found for times, found in runs for _ in range(times)]
    return {f"c{i:03}": found for i, found in enumerate(flat)}


def right(n: int) -> tuple[int, CaseOutcome]:
    return n, outcome(passed=True, right=1, asked=1)


def wrong(n: int) -> tuple[int, CaseOutcome]:
    return n, outcome(passed=False, asked=1)


def found(outcomes: Cases, measures: Mapping[str, Measure] = ACCURACY, **changes: Any) -> Evidence:
    """Evidence of a live run whose metrics are what its cases add up to."""
    totals: Counter[str] = Counter()
    for one in outcomes.values():
        totals.update(one.counts)
    fields = {"cassette_kind": LIVE, "recording": recording(cassette_kind=LIVE), "cases": outcomes}
    return evidence(measured(totals, measures), **{**fields, **changes})


def about(
    now: Evidence, measures: Mapping[str, Measure] = ACCURACY, must: float | None = 30.0, level: float = 0.05
) -> RunFacts:
    """A live run whose gate names all the measures."""
    rule = GateRule(metrics=tuple(measures), must_detect_pp=must, false_alarm=level)
    return facts(mode="live", rule=rule, measures=dict(measures), cases=len(now.cases))


def judged(
    now: Evidence,
    before: Evidence | Baseline,
    measures: Mapping[str, Measure] = ACCURACY,
    *,
    must: float | None = 30.0,
    level: float = 0.05,
) -> Judgement:
    """The gate's verdict on a live run."""
    baseline = before if isinstance(before, Baseline) else baseline_of(before)
    return judge({"p": now}, baseline, about(now, measures, must, level), declared={"p": "ci"})


def told(judgement: Judgement) -> dict[str, tuple[str, str]]:
    """Status and message of the live checks, with `_` for the drop that would be noticed (`noticed_pp` has it)."""
    checks = judgement.providers["p"].checks
    hidden = [(c, re.sub(r"a drop of [\d.]+ pp would", "a drop of _ pp would", c.message)) for c in checks]
    return {c.name: (c.status, message) for c, message in hidden if c.name.startswith("live")}


def noticed_pp(judgement: Judgement, name: str = "accuracy") -> float:
    """The drop that the check says would be noticed, in percentage points; 100 where it says that none would."""
    message = next(c.message for c in judgement.providers["p"].checks if c.name == f"live.{name}")
    shown = re.search(r"(?:a drop of ([\d.]+) pp|no drop) would be noticed 8 times in 10", message)
    assert shown, message
    return float(shown[1] or 100)


def broken(judgement: Judgement) -> list[str]:
    return [c.name for c in (*judgement.checks, *judgement.providers["p"].checks) if c.status == "broken"]
