"""Every defect that assay brings and that needs nothing beyond the core."""

from __future__ import annotations

from assay.sabotage.catalogue import (
    cassette,
    checks,
    contract,
    extraction,
    facets,
    gate,
    gold,
    replies,
    report,
    retrieval,
    scorers,
    scorers_of_rows,
)
from assay.sabotage.defect import Defect

DEFECTS: tuple[Defect, ...] = (
    *gold.DEFECTS,
    *contract.DEFECTS,
    *cassette.DEFECTS,
    *replies.DEFECTS,
    *extraction.DEFECTS,
    *retrieval.DEFECTS,
    *checks.DEFECTS,
    *facets.DEFECTS,
    *scorers.DEFECTS,
    *scorers_of_rows.DEFECTS,
    *gate.DEFECTS,
    *report.DEFECTS,
)
