"""How distinct a set of texts is: pairs that are too alike, and the effective number of different ones."""

from __future__ import annotations

from collections.abc import Mapping

from assay.metrics.text import normalise


def alike_pairs(texts: Mapping[str, str], floor: float) -> list[tuple[str, str, float]]:
    """Pairs (id, id, similarity) at or above `floor`, most alike first; fewer than two texts give [].

    Similarity in [0, 1] is rapidfuzz's `token_sort_ratio` / 100 of the normalised texts: order of words does not count, so a
    template with its slots moved is found too.
    """
    names, scores = _similarities(texts)
    found = [
        (names[i], names[j], round(float(scores[i][j]), 4))
        for i in range(len(names))
        for j in range(i + 1, len(names))
        if scores[i][j] >= floor
    ]
    return sorted(found, key=lambda pair: (-pair[2], pair[0], pair[1]))


def effective_number(texts: Mapping[str, str], floor: float) -> float:
    """How many distinct texts the set is worth, from 0 (no texts) to their number (none alike).

    The sum over texts of 1 / (1 + its likeness to the others), likeness being similarity rescaled from `floor`..1 to 0..1:
    n copies of one text are worth 1. The similarity-sensitive diversity of Leinster and Cobbold (Ecology 93, 2012) at q = 0.
    """
    names, scores = _similarities(texts)
    total = 0.0
    for i in range(len(names)):
        total += 1 / (1 + sum(_likeness(scores[i][j], floor) for j in range(len(names)) if j != i))
    return total


def _likeness(similarity: float, floor: float) -> float:
    """Similarity rescaled from `floor`..1 to 0..1; at a floor of 1 only copies are alike."""
    return 1.0 if similarity >= 1 else max(0.0, (similarity - floor) / (1 - floor)) if floor < 1 else 0.0


def _similarities(texts: Mapping[str, str]) -> tuple[list[str], list[list[float]]]:
    from rapidfuzz.fuzz import token_sort_ratio
    from rapidfuzz.process import cdist

    names = sorted(texts)
    prepared = [normalise(texts[name]) for name in names]
    return names, (cdist(prepared, prepared, scorer=token_sort_ratio).astype(float) / 100).round(4).tolist() if names else []
