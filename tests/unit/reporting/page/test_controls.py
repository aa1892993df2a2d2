"""Controls beside the subject: one axis, and what each must be."""

from __future__ import annotations

from assay.model.suite import Control
from assay.reporting.page.controls import control_tables
from assay.reporting.page.scale import Span
from tests.unit.reporting.reports import controlled, passing


def test_controls_stand_after_the_subject_on_its_axis_with_what_they_must_be() -> None:
    (table,) = control_tables(controlled())
    subject, positive, negative, trivial = table.rows

    assert (table.metric, table.ends) == ("recall", ("0", "1"))
    assert [row.role for row in table.rows] == ["subject", "positive", "negative", "trivial"]
    assert positive.plot is not None
    assert (positive.plot.line, positive.plot.fires) == (160.0, Span(10.0, 150.0))  # a floor of 0.5
    assert negative.plot is not None
    assert (negative.plot.line, negative.plot.fires) == (85.0, Span(85.0, 225.0))  # at most 0.25: 2.5 times the mean of 0.1
    assert (trivial.value, trivial.counted, trivial.plot) == ("undefined", "no queries", None)
    assert [row.must for row in table.rows] == [
        "",
        "at least 0.5",
        "at most 0.2500, by luck",
        "behind every subject by more than 3 pp",
    ]
    assert subject.plot is not None
    assert (subject.plot.now, subject.plot.baseline) == (280.0, 280.0)


def test_a_control_or_a_gated_subject_without_numbers_stays_and_has_none() -> None:
    report = controlled()
    changes: dict[str, dict[str, object]] = {
        "p": {"metrics": {}, "baseline": {}, "power": {}},
        "keyword": {"metrics": {}, "skipped": "no key"},
        "hashes": {"metrics": {}},
    }
    silent = {name: report.providers[name].model_copy(update=change) for name, change in changes.items()}
    (table,) = control_tables(report.model_copy(update={"providers": {**report.providers, **silent}}))

    assert [(row.name, row.value, row.counted, row.interval, row.plot, row.must) for row in table.rows] == [
        ("p", "no numbers", "", "", None, ""),
        ("keyword", "no numbers", "no key", "", None, "at least 0.5"),
        ("hashes", "no numbers", "", "", None, "at most 0.2500, by luck"),
        ("constant", "undefined", "no queries", "", None, "behind every subject by more than 3 pp"),
    ]


def test_a_manual_subject_and_a_control_of_another_metric_stand_only_beside_numbers() -> None:
    report = controlled()
    manual = report.providers["p"].model_copy(update={"metrics": {}, "enforcement": "manual"})
    other = report.providers["keyword"].model_copy(update={"control": Control(metric="mrr", floor=0.5), "metrics": {}})
    providers = {**report.providers, "p": manual, "keyword": other}
    by_recall, by_mrr = control_tables(report.model_copy(update={"providers": providers}))

    assert (by_recall.metric, [row.name for row in by_recall.rows]) == ("recall", ["hashes", "constant"])
    assert (by_mrr.metric, [(row.name, row.value) for row in by_mrr.rows]) == ("mrr", [("keyword", "no numbers")])


def test_without_controls_there_is_no_table() -> None:
    assert control_tables(passing()) == []
