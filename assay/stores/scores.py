"""The score table: a row per case as Arrow, the metrics in its schema's metadata, and the same as Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.digest import canonical
from assay.model.report import FailedCase
from assay.model.score import CaseScore
from assay.model.verdict import CaseOutcome, Metric

if TYPE_CHECKING:
    import pyarrow as pa

METRICS = b"assay.metrics"
COLUMNS = ("case_id", "status", "passed", "score", "reason", "detail")
"""What every kind has; the other columns are the kind's counts."""


def score_table(rows: Sequence[CaseScore], metrics: Mapping[str, Metric]) -> pa.Table:
    """Columns: case_id, status, passed, score, reason, detail (JSON text), then one int64 column per count, sorted."""
    import pyarrow as pa

    names = sorted({name for row in rows for name in row.counts})
    columns: dict[str, pa.Array] = {
        "case_id": pa.array([row.case_id for row in rows], pa.string()),
        "status": pa.array([row.status for row in rows], pa.string()),
        "passed": pa.array([row.passed for row in rows], pa.bool_()),
        "score": pa.array([row.score for row in rows], pa.float64()),
        "reason": pa.array([row.reason for row in rows], pa.string()),
        "detail": pa.array([canonical(row.detail).decode() for row in rows], pa.string()),
    }
    for name in names:
        columns[name] = pa.array([row.counts.get(name, 0) for row in rows], pa.int64())
    table = pa.table(columns)
    body = {name: metric.model_dump(mode="json") for name, metric in metrics.items()}
    return table.replace_schema_metadata({METRICS: canonical(body)})


def metrics_in(table: pa.Table) -> dict[str, Metric]:
    """The metrics that were summed from the table's rows."""
    body = json.loads((table.schema.metadata or {})[METRICS])
    return {name: Metric.model_validate(metric) for name, metric in body.items()}


def outcomes_in(table: pa.Table) -> tuple[dict[str, CaseOutcome], dict[str, FailedCase]]:
    """Every case's outcome, and the details of those that are not right, by case id."""
    columns = [table[name].to_pylist() for name in COLUMNS]
    counted = table.select([name for name in table.column_names if name not in COLUMNS]).to_pylist()
    outcomes: dict[str, CaseOutcome] = {}
    failed: dict[str, FailedCase] = {}
    for case, status, passed, score, reason, detail, row in zip(*columns, counted or [{}] * table.num_rows, strict=True):
        counts = {name: count for name, count in row.items() if count}
        outcomes[case] = CaseOutcome(passed=passed, score=score, counts=counts)
        if not passed:
            failed[case] = FailedCase(status=status, reason=reason, detail=json.loads(detail))
    return outcomes, failed


def parquet_bytes(tables: Mapping[str, pa.Table]) -> bytes:
    """All providers' rows in one Parquet file, the provider as first column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = []
    for name, table in sorted(tables.items()):
        plain = table.replace_schema_metadata(None)
        parts.append(plain.add_column(0, "provider", pa.array([name] * plain.num_rows, pa.string())))
    sink = io.BytesIO()
    pq.write_table(pa.concat_tables(parts, promote_options="default") if parts else pa.table({}), sink)
    return sink.getvalue()
