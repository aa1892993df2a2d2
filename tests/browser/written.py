"""Pages as files for a browser to open."""

from __future__ import annotations

from pathlib import Path

from assay.model.report import Report
from assay.reporting.page.whole import page_bytes, with_run
from tests.unit.history_lines import line
from tests.unit.reporting.page.pages import matrix, notes


def written(folder: Path, name: str, report: Report) -> Path:
    """The page as a file, with history and kill matrix."""
    path = folder / f"{name}.html"
    path.write_bytes(with_run(page_bytes(report), notes(line(1), line(2), found=matrix())))
    return path
