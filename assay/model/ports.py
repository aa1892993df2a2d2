"""What a kind of suite provides: one module per stage under `assay/suites/<kind>/`, found by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from assay.errors import Problem, UsageError, nearest
from assay.model.audit import Audit
from assay.model.exchange import Outcome, Request
from assay.model.gold import GoldCase
from assay.model.report import Report
from assay.model.score import CaseScore, Measure
from assay.model.suite import Provider
from assay.model.verdict import Check, Metric

KINDS = ("extraction",)
Files = Mapping[str, tuple[str, bytes]]
"""Gold files by the kind's name for them: (shown path, content)."""


class CasesPart(Protocol):
    """`cases`: the load stage."""

    REQUIRED_FILES: tuple[str, ...]

    def load(self, files: Files) -> list[GoldCase]:
        """The gold cases; raises InputError."""


class RequestsPart(Protocol):
    """`requests`: the replay and record stages."""

    def requests_for(
        self, case: GoldCase, prompt: str, schema_sha256: str, provider: Provider, repeat: int = 0
    ) -> tuple[Request, ...]:
        """The requests of one case, in order."""

    def oracle_reply(self, case: GoldCase, portion: int = 0) -> str:
        """The text that a perfect model would send to the case's request of this number, counted from 0."""


class ScoringPart(Protocol):
    """`scoring`: the score stage."""

    FILES: tuple[str, ...]
    MEASURES: Mapping[str, Measure]
    TEXT_NORMALISER: str | None
    """Name and version of what texts go through before they are compared."""

    def scorer(self, files: Files) -> Callable[[GoldCase, Sequence[Outcome]], CaseScore]:
        """The rule for one case."""

    def metrics(self, totals: Mapping[str, int]) -> dict[str, Metric]:
        """All metrics from counts summed over cases."""


class CalibrationPart(Protocol):
    """`calibration`: what the verify stage demands of thresholds, and how they are measured."""

    FILES: tuple[str, ...]
    CODE: tuple[str, ...]
    """The modules whose behaviour the calibration was measured with."""

    def check(self, files: Files, code_sha256: str) -> list[Check]:
        """Whether the committed calibration still belongs to code and data."""

    def calibrate(self, files: Files, code_sha256: str) -> bytes:
        """The calibration file, measured anew."""


class LimitsPart(Protocol):
    """`limits`: what the publish stage says about the kind's numbers."""

    def limits(self, report: Report) -> list[str]:
        """What the numbers do not prove, from the facts of the run."""


class AuditPart(Protocol):
    """`audit`: the gold set on trial."""

    FILES: tuple[str, ...]

    def audit(self, files: Files, options: Mapping[str, Any]) -> Audit:
        """What the audit found."""


def module_name(kind: str, part: str) -> str:
    """The module of a kind's part. Raises UsageError for an unknown kind."""
    if kind not in KINDS:
        raise UsageError(Problem("suite.yaml: kind", "unknown kind", kind, f"one of {', '.join(KINDS)}", nearest(kind, KINDS)))
    return f"assay.suites.{kind}.{part}"


def cases_part(kind: str) -> CasesPart:
    """The kind's `cases` module."""
    return cast(CasesPart, import_module(module_name(kind, "cases")))


def requests_part(kind: str) -> RequestsPart:
    """The kind's `requests` module."""
    return cast(RequestsPart, import_module(module_name(kind, "requests")))


def scoring_part(kind: str) -> ScoringPart:
    """The kind's `scoring` module."""
    return cast(ScoringPart, import_module(module_name(kind, "scoring")))


def calibration_part(kind: str) -> CalibrationPart:
    """The kind's `calibration` module."""
    return cast(CalibrationPart, import_module(module_name(kind, "calibration")))


def limits_part(kind: str) -> LimitsPart:
    """The kind's `limits` module."""
    return cast(LimitsPart, import_module(module_name(kind, "limits")))


def audit_part(kind: str) -> AuditPart:
    """The kind's `audit` module."""
    return cast(AuditPart, import_module(module_name(kind, "audit")))
