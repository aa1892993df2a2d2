"""Where assay keeps what can be recomputed, and what cannot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def assay_home(root: Path, environ: Mapping[str, str]) -> Path:
    """`$ASSAY_HOME`, else `.assay` in the project."""
    return Path(environ["ASSAY_HOME"]).resolve() if environ.get("ASSAY_HOME") else root / ".assay"


def evidence_home(root: Path, environ: Mapping[str, str]) -> Path:
    """`$ASSAY_EVIDENCE`, else `evidence` in the project: what live runs found, and the history of all runs."""
    return Path(environ["ASSAY_EVIDENCE"]).resolve() if environ.get("ASSAY_EVIDENCE") else root / "evidence"
