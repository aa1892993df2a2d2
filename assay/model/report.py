"""What a run found out, from a provider's proof to the whole report."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from assay.model.base import Frozen
from assay.model.baseline import Calibration, Chance
from assay.model.power import Power
from assay.model.score import Measure
from assay.model.suite import Control, Enforcement, GateRule, Role
from assay.model.verdict import CaseOutcome, Check, Metric, Outcome

REPORT_FORMAT = 1
Stability = Literal["stable pass", "flaky", "stable fail"]


class Recording(Frozen):
    """Where a provider's replies came from."""

    cassette_kind: str
    cassette_sha256: str
    model_asked: str
    model_served: str | None
    recorded_at: str | None
    """Null for code that answers anew in every run."""
    gold_sha256: str
    prompt_sha256: str | None
    """Null, as the next, where nothing is asked with a prompt."""
    schema_sha256: str | None


class Proof(Frozen):
    """Whether a recording may be replayed, and why not."""

    checks: tuple[Check, ...]
    usable: bool
    recording: Recording | None


class FailedCase(Frozen):
    """A case that is not right, with what people need to see why."""

    status: str
    reason: str | None
    detail: dict[str, JsonValue]


class Evidence(Frozen):
    """All that one provider's answers came to: what the gate judges."""

    role: Role
    enforcement: Enforcement
    model: str
    cassette_kind: str | None
    recording: Recording | None
    proof: tuple[Check, ...]
    """The checks made before and during replay."""
    metrics: dict[str, Metric]
    cases: dict[str, CaseOutcome]
    failed: dict[str, FailedCase]
    notes: tuple[str, ...] = ()
    control: Control | None = None
    claims: Literal["none"] | None = None
    stability: dict[str, Stability] = Field(default_factory=dict)
    """Of a repeated live run: how each case came out over all askings."""
    skipped: str | None = None
    """Why a live run left the provider out; then it decides nothing, and the verdict names it."""
    cut: str | None = None
    """Why a live run asked it for a part of the cases only; a part can show a drop and never a pass."""

    @property
    def decides(self) -> bool:
        """Whether its checks are part of the verdict."""
        return self.enforcement == "ci" and self.skipped is None


class Comparison(Frozen):
    """Case by case against the baseline."""

    cases: int = Field(ge=0)
    metrics: int = Field(ge=0)
    worse: tuple[str, ...] = ()
    better: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


class ProviderReport(Evidence):
    """Evidence, judged."""

    checks: tuple[Check, ...]
    compared: Comparison
    baseline: dict[str, Metric]
    """The baseline's metrics, where it could be compared."""
    baseline_refreshed: str | None
    power: dict[str, Power] = Field(default_factory=dict)
    """Of a subject: by gated metric what the gate can see."""


class RunFacts(Frozen):
    """What the whole run was: the same for every provider."""

    suite: str
    version: str
    kind: str
    title: str
    synthetic: bool
    mode: str
    cases: int
    sample: int | None
    is_foreign: bool = False
    """Whether the suite's folder lies outside the project, so that commands need `--goldset`."""
    overrides: tuple[str, ...]
    """`--set` and other deviations from the committed suite, in words."""
    rule: GateRule
    measures: dict[str, Measure]
    calibration: Calibration | None
    chance: dict[str, Chance] = Field(default_factory=dict)
    """By negative control: what its metric comes to by luck."""
    advisory: tuple[str, ...] = ()
    """Measures that are reported and never gated, because what makes them has not been calibrated."""
    text_normaliser: str | None


class HeadToHead(Frozen):
    """A subject beside a positive control or another subject, case by case."""

    subject: str
    against: str
    metric: str
    wins: tuple[str, ...]
    losses: tuple[str, ...]
    ties: tuple[str, ...]
    left_out: dict[str, str]
    """Cases that cannot be compared, with the reason."""
    difference: Metric
    """Subject minus the other, meaned over the compared cases, with the interval of the paired differences."""


class Judgement(Frozen):
    """The gate's result."""

    verdict: Outcome
    checks: tuple[Check, ...]
    """What holds or fails for the suite as a whole."""
    providers: dict[str, ProviderReport]
    head_to_head: tuple[HeadToHead, ...] = ()


class Report(Frozen):
    """`report.json` without its timing block."""

    format: Literal[1]
    verdict: Outcome
    headline: str
    facts: RunFacts
    checks: tuple[Check, ...]
    providers: dict[str, ProviderReport]
    head_to_head: tuple[HeadToHead, ...]
    limits: tuple[str, ...]
    """What these numbers do not prove."""
