"""The history of a suite: what every finished run adds to it, and what names a line.

In: a run's report. Out: a line per subject with numbers. Stored by `assay.stores.history`, shown by `assay.reporting.history`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from assay.digest import digest_of
from assay.model.base import Frozen, IsoTime
from assay.model.exchange import Sha256
from assay.model.report import ProviderReport, Recording, Report, RunFacts
from assay.model.score import Measure
from assay.model.suite import SUBJECT, Enforcement, Name, Version
from assay.model.verdict import Metric, Outcome

HISTORY_FORMAT: Literal[1] = 1
CUT_SHORT = "cut short"
Commit = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{7,64}(\+[0-9a-f]{8})?$")]
"""A commit's name; `+` and eight digits of what was changed since, where the work tree was not clean."""
_BOUNDS = ("floor ", "ceiling ", "floor-of-")
"""How `Suite.constants` names the constants that numbers are held against; all others are part of how they are measured."""


class HistoryLine(Frozen):
    """One subject's gated numbers in one finished run."""

    format: Literal[1]
    at: IsoTime
    run_id: str
    commit: Commit | None
    """Null outside git."""
    suite: Name
    version: Version
    provider: Name
    enforcement: Enforcement
    mode: Literal["replay", "live"]
    model: str
    cassette_kind: str
    recording: Sha256
    """The digest of the answers."""
    gold_sha256: Sha256
    prompt_sha256: Sha256 | None
    schema_sha256: Sha256 | None
    measures_sha256: Sha256
    """What the gated metrics are and how they are measured."""
    contract: Sha256
    """Gold set, prompt, schema, kind of recording and measures in one: across two of them no numbers are compared."""
    verdict: Outcome
    """Of the whole run."""
    cases: int = Field(ge=0)
    passed: int = Field(ge=0)
    metrics: dict[str, Metric]
    """The gated ones."""
    deviations: tuple[str, ...] = ()
    """Why the line is part of no trend: a sample, an override, a run that was cut short."""

    @property
    def key(self) -> tuple[str, ...]:
        """What no two lines of a history share. Without a commit the numbers take its place."""
        code = (
            ("numbers", digest_of(self.model_dump(mode="json", include={"metrics"})))
            if self.commit is None
            else ("commit", self.commit)
        )
        named = (self.suite, self.version, self.provider, self.contract, self.mode, self.recording)
        return (*code, *named, *self.deviations)


@dataclass(frozen=True)
class History:
    """What a history file holds."""

    lines: tuple[HistoryLine, ...] = ()
    """In file order."""
    unreadable: int = 0
    """Lines that mean nothing here: damaged, or written by another release."""
    repeated: int = 0
    """Lines left out because an earlier one has the same key, as after a merge of two branches."""
    before: int = 0
    """Lines before these that were not looked at."""

    def plus(self, lines: Iterable[HistoryLine]) -> History:
        """The history with those lines at its end whose keys it has not."""
        found = {line.key: line for line in self.lines}
        for line in lines:
            found.setdefault(line.key, line)
        return replace(self, lines=tuple(found.values()))


def lines_of(report: Report, *, run_id: str, at: str, commit: str | None) -> list[HistoryLine]:
    """A line per subject with numbers.

    Args:
        report: the finished run.
        run_id: its name.
        at: when it was started, in ISO 8601.
        commit: what it was run from; None outside git.
    """
    facts = report.facts
    run = {
        "format": HISTORY_FORMAT,
        "at": at,
        "run_id": run_id,
        "commit": commit,
        "suite": facts.suite,
        "version": facts.version,
        "mode": "live" if facts.mode == "live" else "replay",
        "verdict": report.verdict,
    }
    return [
        _line(name, found, found.recording, facts, run)
        for name, found in report.providers.items()
        if found.role == SUBJECT and found.metrics and found.recording is not None
    ]


def _line(name: str, found: ProviderReport, recording: Recording, facts: RunFacts, run: Mapping[str, object]) -> HistoryLine:
    under = {
        "gold_sha256": recording.gold_sha256,
        "prompt_sha256": recording.prompt_sha256,
        "schema_sha256": recording.schema_sha256,
        "cassette_kind": recording.cassette_kind,
        "measures_sha256": digest_of(_measured_how(facts)),
    }
    numbers = {
        "provider": name,
        "enforcement": found.enforcement,
        "model": recording.model_served or recording.model_asked,
        "recording": recording.cassette_sha256,
        "contract": digest_of(under),
        "cases": len(found.cases),
        "passed": sum(case.passed for case in found.cases.values()),
        "metrics": {metric: found.metrics[metric] for metric in facts.rule.metrics if metric in found.metrics},
        "deviations": tuple(_deviations(found, facts)),
    }
    return HistoryLine.model_validate({**run, **under, **numbers})


def _measured_how(facts: RunFacts) -> dict[str, object]:
    """What decides a number besides answers and gold set, as plain JSON: the gated measures and calibrated thresholds."""
    constants = facts.calibration.constants if facts.calibration else {}
    return {
        "measures": {name: _definition(facts.measures[name]) for name in facts.rule.metrics if name in facts.measures},
        "thresholds": {name: value for name, value in constants.items() if not name.startswith(_BOUNDS)},
        "text_normaliser": facts.text_normaliser,
    }


def _definition(measure: Measure) -> dict[str, object]:
    """The measure without the words that explain it."""
    return {
        "ratios": [ratio.model_dump(mode="json", exclude={"of"}) for ratio in measure.ratios],
        "direction": measure.direction,
        "fixed_n": measure.fixed_n,
    }


def _deviations(found: ProviderReport, facts: RunFacts) -> Iterator[str]:
    if facts.sample is not None:
        yield f"sample of {facts.sample}"
    yield from facts.overrides
    if found.cut is not None:
        yield CUT_SHORT
