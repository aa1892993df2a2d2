"""Two runs of one model: how often the live gate calls the second worse. The large version is `benchmarks/live_gate.py`."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.live_gate_product import checks_of
from benchmarks.live_gate_simulation import CASES_PASSED, COLUMNS, MEASURES, flaky, gate_fails, p_values, passes, world_of

LEVEL = 0.05
TIMES = 500
BOUND = LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / TIMES)
FLAKINESS = {
    "5 % flaky": lambda cases: flaky(cases, 0.05),
    "20 % flaky": lambda cases: flaky(cases, 0.2),
    "Beta(4, 1)": lambda cases: np.random.default_rng(3).beta(4, 1, cases),
    "all 0.9": lambda cases: np.full(cases, 0.9),
}


@pytest.mark.parametrize("cases", [20, 150])
@pytest.mark.parametrize("flakiness", FLAKINESS)
def test_no_test_and_no_gate_raises_more_false_alarms_than_its_level(flakiness: str, cases: int) -> None:
    world, rng = world_of(FLAKINESS[flakiness](cases)), np.random.default_rng(7)
    found = p_values(world, passes(world, TIMES, rng), passes(world, TIMES, rng), LEVEL)
    alarms = {name: float((p <= LEVEL).mean()) for name, p in found.items()} | {"gate": float(gate_fails(found, LEVEL).mean())}
    assert set(alarms) == {CASES_PASSED, "recall", "precision", "recall_macro", "gate"}
    assert {name: share for name, share in alarms.items() if share > BOUND} == {}


@pytest.mark.parametrize("flakiness", FLAKINESS)
def test_a_model_that_is_truly_worse_is_mostly_found(flakiness: str) -> None:
    """Else a gate that never rejects would pass the bound above."""
    world, rng = world_of(FLAKINESS[flakiness](150)), np.random.default_rng(7)
    found = p_values(world, passes(world, 100, rng), passes(world, 100, rng, drop=0.25), LEVEL)
    assert gate_fails(found, LEVEL).mean() > 0.9
    assert all((p <= LEVEL).mean() > 0.9 for p in found.values())


@pytest.mark.parametrize(("cases", "drop"), [(20, 0.0), (20, 0.3), (150, 0.0), (150, 0.08)])
@pytest.mark.parametrize("flakiness", ["20 % flaky", "all 0.9"])
def test_the_simulation_decides_as_the_gate_does(flakiness: str, cases: int, drop: float) -> None:
    world, rng, times = world_of(FLAKINESS[flakiness](cases)), np.random.default_rng(9), 6
    before, after = passes(world, times, rng), passes(world, times, rng, drop)
    found = p_values(world, before, after, LEVEL)
    fails = gate_fails(found, LEVEL)
    for i in range(times):
        counts = [np.where(side[i][:, None], world.right, world.wrong) for side in (before, after)]
        checks = checks_of((before[i], after[i]), counts, COLUMNS, MEASURES, LEVEL)
        assert any(check.status == "broken" for check in checks) == fails[i], checks
