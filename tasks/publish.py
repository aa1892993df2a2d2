"""publish: the report's bytes in every form. Pure: no clock, dates but no ages."""

from __future__ import annotations

from assay.model.ports import limits_part
from assay.model.report import Judgement, RunFacts
from assay.reporting.build import build_report, report_bytes
from assay.reporting.junit import junit_bytes
from assay.reporting.markdown import markdown_text
from assay.stores.artifacts import Body
from assay.stores.scores import parquet_bytes
from tasks._stage import Inputs, Params, Stage


def run(kind: str, inputs: Inputs, params: Params) -> Body:
    """Inputs: judgement, per provider `<name>.scores`. Params: facts. Body: a zip of files; rows is the number of cases."""
    facts = RunFacts.model_validate(params["facts"])
    report = build_report(Judgement.model_validate(inputs["judgement"]), facts, limits_part(kind).limits)
    tables = {name.removesuffix(".scores"): table for name, table in inputs.items() if name.endswith(".scores")}
    files = {
        "report.json": report_bytes(report),
        "report.md": markdown_text(report).encode(),
        "junit.xml": junit_bytes(report),
        "scores.parquet": parquet_bytes(tables),
    }
    return Body("zip", files, facts.cases)


PUBLISH = Stage("publish", run, part="limits")
