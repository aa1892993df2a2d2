"""The rule of a self-check: equal numbers to within 1e-9, and undefined equal only to undefined."""

from __future__ import annotations

from math import inf, nan

import pytest

from assay.model.selftest import SelfCheck


@pytest.mark.parametrize(
    ("expected", "got", "holds"),
    [
        (0.5, 0.5, True),
        (1 / 3, 0.333333333333, True),
        (0.5, 0.5 + 2e-9, False),
        (0.5, 0.5 - 2e-9, False),
        (None, None, True),
        (None, 0.0, False),
        (None, 1.0, False),
        (0.0, None, False),
        (1.0, None, False),
        (0.0, nan, False),
        (None, nan, False),
        (1.0, inf, False),
    ],
)
def test_holds_for_the_same_number_or_twice_undefined(expected: float | None, got: float | None, holds: bool) -> None:
    assert SelfCheck("one", expected, got).holds is holds
