"""One definition of a measure, two ways to compute it: as a metric from totals, and as numbers for many resamples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.ratios import measured, summed, values
from assay.model.score import Measure, Ratio
from assay.suites.extraction.scoring import MEASURES

COLUMNS = sorted({name for measure in MEASURES.values() for r in measure.ratios for name in (r.numerator, r.denominator)})
DENOMINATORS = sorted({ratio.denominator for measure in MEASURES.values() for ratio in measure.ratios})


@st.composite
def totals(draw: st.DrawFn) -> dict[str, int]:
    """Sums as scoring could make them: no numerator above a denominator it is held against, and many zeros."""
    found = {name: draw(st.integers(0, 6)) for name in DENOMINATORS}
    for ratio in (ratio for measure in MEASURES.values() for ratio in measure.ratios):
        most = min(found[ratio.denominator], found.get(ratio.numerator, 99))
        found[ratio.numerator] = min(most, draw(st.integers(0, 6)))
    return found


def fraction(numerator: str, denominator: str, of: str = "") -> Ratio:
    return Ratio(numerator=numerator, denominator=denominator, of=of or f"rows of {denominator}")


def test_the_totals_hold_every_count_of_extraction() -> None:
    assert len(COLUMNS) > 20
    assert set(DENOMINATORS) < set(COLUMNS)


@settings(deadline=None)
@given(totals())
def test_metric_and_value_agree_for_every_measure_of_extraction(sums: dict[str, int]) -> None:
    row = np.array([[sums[name] for name in COLUMNS]], dtype=np.float64)
    metrics = measured(sums, MEASURES)
    assert list(metrics) == list(MEASURES)
    for name, measure in MEASURES.items():
        (value,) = values(measure, COLUMNS, row)
        if metrics[name].value is None:
            assert math.isnan(value)
        else:
            assert value == pytest.approx(metrics[name].value, abs=1e-12)
            assert 0 <= value <= 1


@settings(deadline=None, max_examples=30)
@given(st.lists(totals(), min_size=1, max_size=5), st.permutations(COLUMNS))
def test_many_rows_at_once_in_any_order_of_counts_give_what_each_gives_alone(
    sums: list[dict[str, int]], columns: list[str]
) -> None:
    together = np.array([[row[name] for name in columns] for row in sums], dtype=np.float64)
    for measure in MEASURES.values():
        alone = [values(measure, COLUMNS, np.array([[row[name] for name in COLUMNS]], dtype=np.float64))[0] for row in sums]
        found = values(measure, columns, together)
        assert found.shape == (len(sums),)
        assert np.allclose(found, alone, rtol=0, atol=1e-12, equal_nan=True)


def test_a_count_that_is_absent_is_zero() -> None:
    measure = Measure(ratios=(fraction("right", "asked"),))
    assert measured({"asked": 4}, {"m": measure})["m"].value == 0.0
    assert values(measure, ["asked"], np.array([[4.0]])).tolist() == [0.0]
    assert measured({"right": 4}, {"m": measure})["m"].value is None
    assert np.isnan(values(measure, ["right"], np.array([[4.0]]))).all()


def test_a_ratio_of_nothing_is_undefined_with_the_reason_and_nan() -> None:
    found = measured({}, {"m": MEASURES["malformed_response_rate"]})["m"]
    assert (found.value, found.n, found.reason) == (None, 0, "no replies")
    assert np.isnan(values(MEASURES["malformed_response_rate"], COLUMNS, np.zeros((3, len(COLUMNS))))).tolist() == [True] * 3


def test_a_mean_leaves_undefined_ratios_out_row_by_row() -> None:
    # Row 1: (1/2 + 3/4) / 2 = 0.625. Row 2: a has no rows, so 3/4 alone, not (0 + 3/4) / 2. Row 3: neither, undefined.
    measure = Measure(ratios=(fraction("right_a", "a"), fraction("right_b", "b")), mean_of="letter")
    rows = [{"right_a": 1, "a": 2, "right_b": 3, "b": 4}, {"right_b": 3, "b": 4}, {}]
    metrics = [measured(row, {"m": measure})["m"] for row in rows]
    assert [(metric.value, metric.n) for metric in metrics] == [(0.625, 2), (0.75, 1), (None, 0)]
    assert metrics[2].reason == "no letter with rows"
    columns = ["right_a", "a", "right_b", "b"]
    found = values(measure, columns, np.array([[row.get(name, 0) for name in columns] for row in rows], dtype=np.float64))
    assert found[:2].tolist() == [0.625, 0.75]
    assert math.isnan(found[2])


def test_a_mean_weighs_ratios_alike_whatever_their_rows() -> None:
    # (1/1 + 0/99) / 2 = 0.5, where pooling would give 1/100.
    measure = Measure(ratios=(fraction("right_a", "a"), fraction("right_b", "b")), mean_of="letter")
    sums = {"right_a": 1, "a": 1, "b": 99}
    assert measured(sums, {"m": measure})["m"].value == 0.5
    assert values(measure, list(sums), np.array([[1.0, 1.0, 99.0]])).tolist() == [0.5]


def test_ratios_described_in_the_same_words_are_still_two() -> None:
    measure = Measure(ratios=(fraction("right_a", "a", "rows"), fraction("right_b", "b", "rows")), mean_of="letter")
    sums = {"right_a": 1, "a": 1, "right_b": 0, "b": 4}  # (1 + 0) / 2
    assert values(measure, list(sums), np.array([[1.0, 1.0, 0.0, 4.0]])).tolist() == [0.5]
    assert measured(sums, {"m": measure})["m"].value == 0.5


def test_a_measure_without_ratios_is_undefined_both_ways() -> None:
    assert measured({"a": 1}, {"m": Measure(mean_of="nothing")})["m"].value is None
    assert np.isnan(values(Measure(mean_of="nothing"), ["a"], np.array([[1.0]]))).all()


def test_totals_are_left_as_they_were() -> None:
    row = np.arange(len(COLUMNS), dtype=np.float64)[None]
    kept = row.copy()
    for measure in MEASURES.values():
        values(measure, COLUMNS, row)
    assert np.array_equal(row, kept)


def test_of_no_resamples_there_are_no_values() -> None:
    assert values(MEASURES["recall_macro"], COLUMNS, np.zeros((0, len(COLUMNS)))).shape == (0,)


SHARE = Measure(ratios=(Ratio(numerator="recall", denominator="recall of", of="queries", values="shares"),))
REAL = Measure(ratios=(Ratio(numerator="gap", denominator="gap of", of="queries", values="reals"),))


def test_counts_are_added_up_by_name_and_what_a_row_lacks_adds_nothing() -> None:
    assert summed([{"a": 1, "b": 2}, {"b": 3}, {}]) == {"a": 1, "b": 5}
    assert summed([]) == {}


def test_sums_of_whole_counts_stay_whole() -> None:
    found = summed([{"a": 1, "b": 0.5}, {"a": 2, "b": 1}])
    assert [type(found[name]) for name in ("a", "b")] == [int, float]


def test_sums_of_fractions_are_exact_before_they_are_rounded_once() -> None:
    assert summed([{"a": 0.1}] * 10) == {"a": 1.0}
    assert sum([0.1] * 10) != 1.0


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.floats(-1e6, 1e6) | st.integers(0, 9)), max_size=8), st.data())
def test_order_of_rows_never_changes_a_sum(rows: list[dict[str, float]], data: st.DataObject) -> None:
    assert summed(data.draw(st.permutations(rows))) == summed(rows)


def test_a_share_is_a_mean_over_rows_with_the_interval_of_a_proportion() -> None:
    # (1 + 1/2 + 0) / 3 = 0.5
    rows = [{"recall": 1.0, "recall of": 1}, {"recall": 0.5, "recall of": 1}, {"recall of": 1}]
    found = measured(summed(rows), {"m": SHARE})["m"]
    assert (found.value, found.n, found.numerator) == (0.5, 3, 1.5)
    assert found.low is not None
    assert 0 < found.low < 0.5


def test_any_numbers_have_a_mean_with_students_interval_and_may_be_negative() -> None:
    # (0.4 - 0.6) / 2 = -0.1; squares 0.16 + 0.36 = 0.52, less 2 x 0.01, is 0.5; t with 1 degree 12.706205 x sqrt(0.5 / 2).
    rows = [{"gap": value, "gap of": 1, "gap_squared": value**2} for value in (0.4, -0.6)]
    found = measured(summed(rows), {"m": REAL})["m"]
    assert (found.value, found.n) == (-0.1, 2)
    assert (found.low, found.high) == pytest.approx((-6.453102, 6.253102), abs=1e-6)


@pytest.mark.parametrize("measure", [SHARE, REAL], ids=["shares", "reals"])
def test_a_mean_of_no_row_is_undefined_both_ways(measure: Measure) -> None:
    found = measured(summed([]), {"m": measure})["m"]
    assert (found.value, found.reason) == (None, "no queries")
    assert np.isnan(values(measure, [], np.zeros((1, 0)))).all()


@given(st.lists(st.integers(-8, 8).map(lambda k: k / 8), min_size=1, max_size=9))
def test_metric_and_value_agree_for_any_numbers(numbers: list[float]) -> None:
    rows = [{"gap": value, "gap of": 1, "gap_squared": value**2} for value in numbers]
    sums = summed(rows)
    (value,) = values(REAL, list(sums), np.array([list(sums.values())]))
    assert measured(sums, {"m": REAL})["m"].value == pytest.approx(value, abs=1e-12)
