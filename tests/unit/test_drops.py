"""How much worse a value is, in exact percentage points; what a gate makes of it stands in test_gate_drops."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.drops import drop_pp

SHARES = st.floats(0, 1)


@pytest.mark.parametrize(
    ("value", "baseline", "higher"),
    [(0.97, 1.0, "3"), (1.0, 0.97, "-3"), (0.26, 0.29, "3"), (0.5, 0.5, "0"), (0.0, 1.0, "100"), (-0.2, 0.1, "30")],
)
def test_a_drop_is_exact_and_its_sign_follows_the_direction(value: float, baseline: float, higher: str) -> None:
    assert drop_pp(value, baseline, "higher") == Decimal(higher)
    assert drop_pp(value, baseline, "lower") == -Decimal(higher)


def test_float_noise_is_no_drop() -> None:
    assert drop_pp(0.3, 0.1 + 0.2, "higher") == 0


@given(SHARES, SHARES)
def test_turned_round_a_drop_is_a_gain(value: float, baseline: float) -> None:
    assert drop_pp(value, baseline, "higher") == -drop_pp(baseline, value, "higher") == -drop_pp(value, baseline, "lower")


@given(SHARES, SHARES)
def test_a_worse_value_drops_and_a_better_one_does_not(value: float, baseline: float) -> None:
    drop = drop_pp(value, baseline, "higher")
    assert abs(drop - Decimal(baseline - value) * 100) <= Decimal("1e-8")
