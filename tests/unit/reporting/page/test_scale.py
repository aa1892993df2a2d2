"""Where things stand in a drawing, worked out by hand: the axis begins at 10 and is 300 long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.reporting.page.scale import Plot, Scale, Span, plot_of, scale_of
from tests.unit.history_lines import real
from tests.unit.reporting.reports import ratio, undefined

ENDS = st.floats(allow_nan=False, allow_infinity=False)


def test_a_metric_stands_where_its_numbers_are() -> None:
    plot = plot_of(ratio(2, 3, 0.2, 0.93), baseline=1.0, line=0.97)

    assert plot == Plot(
        label="value 0.6667, 95 % interval 0.200-0.930, baseline 1.0000, gate line 0.9700",
        now=210.0,  # 10 + 300 * 2/3
        interval=Span(70.0, 219.0),  # 10 + 300 * 0.2, and 300 * 0.73
        baseline=310.0,
        line=301.0,  # 10 + 300 * 0.97
        fires=Span(10.0, 291.0),  # everything below the line
        ends=("0", "1"),
    )


def test_where_less_is_better_the_gate_fires_above_its_line() -> None:
    plot = plot_of(ratio(1, 4, 0.1, 0.5), line=0.28, direction="lower")

    assert plot is not None
    assert plot.line == 94.0  # 10 + 300 * 0.28
    assert plot.fires == Span(94.0, 216.0)
    assert plot.baseline is None


def test_what_is_undefined_is_not_drawn() -> None:
    assert plot_of(undefined("no rows"), baseline=1.0, line=0.97) is None


@pytest.mark.parametrize("line", [-0.0281, 1.03])
def test_a_line_that_no_share_can_reach_is_told_and_not_drawn(line: float) -> None:
    plot = plot_of(ratio(1, 500, 0.0, 0.02), line=line)

    assert plot is not None
    assert (plot.line, plot.fires, plot.ends) == (None, None, ("0", "1"))
    assert plot.label.endswith(f"gate line {line:.4f}, out of reach")


def test_a_metric_beyond_shares_widens_its_axis_and_takes_the_line_along() -> None:
    plot = plot_of(real(40.0, 20.0, 80.0), baseline=40.0, line=100.0, direction="lower")

    assert plot is not None
    assert plot.ends == ("0", "100")
    assert (plot.now, plot.line, plot.fires) == (130.0, 310.0, Span(310.0, 0.0))


def test_several_drawings_can_share_an_axis() -> None:
    plot = plot_of(ratio(1, 2, 0.25, 0.75), scale=Scale(0.0, 2.0))

    assert plot is not None
    assert (plot.now, plot.interval, plot.ends) == (85.0, Span(47.5, 75.0), ("0", "2"))


def test_without_an_interval_there_is_none() -> None:
    metric = ratio(1, 2, 0.0, 1.0).model_copy(update={"low": None, "high": None})

    plot = plot_of(metric)

    assert plot is not None
    assert (plot.interval, plot.label) == (None, "value 0.5000, no interval")


@pytest.mark.parametrize(
    ("ends", "scale"),
    [([], (0, 1)), ([None], (0, 1)), ([0.2, 0.4], (0, 1)), ([-0.5, None, 0.4], (-0.5, 1)), ([3.0], (0, 3))],
)
def test_an_axis_reaches_from_0_to_1_and_as_far_beyond_as_need_be(ends: list[float | None], scale: tuple[float, float]) -> None:
    assert scale_of(ends) == Scale(*scale)


@given(st.lists(ENDS, min_size=1, max_size=4))
def test_nothing_ever_stands_beside_its_axis(ends: list[float]) -> None:
    scale = scale_of(ends)
    assert all(10 <= scale.x(end) <= 310 for end in ends)


@given(st.tuples(ENDS, ENDS))
def test_the_greater_never_stands_left_of_the_smaller(ends: tuple[float, float]) -> None:
    scale = scale_of(ends)
    assert scale.x(min(ends)) <= scale.x(max(ends))
