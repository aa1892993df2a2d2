"""The score table holds every case and the metrics, and gives them back unchanged."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.score import CaseScore
from assay.model.verdict import CaseOutcome, Metric
from assay.stores.artifacts import Artifacts, Body
from assay.stores.scores import METRICS, Scored, metrics_in, outcomes_in, parquet_bytes, providers_in, score_table
from tests.builders import metric

FIXED = ["provider", "case_id", "status", "passed", "score", "reason", "left_out", "detail"]
RIGHT = CaseScore("c1", "scored", True, 1.0, {"hits": 2, "expected": 2})
WRONG = CaseScore("c2", "malformed", False, 0.0, {"expected": 1}, "not JSON: é", {"expected": [{"content": "é"}], "n": None})


@st.composite
def rows(draw: st.DrawFn) -> list[CaseScore]:
    """Scored and failed cases, each id once."""
    ids = draw(st.lists(st.text(min_size=1, max_size=5), unique=True, max_size=5))
    counts = st.dictionaries(st.sampled_from(["hits", "expected", "predicted"]), st.integers(0, 9))
    detail = st.dictionaries(st.text(max_size=5), st.none() | st.text(max_size=5) | st.integers(), max_size=2)
    return [
        CaseScore(
            name,
            draw(st.sampled_from(["scored", "malformed", "missing", "crashed"])),
            draw(st.booleans()),
            draw(st.floats(0, 1)),
            draw(counts),
            draw(st.none() | st.text(max_size=5)),
            draw(detail),
        )
        for name in ids
    ]


def table_of(found: Sequence[CaseScore], metrics: Mapping[str, Metric] | None = None, name: str = "p") -> pa.Table:
    """The table of one provider."""
    return score_table({name: Scored(found, metrics or {})})


def through_the_store(home: Path, found: Sequence[CaseScore], metrics: Mapping[str, Metric]) -> pa.Table:
    """The table as a later stage opens it."""
    store = Artifacts(home)
    return store.get(store.put(Body("arrow", table_of(found, metrics), len(found))))


def parquet(tables: Mapping[str, pa.Table]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(io.BytesIO(parquet_bytes(tables))).to_pylist()
    return found


def types(table: pa.Table) -> dict[str, str]:
    """The types of the counts."""
    return {field.name: str(field.type) for field in table.schema if field.name not in FIXED}


def test_a_row_per_case_with_its_counts_in_sorted_columns() -> None:
    table = table_of([RIGHT, WRONG])
    assert table.column_names == [*FIXED, "expected", "hits"]
    assert table.to_pylist()[1] == {
        "provider": "p",
        "case_id": "c2",
        "status": "malformed",
        "passed": False,
        "score": 0.0,
        "reason": "not JSON: é",
        "left_out": None,
        "detail": '{"expected":[{"content":"é"}],"n":null}',
        "expected": 1,
        "hits": 0,
    }


def test_a_count_is_a_float_only_where_some_row_has_a_fraction() -> None:
    share = CaseScore("c3", "scored", True, 1.0, {"hits": 2, "recall": 0.5, "recall of": 1})
    assert types(table_of([RIGHT, WRONG])) == {"expected": "int64", "hits": "int64"}
    assert types(table_of([RIGHT, share])) == {"expected": "int64", "hits": "int64", "recall": "double", "recall of": "int64"}


def test_providers_stand_in_the_order_given_each_with_its_own_metrics_and_outcomes(tmp_path: Path) -> None:
    left = CaseScore("c1", "scored", False, 0.25, {"hits": 1}, left_out="kept as a guard")
    metrics = {"z": {"recall": metric(0.25)}, "a": {"recall": metric(1.0)}, "silent": {}}
    store = Artifacts(tmp_path)
    made = score_table(
        {"z": Scored([left], metrics["z"]), "a": Scored([RIGHT, WRONG], metrics["a"]), "silent": Scored([], metrics["silent"])}
    )
    table = store.get(store.put(Body("arrow", made, 3)))
    assert table["provider"].to_pylist() == ["z", "a", "a"]
    assert providers_in(table) == {"z", "a", "silent"}
    assert {name: metrics_in(table, name) for name in metrics} == metrics
    outcomes, failed = outcomes_in(table, "z")
    assert outcomes == {"c1": CaseOutcome(passed=False, score=0.25, counts={"hits": 1}, left_out="kept as a guard")}
    assert list(failed) == ["c1"]
    assert list(outcomes_in(table, "a")[0]) == ["c1", "c2"]
    assert outcomes_in(table, "silent") == ({}, {})


def test_metrics_defined_or_not_survive_the_store(tmp_path: Path) -> None:
    metrics = {"recall": metric(2 / 3), "precision": metric(None)}
    assert metrics_in(through_the_store(tmp_path, [RIGHT], metrics), "p") == metrics


def test_details_are_kept_for_cases_that_are_not_right_only(tmp_path: Path) -> None:
    outcomes, failed = outcomes_in(through_the_store(tmp_path, [RIGHT, WRONG], {}), "p")
    assert {name: (o.passed, o.score) for name, o in outcomes.items()} == {"c1": (True, 1.0), "c2": (False, 0.0)}
    assert list(failed) == ["c2"]
    assert (failed["c2"].status, failed["c2"].reason, failed["c2"].detail) == ("malformed", WRONG.reason, WRONG.detail)


@given(found=rows())
@settings(max_examples=40, deadline=None)
def test_every_case_is_given_back_as_it_was_scored(found: list[CaseScore]) -> None:
    outcomes, failed = outcomes_in(table_of(found), "p")
    assert {name: (o.passed, o.score) for name, o in outcomes.items()} == {r.case_id: (r.passed, r.score) for r in found}
    kept = {name: (f.status, f.reason, f.detail) for name, f in failed.items()}
    assert kept == {r.case_id: (r.status, r.reason, dict(r.detail)) for r in found if not r.passed}
    counts = {r.case_id: {name: n for name, n in r.counts.items() if n} for r in found}
    assert {name: o.counts for name, o in outcomes.items()} == counts


@given(found=rows())
@settings(max_examples=40, deadline=None)
def test_equal_scores_make_equal_tables(found: list[CaseScore]) -> None:
    table = table_of(found, {"a": metric(1.0), "b": metric(None)})
    assert table.equals(table_of(list(found), {"b": metric(None), "a": metric(1.0)}), check_metadata=True)


def test_no_case_is_a_table_without_rows(tmp_path: Path) -> None:
    table = through_the_store(tmp_path, [], {})
    assert (table.num_rows, table.column_names) == (0, FIXED)
    assert (outcomes_in(table, "p"), metrics_in(table, "p")) == (({}, {}), {})


def test_parquet_names_the_provider_first_and_leaves_unknown_counts_empty() -> None:
    other = CaseScore("c1", "scored", True, 1.0, {"refused": 1})
    found = parquet({"b": table_of([other], name="b"), "a": table_of([RIGHT, WRONG], name="a")})
    assert [(row["provider"], row["case_id"]) for row in found] == [("a", "c1"), ("a", "c2"), ("b", "c1")]
    assert next(iter(found[0])) == "provider"
    assert [(row["hits"], row["refused"]) for row in found] == [(2, None), (0, None), (None, 1)]


def test_parquet_joins_a_count_of_one_table_with_the_share_of_another() -> None:
    share = CaseScore("c1", "scored", True, 0.5, {"hits": 0.5})
    found = parquet({"a": table_of([RIGHT], name="a"), "b": table_of([share], name="b")})
    assert [row["hits"] for row in found] == [2.0, 0.5]


def test_parquet_of_equal_tables_is_equal_bytes() -> None:
    tables = {"a": table_of([RIGHT], name="a"), "b": table_of([WRONG], name="b")}
    assert parquet_bytes(tables) == parquet_bytes(dict(reversed(tables.items())))


def test_parquet_without_a_provider_is_a_readable_file() -> None:
    assert parquet({}) == []


def test_parquet_holds_rows_and_no_metrics_of_one_provider() -> None:
    data = parquet_bytes({"a": table_of([RIGHT], {"recall": metric(1.0)})})
    assert METRICS not in (pq.read_schema(io.BytesIO(data)).metadata or {})
