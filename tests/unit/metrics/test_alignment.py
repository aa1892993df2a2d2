"""The rules of the matching: the greatest total over allowed pairs, found by brute force too."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.metrics.alignment import TRIED, align

Matrix = list[list[float]]
SIXTEENTHS = st.integers(0, 16).map(lambda k: k / 16)
"""Sums of these are exact, and ties are frequent."""
THRESHOLDS = st.integers(1, 16).map(lambda k: k / 16)
MATRICES = st.tuples(st.integers(0, 5), st.integers(0, 5)).flatmap(
    lambda shape: st.lists(st.lists(SIXTEENTHS, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0])
)


def best_total(matrix: Matrix, threshold: float, row: int = 0, used: frozenset[int] = frozenset()) -> float:
    """The greatest total of all one-to-one matchings of allowed pairs, each of them tried."""
    if row == len(matrix):
        return 0.0
    totals = [best_total(matrix, threshold, row + 1, used)]
    totals += [
        value + best_total(matrix, threshold, row + 1, used | {column})
        for column, value in enumerate(matrix[row])
        if value >= threshold and column not in used
    ]
    return max(totals)


def total(matrix: Matrix, pairs: Sequence[tuple[int, int]]) -> float:
    return sum(matrix[i][j] for i, j in pairs)


@settings(deadline=None)
@given(MATRICES, THRESHOLDS)
@example([[1.0] * 5] * 5, 0.5)
@example([[0.5] * 5] * 5, 0.5)
def test_total_is_the_best_of_all_matchings(matrix: Matrix, threshold: float) -> None:
    assert total(matrix, align(matrix, threshold)) == best_total(matrix, threshold)


@settings(deadline=None)
@given(MATRICES, THRESHOLDS)
def test_pairs_are_allowed_one_to_one_and_sorted_by_row(matrix: Matrix, threshold: float) -> None:
    pairs = align(matrix, threshold)
    assert all(matrix[i][j] >= threshold for i, j in pairs)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert pairs == sorted(pairs)


@settings(deadline=None)
@given(MATRICES, THRESHOLDS, st.data())
def test_order_of_rows_and_columns_never_changes_the_total(matrix: Matrix, threshold: float, data: st.DataObject) -> None:
    rows = data.draw(st.permutations(range(len(matrix))))
    columns = data.draw(st.permutations(range(len(matrix[0]) if matrix else 0)))
    shuffled = [[matrix[i][j] for j in columns] for i in rows]
    assert total(shuffled, align(shuffled, threshold)) == total(matrix, align(matrix, threshold))


@settings(deadline=None)
@given(MATRICES, THRESHOLDS)
def test_transposed_matrix_has_the_same_total(matrix: Matrix, threshold: float) -> None:
    columns = [list(column) for column in zip(*matrix, strict=True)]
    assert total(columns, align(columns, threshold)) == total(matrix, align(matrix, threshold))


@settings(deadline=None)
@given(MATRICES, THRESHOLDS, THRESHOLDS)
def test_higher_threshold_never_raises_the_total(matrix: Matrix, one: float, other: float) -> None:
    lower, higher = sorted((one, other))
    assert total(matrix, align(matrix, higher)) <= total(matrix, align(matrix, lower))


@pytest.mark.parametrize("matrix", [[], [[]], [[], []]])
def test_nothing_matches_nothing(matrix: Matrix) -> None:
    assert align(matrix, 0.5) == []


def test_pair_at_the_threshold_is_allowed_and_below_it_is_not() -> None:
    assert align([[0.5]], 0.5) == [(0, 0)]
    assert align([[0.4999999]], 0.5) == []


def test_best_whole_beats_the_best_single_pair() -> None:
    # Greedy takes 0.9 and leaves row 1 alone: 0.9. The other way round is 0.8 + 0.7 = 1.5.
    assert align([[0.9, 0.8], [0.7, 0.1]], 0.5) == [(0, 1), (1, 0)]


def test_great_pair_beats_two_small_ones() -> None:
    # 1.0 alone (its row and column forbid the rest) against 0.4 + 0.4 = 0.8.
    assert align([[1.0, 0.4], [0.4, 0.0]], 0.4) == [(0, 0)]


def test_pair_that_is_not_allowed_is_never_used_to_fill_up() -> None:
    # Rows 0 and 1 both want column 0; column 1 is forbidden, so one of them stays alone.
    assert align([[0.6, 0.4], [0.6, 0.4]], 0.5) == [(0, 0)]
    # 0.6 + 0.4 > 0.9, but 0.4 is forbidden: only the 0.9 of row 1 counts.
    assert align([[0.6, 0.0], [0.9, 0.4]], 0.5) == [(1, 0)]


def test_tie_in_a_row_goes_to_the_lowest_column() -> None:
    assert align([[0.6, 0.8, 0.8]], 0.5) == [(0, 1)]


def test_tie_in_a_column_goes_to_the_lowest_row() -> None:
    assert align([[0.6], [0.8], [0.8]], 0.5) == [(1, 0)]


@pytest.mark.parametrize("size", [2, 3, 5])
def test_equal_texts_are_matched_in_order(size: int) -> None:
    assert align([[1.0] * size] * size, 0.5) == [(i, i) for i in range(size)]


def test_separate_groups_are_matched_each_for_itself() -> None:
    # Rows 0, 1 with columns 0, 1 and row 2 with column 2.
    assert align([[0.9, 0.8, 0], [0.9, 0.1, 0], [0, 0, 0.7]], 0.5) == [(0, 1), (1, 0), (2, 2)]


SMALL = st.tuples(st.integers(2, 3), st.integers(2, 3)).flatmap(
    lambda shape: st.lists(st.lists(SIXTEENTHS, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0])
)


def matchings(matrix: Matrix, threshold: float, row: int = 0) -> list[list[tuple[int, int]]]:
    """All one-to-one matchings of allowed pairs, those in which the first row takes the lowest column first."""
    if row == len(matrix):
        return [[]]
    rest = matchings(matrix, threshold, row + 1)
    taken = [
        [(row, column), *pairs]
        for column, value in enumerate(matrix[row])
        if value >= threshold
        for pairs in rest
        if column not in {other for _, other in pairs}
    ]
    return taken + rest


@settings(deadline=None)
@given(SMALL)
def test_of_a_few_rows_and_columns_the_first_of_the_best_ways_is_taken(matrix: Matrix) -> None:
    # One component: every pair is allowed. Sums of sixteenths are exact, so equal ones are equal.
    assert max(len(matrix), len(matrix[0])) <= TRIED
    allowed = [[value + 1 for value in row] for row in matrix]
    found = matchings(allowed, 1.0)
    most = max(total(allowed, pairs) for pairs in found)
    assert align(allowed, 1.0) == next(pairs for pairs in found if total(allowed, pairs) == most)


def test_tie_between_two_ways_gives_the_first_row_the_lowest_column() -> None:
    # 0.9 + 0.8 both ways round.
    assert align([[0.9, 0.9], [0.8, 0.8]], 0.5) == [(0, 0), (1, 1)]
    # Row 0 alone with column 0 (1.0) against row 1 alone with it (1.0): column 1 is forbidden to both, 0.5 to neither.
    assert align([[1.0, 0.5], [1.0, 0.5]], 0.5) == [(0, 0), (1, 1)]


def test_a_row_may_stay_alone_where_that_is_worth_more() -> None:
    # Rows 0 and 2 take both columns: 0.9 + 0.9 beats any way with row 1 (0.5 + 0.9).
    assert align([[0.9, 0.5], [0.5, 0.5], [0.5, 0.9]], 0.5) == [(0, 0), (2, 1)]


@pytest.mark.parametrize("size", [TRIED, TRIED + 1])
def test_trying_all_ways_and_the_solver_agree_at_the_border(size: int) -> None:
    matrix = [[0.5 + ((i * 7 + j * 5) % 16) / 32 for j in range(size)] for i in range(size)]
    assert total(matrix, align(matrix, 0.5)) == best_total(matrix, 0.5)
