"""One run of one suite, whole: read the suite, run the chain, put the report where people find it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.contract import DRIFT_VARIABLE, DriftPolicy
from assay.errors import Incomplete, Problem, UsageError
from assay.model.report import Report
from assay.model.run import RunOutcome, RunRequest
from assay.redaction import refuse_secrets, suite_secrets
from assay.reporting.build import with_timing
from assay.stores.goldsets import Source, open_suite
from assay.stores.runs import materialise, new_run_id
from flows.chain import Answer, run_chain, selected
from tasks._engine import Engine


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
    evidence: dict[str, bytes] = {}
    answer = _live(home, environ, started, evidence) if request.mode == "live" else None
    files = dict(run_chain(source, request, engine, drift_policy(environ), answer)) | evidence
    report = Report.model_validate_json(files["report.json"])
    run_id = new_run_id(request.suite, started)
    timing = {
        "run_id": run_id,
        "engine": engine_name,
        "started": started.isoformat(timespec="seconds"),
        "seconds": round(time.perf_counter() - start, 4),
        "stages": [vars(stage) for stage in engine.stages],
        "ages_days": _ages(report, started),
    }
    files["report.json"] = with_timing(files["report.json"], timing)
    try:
        folder = materialise(home, run_id, files, Path(request.out) if request.out else None)
    except OSError as error:
        where = "--out" if request.out else str(home)
        raise UsageError(Problem(where, f"cannot be written ({error.strerror})", request.out)) from None
    return RunOutcome(
        run_id=run_id,
        folder=str(folder),
        report=files["report.json"],
        verdict=report.verdict,
        headline=report.headline,
        markdown=files["report.md"].decode(),
        stages=tuple(engine.stages),
        parsed=report,
    )


def _live(home: Path, environ: Mapping[str, str], now: datetime, evidence: dict[str, bytes]) -> Answer:
    from flows.live import live_answers

    return live_answers(home, environ, now, evidence)


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
        if provider.target is not None:
            record_target(source, name, provider, home, now, asking)
            continue
        result = record_live(source, name, provider, home, now, asking)
        if result.manifest is None:
            what = f"stopped ({result.stopped}); {result.left} requests left"
            raise Incomplete(Problem(f"provider {name}", what, remedy="Run again to go on; nothing is asked twice."))


def drift_policy(environ: Mapping[str, str]) -> DriftPolicy:
    """What a drifted contract means here: an override is for people at their desks, never for CI."""
    if environ.get(DRIFT_VARIABLE) != "1":
        return "refuse"
    return "refused in CI" if environ.get("CI", "").lower() not in {"", "0", "false"} else "allow"


def _ages(report: Report, now: datetime) -> dict[str, Any]:
    """Whole days since each provider's recording and baseline were made."""
    ages: dict[str, int] = {}
    for name, provider in report.providers.items():
        dates = {"recording": provider.recording.recorded_at if provider.recording else None}
        dates["baseline"] = provider.baseline_refreshed
        for what, text in dates.items():
            if text:
                then = datetime.fromisoformat(text)
                ages[f"{name}.{what}"] = (now - (then if then.tzinfo else then.replace(tzinfo=UTC))).days
    return ages
