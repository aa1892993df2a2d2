"""What a mean runs over, what it leaves out and why, and what it shows."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.ranking_means import MISSING, Mean, QueryValue, mean_of

ROWS = st.dictionaries(st.text(max_size=3), st.none() | st.floats(0, 1), max_size=8).map(
    lambda found: [QueryValue(query, value, None if value is not None else "why") for query, value in found.items()]
)


def test_mean_leaves_out_what_is_undefined_and_says_why() -> None:
    rows = [QueryValue("q2", 0.5), QueryValue("q3", None, "no relevant document"), QueryValue("q1", 1.0)]
    assert mean_of(rows) == Mean(0.75, 2, {"q3": "no relevant document"}, ())


def test_missing_query_counts_zero_and_is_shown() -> None:
    rows = [QueryValue("q1", 1.0), QueryValue("q3", 0.0, MISSING), QueryValue("q2", 0.0, MISSING)]
    assert mean_of(rows) == Mean(1 / 3, 3, {}, ("q2", "q3"))


def test_missing_query_that_is_undefined_is_left_out_and_not_counted() -> None:
    assert mean_of([QueryValue("q1", None, MISSING)]) == Mean(None, 0, {"q1": MISSING}, (), "no query has a value")


def test_mean_of_nothing_is_undefined() -> None:
    assert mean_of([]) == Mean(None, 0, {}, (), "no query")


def test_undefined_row_without_a_note_is_left_out_too() -> None:
    assert mean_of([QueryValue("q1", None)]).left_out == {"q1": "undefined"}


@settings(deadline=None, max_examples=50)
@given(ROWS, st.randoms())
def test_order_of_the_rows_never_changes_the_mean(rows: list[QueryValue], chance: random.Random) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)
    assert mean_of(shuffled) == mean_of(rows)
    assert list(mean_of(shuffled).left_out) == sorted(mean_of(rows).left_out)


@settings(deadline=None, max_examples=50)
@given(ROWS)
def test_mean_is_that_of_the_defined_rows_and_every_row_is_accounted_for(rows: list[QueryValue]) -> None:
    values = [row.value for row in rows if row.value is not None]
    mean = mean_of(rows)
    assert (mean.n, mean.n + len(mean.left_out)) == (len(values), len(rows))
    assert mean.value == (pytest.approx(math.fsum(values) / len(values)) if values else None)
    assert (mean.value is None) == (mean.reason is not None)
