"""publish: the report's bytes in every form. Pure: no clock, dates but no ages."""

from __future__ import annotations

from collections.abc import Mapping

from assay.model.ports import limits_part
from assay.model.report import Judgement, RunFacts
from assay.model.verdict import EXIT_CODES, Outcome
from assay.reporting.build import build_report, report_bytes
from assay.reporting.junit import junit_bytes
from assay.reporting.markdown import markdown_text
from assay.reporting.page.whole import page_bytes
from assay.sabotage.paper import believed, paper_check
from assay.sabotage.parts import Build, Markdown
from assay.sabotage.report_paper import REPORT_SELF_TEST, report_checks
from assay.stores.artifacts import Body
from assay.stores.scores import parquet_bytes
from tasks._stage import Inputs, Params, Stage


def run(
    kind: str,
    inputs: Inputs,
    params: Params,
    *,
    build: Build = build_report,
    markdown: Markdown = markdown_text,
    exit_codes: Mapping[Outcome, int] = EXIT_CODES,
) -> Body:
    """Inputs: judgement, per provider `<name>.scores`. Params: facts. Body: a zip of files; rows is the number of cases.

    The functions that make the report are put on trial first: one that is wrong on paper reports no PASS.
    """
    facts = RunFacts.model_validate(params["facts"])
    tried = paper_check(REPORT_SELF_TEST, report_checks(build, markdown, exit_codes))
    report = believed(build(Judgement.model_validate(inputs["judgement"]), facts, limits_part(kind).limits), tried)
    tables = {name.removesuffix(".scores"): table for name, table in inputs.items() if name.endswith(".scores")}
    files = {
        "report.json": report_bytes(report),
        "report.md": markdown(report).encode(),
        "report.html": page_bytes(report),
        "junit.xml": junit_bytes(report),
        "scores.parquet": parquet_bytes(tables),
    }
    return Body("zip", files, facts.cases)


PUBLISH = Stage("publish", run, part="limits")
