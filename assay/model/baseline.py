"""The committed numbers that a run is compared with."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from assay.model.base import Frozen, IsoTime
from assay.model.exchange import CassetteKind, Sha256
from assay.model.suite import Enforcement
from assay.model.verdict import CaseOutcome, Metric


class Calibration(Frozen):
    """A similarity threshold as a measurement: chosen on one half of the labelled pairs, judged on the other."""

    matcher: str
    matcher_sha256: Sha256
    pairs_sha256: Sha256
    pairs: int = Field(gt=0)
    threshold: float = Field(gt=0, le=1)
    chosen_on: int = Field(gt=0)
    held_out: int = Field(gt=0)
    precision: Metric
    """On the held-out half: of the pairs called the same, the share that are."""
    recall: Metric
    """On the held-out half: of the pairs that are the same, the share called so."""


class Source(Frozen):
    """Where a block's numbers came from."""

    run: str
    cassette_kind: CassetteKind
    cassette_sha256: Sha256
    recorded_at: IsoTime
    gold_sha256: Sha256
    prompt_sha256: Sha256
    schema_sha256: Sha256


class Block(Frozen):
    """One provider's part of a baseline. Null metrics: nothing has been published for it yet."""

    enforcement: Enforcement
    last_refreshed: IsoTime | None
    reason: str
    source: Source | None
    metrics: dict[str, Metric] | None
    cases: dict[str, CaseOutcome] | None


class Baseline(Frozen):
    """All blocks of one suite version."""

    format: Literal[1]
    suite: str
    gold_version: str
    calibration: Calibration | None
    providers: dict[str, Block | None]
