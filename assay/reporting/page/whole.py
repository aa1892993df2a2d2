"""The whole page: what the report alone decides, and then what only a run knows.

In: a report, later a run's notes. Out: the bytes of `report.html`. The run's parts go into marked places; what is put into a
page is escaped, so nothing else in it can look like a place.
"""

from __future__ import annotations

from assay.digest import sha256_base64
from assay.model.report import Report
from assay.reporting.build import provenances
from assay.reporting.page.checks import check_groups, counts_text, not_kept
from assay.reporting.page.controls import control_tables
from assay.reporting.page.details import subject_cases
from assay.reporting.page.duels import duel_of
from assay.reporting.page.listing import rolls_of
from assay.reporting.page.metrics import subjects_of
from assay.reporting.page.notes import RunNotes, ages_of
from assay.reporting.page.packed import packed_cases
from assay.reporting.page.rendering import constant, rendered
from assay.reporting.page.sabotage import matrix_told
from assay.reporting.page.trends import trends_told

PAGE_BYTES = 760_000
"""How large the page may become by its cases before a run's part comes in; all of it then stays under a megabyte."""
CASES = "<!--cases-->"


def page_bytes(report: Report) -> bytes:
    """The page without what only a run knows: the same bytes for the same report."""
    groups, rolls, controls = check_groups(report), rolls_of(report), control_tables(report)
    style, script = constant("page.css"), constant("page.js")
    frame = rendered(
        "page.html.j2",
        report=report,
        facts=report.facts,
        tone={"PASS": "pass", "FAIL": "fail", "NO VERDICT": "none"}[report.verdict],
        provenances=provenances(report),
        subjects=subjects_of(report),
        controls=controls,
        groups=groups,
        counts=counts_text(check.status for group in groups for check in group.checks),
        not_kept=not_kept(groups),
        duels=[duel_of(found) for found in report.head_to_head],
        subject_cases=subject_cases(rolls),
        style=style,
        script=script,
        style_sha256=sha256_base64(style.encode()),
        script_sha256=sha256_base64(script.encode()),
    )
    packed = packed_cases(rolls, PAGE_BYTES - len(frame.encode()))
    return frame.replace(CASES, rendered("cases_data.html.j2", packed=packed, has_controls=bool(controls))).encode()


def with_run(page: bytes, run: RunNotes) -> bytes:
    """The page with its run's part in its places, which stay marked. Raises ValueError where one is missing, or there twice."""
    parts = {
        "stale": rendered("run_stale.html.j2", ages=[age for age in ages_of(run.timing) if age.is_stale], timing=run.timing),
        "history": rendered("run_history.html.j2", trends=trends_told(run.history)),
        "timing": rendered("run_timing.html.j2", ages=ages_of(run.timing), timing=run.timing),
    }
    if run.matrix is not None:
        parts["matrix"] = rendered("run_matrix.html.j2", matrix=matrix_told(run.matrix))
    for name in ("stale", "matrix", "history", "timing"):
        page = _filled(page, name, parts.get(name))
    return page


def _filled(page: bytes, name: str, part: str | None) -> bytes:
    """The page with a place filled; what stands there without a run's part stays where there is none."""
    begin, end = f"<!--run {name}-->".encode(), f"<!--end {name}-->".encode()
    before, opened, rest = page.partition(begin)
    default, closed, after = rest.partition(end)
    if not opened or not closed or begin in after:
        raise ValueError(f"the page has no place for what a run knows, or several: {name}")
    return before + begin + (default if part is None else part.encode()) + end + after
