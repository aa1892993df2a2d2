"""A subject's metrics: what each row says, and which rows there are."""

from __future__ import annotations

from assay.model.power import LivePower, Power
from assay.reporting.page.metrics import subjects_of
from tests.builders import baseline_of, evidence, facts
from tests.unit.reporting.reports import failing, good, passing, ratio, report_of, undefined

LIVE = LivePower(at80_pp=4.2, at95_pp=None, false_alarm=0.01, level=0.025, model="paired")


def test_a_metric_has_all_that_is_known_of_it() -> None:
    (subject,) = subjects_of(failing())
    (row,) = subject.gated

    assert (row.name, row.better, row.value, row.counted) == ("recall", "higher", "0.6667", "2/3")
    assert (row.interval, row.change, row.moved, row.power) == ("0.200-0.930", "-33.33 pp", "worse", "")
    assert (subject.kept, subject.checks, subject.power_title) == (2, 3, "")


def test_metrics_that_are_not_gated_come_apart_and_missing_ones_are_named() -> None:
    found = evidence({"recall": ratio(3, 3, 0.4, 1.0), "mrr": undefined("no queries")})
    (subject,) = subjects_of(report_of({"p": found}, None, facts("recall", "precision")))

    assert [row.name for row in subject.gated] == ["recall"]
    assert [(row.name, row.value, row.counted, row.plot, row.better) for row in subject.others] == [
        ("mrr", "undefined", "no queries", None, None)
    ]
    assert subject.not_measured == ("precision",)


def test_a_live_run_shows_the_smallest_drops_that_it_notices() -> None:
    report = report_of({"p": good()}, baseline_of(good()), facts("recall", mode="live"))
    provider = report.providers["p"].model_copy(update={"power": {"recall": Power(live=LIVE)}})
    (subject,) = subjects_of(report.model_copy(update={"providers": {"p": provider}}))

    assert (subject.power_title, subject.gated[0].power) == ("sees at 80 / 95 %", "4.2 pp / nothing")


def test_a_subject_without_numbers_is_there_and_has_none() -> None:
    (_, silent) = subjects_of(passing())

    assert (silent.name, silent.gated, silent.others, silent.not_measured) == ("q", (), (), ())
