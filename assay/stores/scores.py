"""The score table: a row per provider and case as Arrow, the metrics in its schema's metadata, and the same as Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.digest import canonical
from assay.model.report import FailedCase
from assay.model.score import CaseScore
from assay.model.verdict import CaseOutcome, Metric

if TYPE_CHECKING:
    import pyarrow as pa

METRICS = b"assay.metrics"
COLUMNS = ("provider", "case_id", "status", "passed", "score", "reason", "left_out", "detail")
"""What every kind has; the other columns are the kind's counts."""


@dataclass(frozen=True)
class Scored:
    """One provider's rows and what was summed from them."""

    rows: Sequence[CaseScore]
    metrics: Mapping[str, Metric]


def score_table(found: Mapping[str, Scored]) -> pa.Table:
    """The rows of all providers, in the order given.

    Columns: provider, case_id, status, passed, score, reason, left_out, detail (JSON text), then one column per count,
    sorted: int64, or float64 where any row has a fraction.
    """
    import pyarrow as pa

    rows = [row for scored in found.values() for row in scored.rows]
    names = sorted({name for row in rows for name in row.counts})
    columns: dict[str, pa.Array] = {
        "provider": pa.array([name for name, scored in found.items() for _ in scored.rows], pa.string()),
        "case_id": pa.array([row.case_id for row in rows], pa.string()),
        "status": pa.array([row.status for row in rows], pa.string()),
        "passed": pa.array([row.passed for row in rows], pa.bool_()),
        "score": pa.array([row.score for row in rows], pa.float64()),
        "reason": pa.array([row.reason for row in rows], pa.string()),
        "left_out": pa.array([row.left_out for row in rows], pa.string()),
        "detail": pa.array([canonical(row.detail).decode() for row in rows], pa.string()),
    }
    for name in names:
        counts = [row.counts.get(name, 0) for row in rows]
        columns[name] = pa.array(counts, pa.int64() if all(isinstance(n, int) for n in counts) else pa.float64())
    table = pa.table(columns)
    body = {
        name: {metric: value.model_dump(mode="json") for metric, value in scored.metrics.items()}
        for name, scored in found.items()
    }
    return table.replace_schema_metadata({METRICS: canonical(body)})


def providers_in(table: pa.Table) -> frozenset[str]:
    """The providers that were scored."""
    return frozenset(json.loads((table.schema.metadata or {})[METRICS]))


def metrics_in(table: pa.Table, provider: str) -> dict[str, Metric]:
    """The metrics that were summed from a provider's rows."""
    body = json.loads((table.schema.metadata or {})[METRICS])[provider]
    return {name: Metric.model_validate(metric) for name, metric in body.items()}


def outcomes_in(
    table: pa.Table, provider: str, *, with_detail: bool = True
) -> tuple[dict[str, CaseOutcome], dict[str, FailedCase]]:
    """Every case's outcome under a provider, and the details of those that are not right, by case id."""
    table = _own_rows(table, provider)
    columns = [table[name].to_pylist() for name in COLUMNS]
    counted = table.select([name for name in table.column_names if name not in COLUMNS]).to_pylist()
    outcomes: dict[str, CaseOutcome] = {}
    failed: dict[str, FailedCase] = {}
    rows = zip(*columns, counted or [{}] * table.num_rows, strict=True)
    for _, case, status, passed, score, reason, left_out, detail, row in rows:
        counts = {name: count for name, count in row.items() if count}
        outcomes[case] = CaseOutcome(passed=passed, score=score, counts=counts, left_out=left_out)
        if not passed:
            failed[case] = FailedCase(status=status, reason=reason, detail=json.loads(detail) if with_detail else {})
    return outcomes, failed


def _own_rows(table: pa.Table, provider: str) -> pa.Table:
    """The rows of one provider, which stand together."""
    owners = table["provider"].to_pylist()
    count = owners.count(provider)
    return table.slice(owners.index(provider) if count else 0, count)


def parquet_bytes(tables: Mapping[str, pa.Table]) -> bytes:
    """All tables' rows in one Parquet file, by the tables' names in order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = [table.replace_schema_metadata(None) for _, table in sorted(tables.items())]
    sink = io.BytesIO()
    pq.write_table(pa.concat_tables(parts, promote_options="permissive") if parts else pa.table({}), sink)
    return sink.getvalue()
