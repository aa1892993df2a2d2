"""The lines that a run adds to the history: whose, with which numbers, under which contract, and what names a line."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from assay.model.exchange import IN_PROCESS
from assay.model.history import History, HistoryLine, lines_of
from assay.model.report import Evidence, Report
from assay.model.score import Measure, Ratio
from assay.model.suite import GateRule
from assay.model.verdict import CaseOutcome, Metric
from tests.builders import baseline_of, calibration, control_evidence, evidence, facts, metric, recording
from tests.unit.history_lines import commit, digest, line, share
from tests.unit.reporting.reports import controlled, manual, passing, report_of

AT = "2026-11-30T12:00:00+00:00"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
RECALL = Measure(ratios=(Ratio(numerator="found", denominator="expected", of="expected memories"),))


def lines(report: Report, commit: str | None = COMMIT) -> list[HistoryLine]:
    return lines_of(report, run_id="run-1", at=AT, commit=commit)


def one(found: Evidence | None = None, **changes: Any) -> HistoryLine:
    """The only line of a run with one subject, whose facts differ by `changes`."""
    found = found or evidence({"recall": share(3, 3)})
    run = facts(**{"measures": {"recall": RECALL}, **changes})
    (only,) = lines(report_of({"p": found}, baseline_of(found), run))
    return only


def test_a_line_tells_where_its_numbers_come_from() -> None:
    cases = {"c1": CaseOutcome(passed=True, score=1.0), "c2": CaseOutcome(passed=False, score=0.5)}
    metrics = {"recall": share(3, 4), "precision": share(3, 3), "not_gated": share(1, 2)}
    run = facts("precision", "recall", cases=2)
    (found,) = lines(report_of({"p": evidence(metrics, cases=cases)}, None, run))
    told = found.model_dump(exclude={"metrics", "measures_sha256", "contract"})
    assert told == {
        "format": 1,
        "at": AT,
        "run_id": "run-1",
        "commit": COMMIT,
        "suite": "extraction",
        "version": "v1",
        "provider": "p",
        "enforcement": "ci",
        "mode": "replay",
        "model": "m",
        "cassette_kind": "oracle_aligned_expected_json",
        "recording": digest("cassette"),
        "gold_sha256": digest("gold"),
        "prompt_sha256": digest("prompt"),
        "schema_sha256": digest("schema"),
        "verdict": "NO VERDICT",
        "cases": 2,
        "passed": 1,
        "deviations": (),
    }
    assert found.metrics == {"precision": share(3, 3), "recall": share(3, 4)}


def test_only_subjects_with_numbers_have_a_line() -> None:
    assert [found.provider for found in lines(passing())] == ["p"]
    assert [found.provider for found in lines(controlled())] == ["p"]
    assert lines(report_of({"q": manual()}, None, facts())) == []
    assert lines(report_of({"c": control_evidence("trivial_strategy", {"recall": metric(0.1)})}, None, facts())) == []


def test_the_model_is_the_one_that_served() -> None:
    served = evidence({"recall": share(3, 3)}, recording=recording(model_served="m-2026-08-01"))
    assert (one().model, one(served).model) == ("m", "m-2026-08-01")


def test_what_was_recorded_in_the_run_is_replayed() -> None:
    assert [one(mode=mode).mode for mode in ("replay", "record", "live")] == ["replay", "replay", "live"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, ()),
        ({"sample": 20}, ("sample of 20",)),
        ({"overrides": ("--set gate.max_drop_pp=5", "contract drift is allowed")}, None),
    ],
)
def test_a_sample_and_overrides_are_told_in_words(changes: dict[str, Any], told: tuple[str, ...] | None) -> None:
    assert one(**changes).deviations == (changes["overrides"] if told is None else told)


def test_a_provider_that_was_asked_for_a_part_only_is_cut_short() -> None:
    assert one(evidence({"recall": share(3, 3)}, cut="20 requests are spent")).deviations == ("cut short",)


@pytest.mark.parametrize("part", ["gold_sha256", "prompt_sha256", "schema_sha256"])
def test_another_gold_set_prompt_or_schema_is_another_contract(part: str) -> None:
    other = one(evidence({"recall": share(3, 3)}, recording=recording(**{part: digest("other")})))
    assert other.contract != one().contract
    assert other.measures_sha256 == one().measures_sha256


def test_another_kind_of_recording_is_another_contract() -> None:
    found = evidence({"recall": share(3, 3)}, recording=recording(cassette_kind=IN_PROCESS))
    assert one(found).contract != one().contract


@pytest.mark.parametrize(
    "changes",
    [
        {"measures": {"recall": RECALL.model_copy(update={"direction": "lower"})}},
        {"measures": {"recall": RECALL.model_copy(update={"fixed_n": False})}},
        {"measures": {"recall": Measure(ratios=(Ratio(numerator="found_twice", denominator="expected", of="memories"),))}},
        {"measures": {"recall": Measure(ratios=RECALL.ratios * 2, mean_of="category")}},
        {"rule": GateRule(metrics=("recall", "mrr")), "measures": {"recall": RECALL, "mrr": Measure()}},
        {"calibration": calibration(constants={"threshold": 0.6})},
        {"text_normaliser": "fold/2"},
    ],
)
def test_other_measures_are_another_contract(changes: dict[str, Any]) -> None:
    assert one(**changes).measures_sha256 != one().measures_sha256
    assert one(**changes).contract != one().contract


@pytest.mark.parametrize(
    "changes",
    [
        {"measures": {"recall": Measure(ratios=(RECALL.ratios[0].model_copy(update={"of": "the same in other words"}),))}},
        {"measures": {"recall": RECALL, "not_gated": Measure()}},
        {"rule": GateRule(metrics=("recall",), max_drop_pp=5, floors={"recall": 0.1})},
        {"calibration": calibration(constants={"floor recall": 0.5, "ceiling x": 1, "floor-of-keyword recall": 0.2})},
        {"title": "Another title"},
    ],
)
def test_what_changes_no_number_changes_no_contract(changes: dict[str, Any]) -> None:
    assert one(**changes).contract == one().contract


def test_the_answers_are_no_part_of_the_contract() -> None:
    other = one(evidence({"recall": share(2, 3)}, recording=recording(cassette_sha256=digest("other answers"))))
    assert other.contract == one().contract
    assert other.key != one().key


@pytest.mark.parametrize(
    "changes",
    [
        {"commit": "f" * 40},
        {"commit": COMMIT + "+0123abcd"},
        {"commit": None},
        {"suite": "other"},
        {"version": "v2"},
        {"provider": "other"},
        {"contract": digest("other")},
        {"mode": "live"},
        {"recording": digest("other")},
        {"deviations": ("sample of 20",)},
        {"deviations": ("sample of 20", "cut short")},
    ],
)
def test_a_line_is_named_by_code_suite_provider_contract_answers_and_deviations(changes: dict[str, Any]) -> None:
    assert line(**{"commit": COMMIT, **changes}).key != line(commit=COMMIT).key


@pytest.mark.parametrize(
    "changes",
    [
        {"at": "2026-12-24T00:00:00+00:00"},
        {"run_id": "another"},
        {"verdict": "FAIL"},
        {"model": "another"},
        {"metrics": {"recall": share(1)}},
        {"enforcement": "manual"},
    ],
)
def test_the_same_answers_scored_by_the_same_commit_are_one_line(changes: dict[str, Any]) -> None:
    assert line(**changes).key == line().key


def test_without_a_commit_the_numbers_take_its_place() -> None:
    first: dict[str, Metric] = {"recall": share(90)}
    assert line(1, first, commit=None).key == line(1, first, commit=None, run_id="another").key
    assert line(1, first, commit=None).key != line(1, {"recall": share(91)}, commit=None).key


def test_a_line_is_the_same_after_it_was_written() -> None:
    found = line(metrics={"recall": share(1, 3)}, deviations=("--set a=b",))
    assert HistoryLine.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 2},
        {"suite": "../elsewhere"},
        {"provider": "a b"},
        {"commit": "main"},
        {"commit": COMMIT + "+dirty"},
        {"at": "yesterday"},
        {"mode": "record"},
        {"cases": -1},
        {"extra": 1},
    ],
)
def test_a_line_that_means_nothing_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        line(**changes)


def test_a_history_takes_up_the_lines_that_it_does_not_have() -> None:
    first, second = line(commit=commit(1)), line(commit=commit(2))
    assert History((first,)).plus([first, second, second]) == History((first, second))
    assert History(unreadable=2).plus([]) == History(unreadable=2)
