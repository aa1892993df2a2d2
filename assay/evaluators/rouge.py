"""rouge: how many words output and reference share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.evaluators.guard import guarded
from assay.evaluators.metric import EvalMetric
from assay.evaluators.options import check_known, pair, share
from assay.evaluators.tokens import tokens

THRESHOLD = 0.0
OPTIONS = ("threshold", "normaliser")


@guarded
def rouge(actual: object, expected: object, options: Mapping[str, object], /) -> EvalMetric:
    """Passes when ROUGE-1 F1 is above 0 and at least `threshold` (default 0.0). Score F1.

    `meta` holds precision and recall. A side without words scores 0.0, so it never passes.
    """
    if options:
        check_known(options, OPTIONS)
    text, reference = pair(actual, expected, options)
    threshold = share(options, "threshold", THRESHOLD)
    precision, recall, f1 = rouge_1(tokens(text), tokens(reference))
    return EvalMetric(f1, f1 > 0 and f1 >= threshold, {"precision": precision, "recall": recall, "threshold": threshold})


def rouge_1(output: Sequence[str], reference: Sequence[str]) -> tuple[float, float, float]:
    """Precision, recall and F1 of ROUGE-1 (Lin, 2004), each in [0, 1]; all 0.0 when a side is empty.

    A token counts as often as both sides have it. Arithmetic and its order are those of rouge-score 0.1.2: the numbers agree to
    the last digit.
    """
    shared = _overlap(output, reference)
    if not shared:
        return 0.0, 0.0, 0.0
    precision, recall = shared / len(output), shared / len(reference)
    return precision, recall, 2 * precision * recall / (precision + recall)


def _overlap(a: Sequence[str], b: Sequence[str]) -> int:
    """How many tokens both have, each as often as both have it. Faster at these lengths than two Counters or set operations."""
    spare: dict[str, int] = {}
    left = spare.get
    for token in a:
        spare[token] = left(token, 0) + 1
    shared = 0
    for token in b:
        count = left(token)
        if count:
            spare[token] = count - 1
            shared += 1
    return shared
