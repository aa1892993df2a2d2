"""`assay run`: one suite through the six stages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.workspace import GOLDSET, Workspace, workspace

if TYPE_CHECKING:
    from assay.model.run import Mode, RunOutcome, RunRequest, StageRun

MODES: dict[str, Mode] = {"replay": "replay", "cassette": "replay", "record": "record", "live": "live"}


@click.command()
@click.argument("suite")
@click.option("--offline", is_flag=True, help="No Prefect API: the same stages, keys and artifacts.")
@click.option("--json", "as_json", is_flag=True, help="Print the run summary as JSON; stages go to stderr.")
@click.option("--provider", "providers", multiple=True, metavar="NAME", help="Only this provider; may be repeated.")
@click.option("--gold-version", metavar="VERSION", help="Gold-set version, such as v1.  [default: the newest]")
@GOLDSET
@click.option(
    "--mode", type=click.Choice(list(MODES)), help="Where replies come from.  [default: $<SUITE>_EVAL_MODE or replay]"
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Smoke run over N cases: checks the contract, never a PASS.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Which sample.")
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a value of suite.yaml; marked everywhere."
)
@click.option("--repeat", type=click.IntRange(1, 100), default=1, show_default=True, help="Live: ask each request so often.")
@click.option("--refresh", is_flag=True, help="Live: ask again what was already answered.")
@click.option("--max-requests", type=click.IntRange(min=1), metavar="N", help="Live, record: stop after N requests.")
@click.option("--max-usd", type=click.FloatRange(min=0), metavar="USD", help="Live, record: stop before more is spent.")
@click.option("--max-minutes", type=click.FloatRange(min=0), metavar="MIN", help="Live, record: stop after this time.")
@click.option("--out", type=click.Path(file_okay=False), help="Folder for the report.  [default: $ASSAY_HOME/runs/<run-id>]")
def run(  # noqa: PLR0913  # one parameter per option
    suite: str,
    *,
    offline: bool,
    as_json: bool,
    providers: tuple[str, ...],
    gold_version: str | None,
    mode: str | None,
    sample: int | None,
    seed: int,
    overrides: tuple[str, ...],
    out: str | None,
    repeat: int,
    refresh: bool,
    max_requests: int | None,
    max_usd: float | None,
    max_minutes: float | None,
    goldset: str | None,
) -> int:
    """Evaluate SUITE and judge it against its baseline."""
    from assay.model.run import RunRequest
    from assay.reporting.console import print_report, stage_line

    place = workspace(goldset)
    chosen = _mode(suite, mode, place)
    folder = str(Path(goldset).absolute()) if goldset else None
    limits = (max_requests, max_usd, max_minutes, folder)
    target = str(Path(out).absolute()) if out else None
    request = RunRequest(suite, gold_version, providers, chosen, sample, seed, overrides, target, repeat, refresh, *limits)

    def notify(stage: StageRun) -> None:
        click.echo(stage_line(stage), err=as_json)

    outcome = _offline(request, place, notify) if offline else _with_prefect(request, place, notify)
    if as_json:
        click.echo(_summary(outcome))
    else:
        print_report(outcome)
    return _exit_code(outcome)


def _mode(suite: str, mode: str | None, place: Workspace) -> Mode:
    """The mode asked for, else the suite's environment variable, else replay."""
    from assay.errors import Problem, UsageError

    variable = f"{suite.upper().replace('-', '_')}_EVAL_MODE"
    asked = mode or place.environ.get(variable) or "replay"
    if asked not in MODES:
        raise UsageError(Problem(variable, "unknown mode", asked, f"one of {', '.join(MODES)}"))
    return MODES[asked]


def _offline(request: RunRequest, place: Workspace, notify: object) -> RunOutcome:
    from flows.suite_run import run_suite
    from tasks._engine import Engine

    engine = Engine(place.home, notify)  # type: ignore[arg-type]  # a Notify; its type is only imported for checking
    return run_suite(request, place.root, place.home, engine, engine_name="offline", environ=place.environ)


def _with_prefect(request: RunRequest, place: Workspace, notify: object) -> RunOutcome:
    from assay.errors import Problem, UsageError, UserError

    if "PREFECT_API_URL" not in os.environ:
        os.environ.setdefault("PREFECT_HOME", str(place.root / ".prefect"))
    os.chdir(place.root)
    from flows.evaluate import LISTENER, OUTCOME, evaluate_here

    received: list[RunOutcome | UserError] = []
    LISTENER.set(notify)  # type: ignore[arg-type]  # as above
    OUTCOME.set(received)
    state = evaluate_here(request)
    if not received:
        raise UsageError(Problem("Prefect", f"the run did not finish ({state.message})", remedy="Try `--offline`."))
    if isinstance(received[0], UserError):
        raise received[0]
    return received[0]


def _summary(outcome: RunOutcome) -> str:
    import json

    from assay.model.report import Report
    from assay.reporting.summary import summary_of

    value = json.loads(outcome.report)
    timing = value.pop("timing")
    summary = summary_of(Report.model_validate_json(json.dumps(value)), timing)
    return json.dumps(summary.model_dump(mode="json"), indent=2, ensure_ascii=False)


def _exit_code(outcome: RunOutcome) -> int:
    from assay.model.verdict import EXIT_CODES

    return {str(verdict): code for verdict, code in EXIT_CODES.items()}[outcome.verdict]
