"""One-to-one matching of two small sets by similarity: the optimal assignment among allowed pairs."""

from __future__ import annotations

from collections.abc import Sequence

Matrix = Sequence[Sequence[float]]


def align(similarities: Matrix, threshold: float) -> list[tuple[int, int]]:
    """The pairs (row, column) with the greatest total similarity, each row and column at most once, sorted by row.

    Args:
        similarities: float in [0, 1], shape (rows, columns). No rows or no columns give [].
        threshold: pairs below it are not allowed.

    The allowed pairs fall apart into connected components, and most hold one row or one column, where the best pair is
    seen at once (ties: lowest column, then lowest row). The others are solved by scipy's `linear_sum_assignment`.
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


def _optimal(similarities: Matrix, rows: Sequence[int], columns: Sequence[int], threshold: float) -> list[tuple[int, int]]:
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    block = np.array([[similarities[i][j] for j in columns] for i in rows])
    gains = np.where(block >= threshold, block, 0.0)
    chosen = zip(*linear_sum_assignment(gains, maximize=True), strict=True)
    return [(rows[int(a)], columns[int(b)]) for a, b in chosen if gains[a, b] > 0]
