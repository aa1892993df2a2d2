"""The functions that a run is composed of and that a defect may replace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.model.report import Judgement, Report
from assay.model.score import CaseScore, Measure
from assay.model.selftest import SelfCheck
from assay.model.verdict import Metric

ScoreCase = Callable[[GoldCase, Sequence[Outcome]], CaseScore]
Scorer = Callable[[Mapping[str, tuple[str, bytes]], Mapping[str, JsonValue]], ScoreCase]
Metrics = Callable[[Iterable[CaseScore], Mapping[str, Measure]], dict[str, Metric]]
Judge = Callable[..., Judgement]
Build = Callable[..., Report]
Markdown = Callable[[Report], str]
SelfTest = Callable[[], Sequence[SelfCheck]]


@dataclass(frozen=True)
class Parts:
    """One function for each step that has a rule in it."""

    scorer: Scorer
    """The kind's rule for one case, from its files and options."""
    metrics: Metrics
    """The kind's metrics from the rows of all cases."""
    selftest: SelfTest
    """The kind's measures on trial."""
    judge: Judge
    """The gate."""
    build: Build
    """The report."""
    markdown: Markdown
    """The report as text."""
    exit_codes: Mapping[Any, int]
    """By verdict."""
