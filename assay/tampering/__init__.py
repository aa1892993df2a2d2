"""What a change does to make passing easier: one suite at two revisions, compared setting by setting. Pure; reads nothing."""

from assay.tampering.baselines import baseline_differs
from assay.tampering.cases import added_cases, unchanged_cases
from assay.tampering.checks import dropped_metrics, oracle_findings
from assay.tampering.comparison import findings, removed_suite
from assay.tampering.finding import NAMES, Finding
from assay.tampering.side import Side

__all__ = [
    "NAMES",
    "Finding",
    "Side",
    "added_cases",
    "baseline_differs",
    "dropped_metrics",
    "findings",
    "oracle_findings",
    "removed_suite",
    "unchanged_cases",
]
