"""One-to-one matching of two small sets by similarity: the optimal assignment among allowed pairs."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

Matrix = Sequence[Sequence[float]]
TRIED = 3
"""Up to so many rows and columns all ways are tried, which is quicker than loading a solver."""


def align(similarities: Matrix, threshold: float) -> list[tuple[int, int]]:
    """The pairs (row, column) with the greatest total similarity, each row and column at most once, sorted by row.

    Args:
        similarities: float in [0, 1], shape (rows, columns). No rows or no columns give [].
        threshold: pairs below it are not allowed.

    The allowed pairs fall apart into connected components, and most hold one row or one column, where the best pair is
    seen at once (ties: lowest column, then lowest row). Of two or three rows or columns every way is tried (ties: the first
    row takes the lowest column). The others are solved by scipy's `linear_sum_assignment`.
    """
    allowed = [(i, j) for i, row in enumerate(similarities) for j, value in enumerate(row) if value >= threshold]
    pairs: list[tuple[int, int]] = []
    for rows, columns in _components(allowed):
        if len(rows) == 1 or len(columns) == 1:
            pairs.append(
                min(
                    ((i, j) for i in rows for j in columns),
                    key=lambda p: (-similarities[p[0]][p[1]], p[1], p[0]),
                )
            )
        elif max(len(rows), len(columns)) <= TRIED:
            pairs += _tried(similarities, rows, columns, threshold)
        else:
            pairs += _optimal(similarities, rows, columns, threshold)
    return sorted(pairs)


def _components(edges: Sequence[tuple[int, int]]) -> list[tuple[list[int], list[int]]]:
    """Rows and columns of each connected component, sorted."""
    parent: dict[tuple[str, int], tuple[str, int]] = {}

    def root(node: tuple[str, int]) -> tuple[str, int]:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for i, j in edges:
        parent[root(("row", i))] = root(("column", j))
    groups: dict[tuple[str, int], tuple[list[int], list[int]]] = {}
    for node in sorted(parent):
        rows, columns = groups.setdefault(root(node), ([], []))
        (rows if node[0] == "row" else columns).append(node[1])
    return list(groups.values())


def _tried(similarities: Matrix, rows: Sequence[int], columns: Sequence[int], threshold: float) -> list[tuple[int, int]]:
    """The best of all ways to pair a few rows with a few columns, the first found of equals."""
    if not rows:
        return []
    first, rest = rows[0], rows[1:]
    best: list[tuple[int, int]] = []
    most = -1.0
    for column in (*columns, None):
        taken = [] if column is None else [(first, column)]
        if column is not None and similarities[first][column] < threshold:
            continue
        left = [other for other in columns if other != column]
        found = taken + _tried(similarities, rest, left, threshold)
        total = fsum(similarities[i][j] for i, j in found)
        if total > most:
            best, most = found, total
    return best


def _optimal(similarities: Matrix, rows: Sequence[int], columns: Sequence[int], threshold: float) -> list[tuple[int, int]]:
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    block = np.array([[similarities[i][j] for j in columns] for i in rows])
    gains = np.where(block >= threshold, block, 0.0)
    chosen = zip(*linear_sum_assignment(gains, maximize=True), strict=True)
    return [(rows[int(a)], columns[int(b)]) for a, b in chosen if gains[a, b] > 0]
