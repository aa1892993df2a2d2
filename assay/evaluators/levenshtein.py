"""levenshtein: how few letters must change."""

from __future__ import annotations

from collections.abc import Mapping

from rapidfuzz.distance.Levenshtein import distance

from assay.evaluators.guard import guarded
from assay.evaluators.metric import EvalMetric
from assay.evaluators.options import check_known, pair, share

THRESHOLD = 0.8
OPTIONS = ("threshold", "normaliser")


@guarded
def levenshtein(actual: object, expected: object, options: Mapping[str, object], /) -> EvalMetric:
    """Passes when the normalised similarity is at least `threshold` (default 0.8). Score the similarity."""
    if options:
        check_known(options, OPTIONS)
    a, b = pair(actual, expected, options)
    threshold = share(options, "threshold", THRESHOLD)
    score = edit_similarity(a, b)
    return EvalMetric(score, score >= threshold, {"threshold": threshold})


def edit_similarity(a: str, b: str) -> float:
    """(longest - distance) / longest over code points, in [0, 1]; symmetric; 1.0 for two empty texts.

    The distance counts insertions, deletions and substitutions (Levenshtein, 1966). One division, so the score is the float
    nearest to the true quotient and meets a threshold written as that quotient; 1 - distance / longest is rounded twice and
    may miss it.
    """
    longest = max(len(a), len(b))
    return (longest - distance(a, b)) / longest if longest else 1.0
