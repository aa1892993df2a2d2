"""Numbers as text: undefined is a word, and plus is for the better."""

from __future__ import annotations

import pytest

from assay.model.report import Comparison, ProviderReport
from assay.model.score import Measure
from assay.model.verdict import Metric
from assay.reporting.figures import change_text, count_text, interval_text, value_text
from tests.builders import evidence, facts
from tests.unit.reporting.reports import ratio, undefined

NOTHING = undefined("no rows")


def compared(now: Metric, before: Metric | None) -> ProviderReport:
    baseline = {} if before is None else {"m": before}
    return ProviderReport(
        **dict(evidence({"m": now})),
        checks=(),
        compared=Comparison(cases=0, metrics=0),
        baseline=baseline,
        baseline_refreshed=None,
    )


def test_an_undefined_metric_has_no_number_anywhere() -> None:
    run = facts("m")
    told = (value_text(NOTHING), count_text("m", NOTHING), interval_text(NOTHING))
    assert told == ("undefined", "no rows", "")
    assert change_text("m", compared(NOTHING, ratio(1, 1, 0.0, 1.0)), run) == ""
    assert change_text("m", compared(ratio(1, 1, 0.0, 1.0), NOTHING), run) == ""
    assert change_text("m", compared(ratio(1, 1, 0.0, 1.0), None), run) == ""


def test_a_share_shows_its_rows_and_a_mean_its_classes() -> None:
    assert count_text("recall", ratio(212, 230, 0.8, 0.9)) == "212/230"
    assert count_text("recall_macro", ratio(5, 5, 0.8, 0.9)) == "mean of 5"


def test_values_and_intervals_have_fixed_digits() -> None:
    two_thirds = ratio(2, 3, 0.2, 0.93)
    assert (value_text(two_thirds), interval_text(two_thirds)) == ("0.6667", "0.200-0.930")


@pytest.mark.parametrize(
    ("now", "before", "direction", "text"),
    [
        # 97/100 against 100/100: 3 points worse when higher is better, 3 points better when lower is.
        (97, 100, "higher", "-3.00 pp"),
        (97, 100, "lower", "+3.00 pp"),
        (100, 97, "higher", "+3.00 pp"),
        (97, 97, "higher", "0"),
    ],
)
def test_plus_is_a_change_for_the_better(now: int, before: int, direction: str, text: str) -> None:
    run = facts("m", measures={"m": Measure.model_validate({"direction": direction})})
    assert change_text("m", compared(ratio(now, 100, 0.0, 1.0), ratio(before, 100, 0.0, 1.0)), run) == text
