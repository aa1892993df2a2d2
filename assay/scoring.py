"""Scores every case of a gold set with its kind's rules; a crash in a case is that case's failure."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence

from assay.metrics.ratios import measured, summed
from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.model.score import CaseScore, Measure
from assay.model.verdict import Metric

ScoreCase = Callable[[GoldCase, Sequence[Outcome]], CaseScore]


def score_cases(cases: Iterable[GoldCase], replies: Mapping[str, Sequence[Outcome]], score_case: ScoreCase) -> list[CaseScore]:
    """One row per case, in gold order. A case without replies is still scored, as missing."""
    return [_scored_or_crashed(case, replies.get(case.id, ()), score_case) for case in cases]


def metrics_of(rows: Iterable[CaseScore], measures: Mapping[str, Measure]) -> dict[str, Metric]:
    """The kind's metrics from the sums of all rows' counts."""
    return measured(summed(row.counts for row in rows), measures)


def _scored_or_crashed(case: GoldCase, replies: Sequence[Outcome], score_case: ScoreCase) -> CaseScore:
    try:
        return score_case(case, replies)
    except Exception as crash:  # noqa: BLE001  # the one place where a case's crash becomes a failed case
        reason = "".join(traceback.format_exception_only(crash)).strip()
        return CaseScore(
            case.id, "crashed", passed=False, score=0.0, counts=_counts_without_replies(case, score_case), reason=reason
        )


def _counts_without_replies(case: GoldCase, score_case: ScoreCase) -> Mapping[str, float]:
    """What the case expects, so that it stays in every denominator. Empty when even that cannot be counted."""
    try:
        return score_case(case, ()).counts
    except Exception:  # noqa: BLE001  # the crash is already reported; the gate breaks on a crashed case
        return {}
