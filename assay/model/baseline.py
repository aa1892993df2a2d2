"""The committed numbers that a run is compared with."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from assay.model.base import Frozen, IsoTime
from assay.model.exchange import CassetteKind, Sha256
from assay.model.suite import Enforcement
from assay.model.verdict import CaseOutcome, Metric


class Chance(Frozen):
    """What a metric comes to by luck alone, under these inputs."""

    mean: float
    quantile: float
    """The 99.9 % quantile."""
    how: str
    """What was drawn, and how often or that it is exact."""


class Calibration(Frozen):
    """Constants as measurements: what was chosen, at which inputs, and what justified it."""

    calibrated_at: dict[str, str | int]
    """All inputs that the constants depend on; at others they mean nothing."""
    constants: dict[str, float]
    measured: dict[str, Metric]
    """How good the constants are, on data that they were not chosen on."""
    chance: dict[str, Chance]
    """By metric, where chance is drawn rather than worked out exactly."""
    sweep: tuple[dict[str, JsonValue], ...] = ()
    """The measurements at other inputs, a row each."""
    summary: str = Field(min_length=1)
    """One sentence for every report."""


class Source(Frozen):
    """Where a block's numbers came from."""

    run: str
    cassette_kind: CassetteKind
    cassette_sha256: Sha256
    recorded_at: IsoTime | None
    gold_sha256: Sha256
    prompt_sha256: Sha256 | None
    schema_sha256: Sha256 | None


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
