"""What the gate can see, as the reports say it."""

from __future__ import annotations

import pytest

from assay.model.power import LivePower, Power
from assay.model.report import ProviderReport
from assay.model.suite import GateRule
from assay.reporting.figures import power_column, power_notes, power_text
from assay.reporting.markdown import markdown_text
from tests.builders import baseline_of, facts, metric
from tests.unit.live_builders import ACCURACY, about, cases, found, judged, right
from tests.unit.reporting.reports import outcome_of, report_of

LIVE = LivePower(at80_pp=12.34, at95_pp=None, false_alarm=0.02, level=0.025, model="m")
COUNTED = {"line": 0.97, "headroom_pp": 3.0, "of": 230, "right": 230}
TOLD = {
    "2-7 of 230": Power(absorbs_fewest=2, absorbs_most=7, **COUNTED),
    "6 of 230": Power(absorbs_fewest=6, absorbs_most=6, **COUNTED),
    "blind": Power(absorbs_fewest=230, absorbs_most=230, **COUNTED),
    "1 at worst": Power(absorbs_fewest=1, undefined="power undefined: why", line=0.5, headroom_pp=2.0),
    "fired": Power(absorbs_fewest=0, absorbs_most=0, **{**COUNTED, "headroom_pp": -0.1}),
    "": Power(undefined="nothing to compare with", right=1, of=1),
}


def reported(*powers: Power) -> ProviderReport:
    """A provider's report with these powers, of metrics a, b and so on."""
    named = dict(zip("abcdef", powers, strict=False))
    now = judged(found(cases(right(3))), found(cases(right(3)))).providers["p"]
    return now.model_copy(update={"power": named, "metrics": {name: metric(0.5) for name in named}})


@pytest.mark.parametrize("text", TOLD)
def test_rows_that_may_turn_wrong_unnoticed(text: str) -> None:
    assert power_text("a", reported(TOLD[text]), facts("a")) == text
    assert power_text("b", reported(TOLD[text]), facts("a")) == ""


def test_a_live_run_says_the_smallest_drops_that_it_sees() -> None:
    live = facts("a", mode="live")
    assert power_text("a", reported(Power(live=LIVE)), live) == "12.3 pp / nothing"
    assert power_text("a", reported(Power()), live) == ""
    assert power_column(reported(Power(live=LIVE)), live) == ("sees at 80 / 95 %",)
    assert power_notes(reported(Power(live=LIVE)), live) == ["drops seen: m; false alarms of a metric at most 2.00 %"]
    assert power_notes(reported(Power(live=LIVE)), facts("a")) == []


def test_an_empty_column_is_left_out() -> None:
    assert power_column(reported(TOLD["6 of 230"]), facts("a")) == ("absorbs",)
    assert power_column(reported(TOLD[""]), facts("a")) == ()


def test_every_reason_is_told_once_with_its_metrics() -> None:
    why = Power(undefined="power undefined: why")
    assert power_notes(reported(why, TOLD["6 of 230"], why, TOLD[""]), facts("a")) == ["a, c: power undefined: why"]


def test_the_reports_show_the_column(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.reporting.console import print_report

    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    now = found(cases(right(230)))
    run = about(now).model_copy(update={"mode": "replay"})
    report = report_of({"p": now}, baseline_of(now), run)
    assert "| accuracy | 1.0000 | 230/230 | 0.984-1.000 | 0 | 6 of 230 |" in markdown_text(report)
    print_report(outcome_of(report))
    assert "accuracy  1.0000  230/230  0.984-1.000         0  6 of 230" in capsys.readouterr().out


def test_a_report_without_power_reads_as_before() -> None:
    now = judged(found(cases(right(3))), found(cases(right(3)))).providers["p"]
    old = now.model_dump(mode="json", exclude={"power"})
    assert ProviderReport.model_validate(old).power == {}


def test_powers_survive_the_report() -> None:
    now = judged(found(cases(right(60))), found(cases(right(60)))).providers["p"]
    assert set(now.power) == set(ACCURACY)
    assert ProviderReport.model_validate_json(now.model_dump_json()).power == now.power
    assert GateRule(metrics=("a",)).must_notice_cases is None
