"""What a kind of suite provides: one module per stage under `assay/suites/<kind>/`, found by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, cast, runtime_checkable

from pydantic import JsonValue

from assay.errors import Problem, UsageError, nearest
from assay.model.audit import Audit
from assay.model.baseline import Chance
from assay.model.exchange import Outcome, Request
from assay.model.gold import GoldCase
from assay.model.report import Report
from assay.model.score import CaseScore, Measure
from assay.model.selftest import SelfCheck
from assay.model.suite import Provider
from assay.model.verdict import Check

KINDS = ("extraction", "retrieval", "orchestration", "checks", "facets")
Files = Mapping[str, tuple[str, bytes]]
"""Gold files by the kind's name for them: (shown path, content)."""
Options = Mapping[str, JsonValue]
"""`options` of suite.yaml."""
EVERY_OTHER = "*"
"""In a part's FILES: also every file of the suite that the kind does not know."""


@dataclass(frozen=True)
class Setting:
    """What constants are measured at, and checked against."""

    suite: str
    version: str
    cases: Sequence[GoldCase]
    files: Files
    options: Mapping[str, JsonValue]
    subjects: Mapping[str, Provider]
    constants: Mapping[str, float] = field(default_factory=dict)
    """The bounds that suite.yaml sets, by name."""
    code_sha256: str = ""
    """Digest of the modules that the part names in `CODE`."""
    answers: Mapping[str, Mapping[str, Sequence[Outcome]]] = field(default_factory=dict)
    """By provider and case, what was answered; only where constants are measured."""


class CasesPart(Protocol):
    """`cases`: the load stage."""

    REQUIRED_FILES: tuple[str, ...]
    TARGET_FILES: tuple[str, ...]
    """Those that targets are built from."""

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
    TEXT_NORMALISER: str | None
    """Name and version of what texts go through before they are compared."""

    def measures(self, options: Options) -> Mapping[str, Measure]:
        """All measures of the kind, by name."""

    def scorer(self, files: Files, options: Options) -> Callable[[GoldCase, Sequence[Outcome]], CaseScore]:
        """The rule for one case."""


@runtime_checkable
class ScoresWithOthersCode(Protocol):
    """A `scoring` part that runs code which is named in the options."""

    def imports(self, options: Options) -> tuple[str, ...]:
        """The import strings of that code, for the stage key."""

    def advisory(self, options: Options) -> frozenset[str]:
        """The measures that may not be gated."""

    def advisory_files(self, options: Options) -> frozenset[str]:
        """The suite's files, by role, on which no answer and no gated measure depends."""


def imports_of(part: ScoringPart, options: Options) -> tuple[str, ...]:
    """The import strings of code besides the kind's own that scoring runs."""
    return part.imports(options) if isinstance(part, ScoresWithOthersCode) else ()


def advisory_in(part: ScoringPart, options: Options) -> frozenset[str]:
    """The measures that are reported and never gated."""
    return part.advisory(options) if isinstance(part, ScoresWithOthersCode) else frozenset()


def advisory_files_in(part: ScoringPart, options: Options) -> frozenset[str]:
    """The suite's files, by role, on which no answer and no gated measure depends."""
    return part.advisory_files(options) if isinstance(part, ScoresWithOthersCode) else frozenset()


class SelftestPart(Protocol):
    """`selftest`: the metrics on trial, before any number is believed."""

    def selftest(self) -> Sequence[SelfCheck]:
        """What was worked out on paper beside what the metrics give."""


class CalibrationPart(Protocol):
    """`calibration`: what the verify stage demands of thresholds, and how they are measured."""

    FILES: tuple[str, ...]
    CODE: tuple[str, ...]
    """The modules whose behaviour the calibration was measured with."""

    def check(self, setting: Setting) -> list[Check]:
        """Whether the committed calibration still belongs to code, data and options."""

    def chance(self, metric: str, setting: Setting) -> Chance | None:
        """What luck alone gives in this setting; None for a metric that it is not known for."""


class ThresholdsPart(Protocol):
    """`thresholds`: how the calibration is made. Apart from `calibration`, since it may use all of the kind."""

    def calibrate(self, setting: Setting) -> bytes:
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


def selftest_part(kind: str) -> SelftestPart:
    """The kind's `selftest` module."""
    return cast(SelftestPart, import_module(module_name(kind, "selftest")))


def thresholds_part(kind: str) -> ThresholdsPart:
    """The kind's `thresholds` module."""
    return cast(ThresholdsPart, import_module(module_name(kind, "thresholds")))


def calibration_part(kind: str) -> CalibrationPart:
    """The kind's `calibration` module."""
    return cast(CalibrationPart, import_module(module_name(kind, "calibration")))


def limits_part(kind: str) -> LimitsPart:
    """The kind's `limits` module."""
    return cast(LimitsPart, import_module(module_name(kind, "limits")))


def audit_part(kind: str) -> AuditPart:
    """The kind's `audit` module."""
    return cast(AuditPart, import_module(module_name(kind, "audit")))
