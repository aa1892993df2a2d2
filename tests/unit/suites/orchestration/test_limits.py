"""What an orchestration report says that its numbers do not prove, and what the kind says of luck: nothing."""

from __future__ import annotations

from typing import Any

from assay.model.exchange import IN_PROCESS
from assay.model.ports import Setting
from assay.model.report import Comparison, ProviderReport, Report
from assay.suites.orchestration.calibration import CODE, FILES, chance, check
from assay.suites.orchestration.limits import limits
from tests.builders import evidence, facts

ALWAYS = [
    "The quality of what is written: a run can keep every rule and hand over a bad text.",
    "Rules that nobody wrote down, and orders of events that no case provokes.",
    "Concurrency: cases run one after another in one process.",
]


def provided(**changes: Any) -> ProviderReport:
    found = evidence({}, **{"model": "scripted", "cassette_kind": IN_PROCESS, **changes})
    compared = Comparison(metrics=0, cases=0)
    return ProviderReport(**dict(found), checks=(), compared=compared, baseline={}, baseline_refreshed=None)


def report(**providers: ProviderReport) -> Report:
    run = facts(kind="orchestration")
    return Report(format=1, verdict="PASS", headline="", facts=run, checks=(), providers=providers, head_to_head=(), limits=())


def test_a_scripted_subject_is_named() -> None:
    told, *rest = limits(report(crew=provided(), desk=provided()))
    assert told.startswith("A model's judgement: ")
    assert "crew, desk" in told
    assert rest == ALWAYS


def test_a_subject_with_a_recorded_model_is_not_called_scripted() -> None:
    assert limits(report(openai=provided(cassette_kind="live_openai_recorded"))) == ALWAYS


def test_controls_are_not_named_and_no_provider_at_all_is_no_subject() -> None:
    assert limits(report(idle=provided(role="trivial_strategy"))) == ALWAYS
    assert limits(report()) == ALWAYS


def test_nothing_is_calibrated_and_luck_is_not_known() -> None:
    setting = Setting("orchestration", "v1", cases=(), files={}, options={}, subjects={})
    assert (FILES, CODE, check(setting), chance("cases_passed", setting)) == ((), (), [], None)
