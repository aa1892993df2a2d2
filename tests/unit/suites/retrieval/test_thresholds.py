"""What the sweep measures, and which floors are refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from assay.errors import Refused
from assay.model.exchange import Outcome
from assay.model.ports import Setting
from assay.suites.retrieval.calibration import check, inputs_of
from assay.suites.retrieval.thresholds import CUTOFFS, calibrate
from tests.builders import provider
from tests.unit.suites.retrieval.small import QUERIES, TEXTS, document, files, query, ranking, setting

LARGE = files([document(f"d{i:02}") for i in range(40)], [query(f"r{i}", relevant=[f"d{i:02}"]) for i in range(10)])
"""Ten live queries over forty documents: luck reaches far less than one."""


def answers(place: int) -> dict[str, tuple[Outcome, ...]]:
    """Each query's only answer at this rank, 1-based."""
    found: dict[str, tuple[Outcome, ...]] = {}
    for i in range(10):
        others = [f"d{j:02}" for j in range(40) if j != i]
        names = [*others[: place - 1], f"d{i:02}", *others[place - 1 :]]
        found[f"r{i}"] = (ranking(*names, scores=[0.5] * 40),)
    return found


def large(constants: Mapping[str, float], top_k: int = 5, **changes: Any) -> Setting:
    fields: dict[str, Any] = {"answers": {"semantic": answers(1)}, "files": LARGE, **changes}
    return setting({"top_k": top_k, **fields.pop("options", {})}, constants=constants, **fields)


def calibrated(now: Setting) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(calibrate(now))
    return found


def refusal(now: Setting) -> str:
    with pytest.raises(Refused) as caught:
        calibrate(now)
    return str(caught.value)


def test_the_sweep_goes_over_the_cutoffs_that_the_corpus_has_with_its_own_and_the_whole() -> None:
    assert CUTOFFS == (1, 3, 5, 10, 20)
    assert [row["k"] for row in calibrated(large({}, top_k=7))["sweep"]] == [1, 3, 5, 7, 10, 20, 40]
    assert [row["k"] for row in calibrated(setting(constants={}))["sweep"]] == [1, 2, 3, 5, 6]


def test_each_row_tells_recall_and_precision_of_every_provider_beside_luck() -> None:
    # One answer per query at rank 4: none within 3, all within 5, where precision is 1/5 and luck reaches 5/40.
    subjects = {"semantic": provider(model="minilm", target="m:f")}
    now = large({}, answers={"semantic": answers(4), "control": answers(40)}, subjects=subjects)
    rows = {row["k"]: row for row in calibrated(now)["sweep"]}
    assert rows[3]["recall"] == {"semantic": 0.0, "control": 0.0}
    assert rows[5]["recall"] == {"semantic": 1.0, "control": 0.0}
    assert rows[5]["precision"] == {"semantic": 0.2, "control": 0.0}
    assert rows[40]["recall"] == {"semantic": 1.0, "control": 1.0}
    assert rows[5]["recall_by_luck"]["mean"] == 0.125
    assert rows[5]["told"] == "recall of semantic 1.0, by luck 0.1250"


def test_without_a_live_query_there_is_no_luck_to_tell() -> None:
    found = calibrated(setting(constants={}, files=files(queries=[query("q4")])))
    assert {row["recall_by_luck"] for row in found["sweep"]} == {None}


def test_a_query_that_nobody_answered_counts_0_in_the_sweep() -> None:
    half = {name: found for name, found in answers(1).items() if name < "r5"}
    rows = {row["k"]: row for row in calibrated(large({}, answers={"semantic": half}))["sweep"]}
    assert rows[1]["recall"]["semantic"] == 0.5


@pytest.mark.parametrize("measures", [["nDCG@10", "recall@5"], ["mrr"], ["R@k"]])
def test_the_sweep_does_not_depend_on_what_the_suite_measures(measures: list[str]) -> None:
    rows = {row["k"]: row for row in calibrated(large({}, options={"measures": measures}))["sweep"]}
    assert rows[10]["recall"]["semantic"] == 1.0


def test_the_calibration_states_inputs_constants_and_a_sentence() -> None:
    now = large({"floor recall@5": 0.8})
    found = calibrated(now)
    assert found["calibrated_at"] == inputs_of(now)
    assert found["constants"] == {"floor recall@5": 0.8}
    assert found["summary"] == "Constants (floor recall@5 0.8) measured at top_k 5, 40 documents, 10 queries."


def test_a_fresh_calibration_is_kept() -> None:
    now = large({"floor recall@5": 0.8, "floor-of-keyword recall@5": 0.15, "ceiling no_answer_top_score": 0.5})
    made = {**now.files, "calibration": ("calibration.json", calibrate(now))}
    (found,) = check(Setting(**{**vars(now), "files": made}))
    assert found.status == "kept", found.message


def test_calibrating_twice_gives_the_same_bytes() -> None:
    assert calibrate(large({})) == calibrate(large({}))


def test_a_floor_that_luck_reaches_is_refused() -> None:
    told = refusal(large({"floor recall@5": 0.3}))
    assert told.startswith("floor recall@5: cannot be missed, got 0.3; expected more than 0.")
    assert told.endswith("which luck reaches.")


def test_a_floor_at_exactly_what_luck_reaches_is_refused() -> None:
    by_luck = next(row for row in calibrated(large({}))["sweep"] if row["k"] == 5)["recall_by_luck"]["quantile_999"]
    assert "cannot be missed" in refusal(large({"floor recall@5": by_luck}))


def test_a_floor_over_the_measured_value_is_refused() -> None:
    told = refusal(large({"floor mrr": 0.6}, answers={"semantic": answers(4)}))
    assert told == "floor mrr: lies over what semantic measured, got 0.6; expected at most 0.25."


def test_a_floor_at_the_measured_value_is_not_refused() -> None:
    assert calibrated(large({"floor mrr": 0.25}, answers={"semantic": answers(4)}))["constants"] == {"floor mrr": 0.25}


def test_every_floor_that_is_not_justified_is_told_at_once() -> None:
    told = refusal(large({"floor recall@5": 0.05, "floor mrr": 0.9}, answers={"semantic": answers(4)}))
    assert [line.split(":")[0] for line in told.splitlines()] == ["floor recall@5", "floor mrr"]


def test_only_a_gated_subject_must_reach_the_floor() -> None:
    subjects = {"semantic": provider(model="minilm"), "bm25": provider("manual", model="BM25")}
    found = {"semantic": answers(1), "bm25": answers(40), "keyword": answers(40)}
    assert calibrated(large({"floor mrr": 0.9}, answers=found, subjects=subjects))["constants"] == {"floor mrr": 0.9}


@pytest.mark.parametrize("name", ["floor retired_recall@5", "floor known_failure_recall@5", "floor no_answer_top_score"])
def test_a_floor_of_a_query_outside_the_means_is_no_crash(name: str) -> None:
    assert calibrated(large({name: 0.0}))["constants"] == {name: 0.0}


def test_the_small_suite_is_all_that_these_tests_say() -> None:
    assert (len(TEXTS), len(QUERIES)) == (6, 5)
