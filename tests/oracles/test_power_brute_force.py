"""The power table of extraction against brute force: rows turn wrong in every composition, and the real gate judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from assay.gate import judge
from assay.metrics.ratios import measured
from assay.model.baseline import Baseline
from assay.model.report import Evidence
from assay.model.score import Measure
from assay.model.suite import GateRule
from assay.model.verdict import CaseOutcome
from assay.power import power_of
from assay.reading import record
from assay.suites.extraction.scoring import MEASURES
from tests.builders import baseline_of, evidence, facts

FOLDER = Path(__file__).parents[2] / "goldsets" / "extraction" / "v1"
RULE = GateRule.model_validate(yaml.safe_load((FOLDER / "suite.yaml").read_text(encoding="utf-8"))["gate"])
MOST = 6
TOTALS = "totals"


def baseline_cases(provider: str) -> dict[str, CaseOutcome]:
    """The committed cases of a provider."""
    found = record((FOLDER / "baseline.json").read_bytes(), "baseline.json", Baseline).providers[provider]
    assert found is not None
    assert found.cases
    return found.cases


def totals_of(cases: dict[str, CaseOutcome]) -> dict[str, float]:
    totals: Counter[str] = Counter()
    for case in cases.values():
        totals.update(case.counts)
    return dict(totals)


def one_case(totals: dict[str, float]) -> Evidence:
    """Evidence with all the counts in one case: the gate on replay looks at sums only."""
    cases = {TOTALS: CaseOutcome(passed=True, score=1.0, counts=totals)}
    return evidence(measured(totals, MEASURES), cases=cases)


def compositions(rows: int, rooms: list[int]) -> Iterator[tuple[int, ...]]:
    """So many rows over the classes, in every way that there is room for."""
    if len(rooms) == 1:
        yield from [(rows,)] if rows <= rooms[0] else []
        return
    for first in range(min(rows, rooms[0]) + 1):
        yield from ((first, *rest) for rest in compositions(rows - first, rooms[1:]))


def fires(
    name: str, measure: Measure, totals: dict[str, float], before: Evidence, way: tuple[int, ...], rule: GateRule
) -> bool:
    """Whether the real gate breaks on the metric when so many rows of each ratio turn wrong."""
    sign = -1 if measure.direction == "higher" else 1
    after = dict(totals)
    for ratio, rows in zip(measure.ratios, way, strict=True):
        after[ratio.numerator] = after.get(ratio.numerator, 0) + sign * rows
    metrics = {**before.metrics, **measured(after, {name: measure})}
    about = facts(rule=rule.model_copy(update={"metrics": (name,)}), measures=MEASURES, cases=1)
    judged = judge({"p": before.model_copy(update={"metrics": metrics})}, baseline_of(before), about, declared={"p": "ci"})
    return any(check.status == "broken" for check in judged.providers["p"].checks)


@pytest.mark.parametrize("tolerance", [3.0, 0.5])
@pytest.mark.parametrize("provider", ["openai", "smollm2"])
def test_every_gated_metric_absorbs_what_every_composition_up_to_six_rows_says(provider: str, tolerance: float) -> None:
    cases, rule = baseline_cases(provider), RULE.model_copy(update={"max_drop_pp": tolerance})
    totals = totals_of(cases)
    before = one_case(totals)
    block = baseline_of(before).providers["p"]
    powers = power_of(before, block, facts(rule=rule, measures=MEASURES, cases=1))
    assert set(powers) == set(rule.metrics)
    for name in rule.metrics:
        measure, power = MEASURES[name], powers[name]
        wrong = [(totals.get(ratio.numerator, 0), totals.get(ratio.denominator, 0)) for ratio in measure.ratios]
        rooms = [int(found if measure.direction == "higher" else of - found) for found, of in wrong]
        assert (power.right, power.of) == (sum(rooms), sum(of for _, of in wrong))
        for rows in range(1, min(MOST, sum(rooms)) + 1):
            fired = {fires(name, measure, totals, before, way, rule) for way in compositions(rows, rooms)}
            assert power.absorbs_fewest is not None
            assert power.absorbs_most is not None
            assert (True in fired) == (rows > power.absorbs_fewest), (name, rows)
            assert (fired == {True}) == (rows > power.absorbs_most), (name, rows)
