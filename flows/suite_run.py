"""One run of one suite, whole: read the suite, run the chain, put the report where people find it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.contract import DRIFT_VARIABLE, DriftPolicy
from assay.errors import Incomplete, Problem, UsageError
from assay.model.evidence import Limits, LiveRun, evidence_of
from assay.model.history import lines_of
from assay.model.report import Report
from assay.model.run import RunOutcome, RunRequest
from assay.redaction import refuse_secrets, suite_secrets
from assay.reporting.asking import told_on_stderr
from assay.reporting.build import with_timing
from assay.reporting.page.notes import RunNotes
from assay.reporting.page.whole import with_run
from assay.sabotage.text import known_line
from assay.stores.evidence import file_evidence
from assay.stores.git import state_of
from assay.stores.goldsets import Source, open_suite
from assay.stores.history import append, read
from assay.stores.home import evidence_home
from assay.stores.runs import materialise, new_run_id
from flows.answers import Answer
from flows.chain import run_chain, selected
from flows.sabotage.known import known_matrix
from tasks._engine import Engine

SHOWN_LINES = 200
"""How many of the newest lines of history the page draws."""


def run_suite(
    request: RunRequest, root: Path, home: Path, engine: Engine, *, engine_name: str, environ: Mapping[str, str]
) -> RunOutcome:
    """Run and materialise. Raises UserError; then nothing was written but cache entries."""
    started, start = datetime.now(UTC), time.perf_counter()
    goldset = Path(request.goldset) if request.goldset else None
    source = open_suite(root, request.suite, request.gold_version, request.overrides, goldset=goldset)
    if request.overrides:
        refuse_secrets("--set", list(request.overrides), suite_secrets(source.suite, environ))
    if request.mode == "record":
        _record(source, request, home, environ, started)
    kept = evidence_home(root, environ)
    history = read(kept, request.suite, SHOWN_LINES)
    asked: dict[str, bytes] = {}
    answer = _live(home, environ, started, asked) if request.mode == "live" else None
    files = dict(run_chain(source, request, engine, drift_policy(environ), answer)) | asked
    report = Report.model_validate_json(files["report.json"])
    run_id = new_run_id(request.suite, started)
    timing = {
        "run_id": run_id,
        "engine": engine_name,
        "started": started.isoformat(timespec="seconds"),
        "seconds": round(time.perf_counter() - start, 4),
        "stages": [vars(stage) for stage in engine.stages],
        **_ages(report, started, source.suite.stale_after_days),
    }
    out = Path(request.out) if request.out else None
    commit = state_of(source.root, _within(source.root, kept, home, *([out] if out else [])))
    lines = lines_of(report, run_id=run_id, at=timing["started"], commit=commit)
    files["report.json"] = with_timing(files["report.json"], timing)
    matrix = known_matrix(source, home)
    files["report.html"] = with_run(files["report.html"], RunNotes(timing, history.plus(lines), matrix))
    try:
        folder = materialise(home, run_id, files, out)
    except OSError as error:
        where = "--out" if request.out else str(home)
        raise UsageError(Problem(where, f"cannot be written ({error.strerror})", request.out)) from None
    for found in evidence_of(report, _run_of(request, run_id, timing["started"], commit)):
        file_evidence(kept, found)
    append(kept, lines)
    return RunOutcome(
        run_id=run_id,
        folder=str(folder),
        report=files["report.json"],
        verdict=report.verdict,
        headline=report.headline,
        markdown=files["report.md"].decode(),
        stages=tuple(engine.stages),
        parsed=report,
        sabotage=known_line(matrix, request.suite, request.goldset, request.gold_version),
    )


def _run_of(request: RunRequest, run_id: str, started: str, commit: str | None) -> LiveRun:
    limits = Limits(max_requests=request.max_requests, max_usd=request.max_usd, max_minutes=request.max_minutes)
    return LiveRun(run_id=run_id, started=started, commit=commit, period=request.period, limits=limits, repeat=request.repeat)


def _live(home: Path, environ: Mapping[str, str], now: datetime, files: dict[str, bytes]) -> Answer:
    from flows.live import Desk, live_answers

    return live_answers(Desk(home, environ, now, files))


def _within(root: Path, *folders: Path) -> list[str]:
    """Those folders that lie in the project, relative to it: what runs write there is no change of the project."""
    project, places = root.resolve(), [folder.resolve() for folder in folders]
    return [place.relative_to(project).as_posix() for place in places if project in place.parents]


def _record(source: Source, request: RunRequest, home: Path, environ: Mapping[str, str], now: datetime) -> None:
    """Make the recordings that the run then replays. Every key is looked for before anything is asked."""
    from assay.providers.budget import Budget, Limits
    from assay.providers.client import endpoint_of
    from flows.recording import Asking, record_live
    from flows.targets import record_target

    providers = {name: p for name, p in selected(source, request.providers).items() if p.target is None or p.asks_model}
    for name, provider in providers.items():
        if provider.target is None:
            endpoint_of(name, provider, environ)
    asking = Asking(environ, Budget(Limits(request.max_requests, request.max_usd, request.max_minutes), None))
    for name, provider in providers.items():
        told = replace(asking, progress=told_on_stderr(name))
        if provider.target is not None:
            record_target(source, name, provider, home, now, told)
            continue
        result = record_live(source, name, provider, home, now, told)
        if result.manifest is None:
            what = f"stopped ({result.stopped}); {result.left} requests left"
            raise Incomplete(Problem(f"provider {name}", what, remedy="Run again to go on; nothing is asked twice."))


def drift_policy(environ: Mapping[str, str]) -> DriftPolicy:
    """What a drifted contract means here: an override is for people at their desks, never for CI."""
    if environ.get(DRIFT_VARIABLE) != "1":
        return "refuse"
    return "refused in CI" if environ.get("CI", "").lower() not in {"", "0", "false"} else "allow"


def _ages(report: Report, now: datetime, stale_after_days: int) -> dict[str, Any]:
    """Whole days since each provider's recording and baseline were made, and which of them are stale."""
    ages: dict[str, int] = {}
    for name, provider in report.providers.items():
        dates = {"recording": provider.recording.recorded_at if provider.recording else None}
        dates["baseline"] = provider.baseline_refreshed
        for what, text in dates.items():
            if text:
                then = datetime.fromisoformat(text)
                day = (then if then.tzinfo else then.replace(tzinfo=UTC)).astimezone(UTC).date()
                ages[f"{name}.{what}"] = (now.date() - day).days
    stale = sorted(name for name, age in ages.items() if age > stale_after_days)
    return {"ages_days": ages, "stale_after_days": stale_after_days, "stale": stale}
