"""`assay run`: one suite through the six stages, or several one after the other."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from assay.cli.workspace import GOLDSET, Workspace, workspace

if TYPE_CHECKING:
    from assay.errors import UserError
    from assay.model.run import Mode, RunOutcome, RunRequest, StageRun, SuitesOutcome
    from flows.suites_run import Told

ALL = "all"
MODES: dict[str, Mode] = {"replay": "replay", "cassette": "replay", "record": "record", "live": "live"}


@click.command()
@click.argument("suite", required=False)
@click.option("--all", "every", is_flag=True, help="Every suite of the project; the verdict is the worst of theirs.")
@click.option(
    "--changed-since",
    "revision",
    metavar="REV",
    help="Of all suites those that a change since this commit can touch; the others are listed as unchanged.",
)
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
    suite: str | None,
    *,
    every: bool,
    revision: str | None,
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
    """Evaluate SUITE, or all, and judge against the baseline."""
    from assay.model.run import RunRequest

    several = every or revision is not None
    _refuse_ambiguous(
        suite, several=several, only_one={"--provider": providers, "--gold-version": gold_version, "--goldset": goldset}
    )
    place = workspace(goldset)
    chosen = _mode(suite, mode, place) if suite else MODES[mode or "replay"]
    folder = str(Path(goldset).absolute()) if goldset else None
    limits = (max_requests, max_usd, max_minutes, folder)
    target = str(Path(out).absolute()) if out else None
    request = RunRequest(
        suite or ALL, gold_version, providers, chosen, sample, seed, overrides, target, repeat, refresh, *limits
    )
    if several:
        return _run_several(request, place, revision, offline=offline, as_json=as_json)
    return _run_one(request, place, offline=offline, as_json=as_json)


def _refuse_ambiguous(suite: str | None, *, several: bool, only_one: dict[str, object]) -> None:
    from assay.errors import Problem, UsageError

    if several == (suite is not None):
        raise UsageError(Problem("assay run", "wants one suite or all of them", suite, "SUITE, --all or --changed-since REV"))
    given = [option for option, value in only_one.items() if value]
    if several and given:
        raise UsageError(Problem(given[0], "belongs to one suite", expected="a run of one SUITE"))


def _run_one(request: RunRequest, place: Workspace, *, offline: bool, as_json: bool) -> int:
    from assay.reporting.console import print_report, stage_line

    def notify(stage: StageRun) -> None:
        click.echo(stage_line(stage), err=as_json)

    outcome = _offline(request, place, notify) if offline else _with_prefect(request, place, notify)
    if as_json:
        click.echo(_json(_summary(outcome)))
    else:
        print_report(outcome)
    return _exit_code(outcome)


def _run_several(request: RunRequest, place: Workspace, revision: str | None, *, offline: bool, as_json: bool) -> int:
    """Every suite, or those that a change can touch; each is told as it ends, and all of it in one line at the end."""
    from assay.errors import Problem, UsageError
    from assay.reporting.console import print_outcome, print_suite
    from assay.stores.goldsets import suites_in

    names, left_out = list(suites_in(place.root)), dict[str, str]()
    if not names:
        raise UsageError(Problem("goldsets/", "holds no suite", expected="at least one goldsets/NAME/vN/suite.yaml"))
    if revision is not None:
        names, left_out = _touched(names, place, revision)

    def told(name: str, result: RunOutcome | UserError) -> None:
        if not as_json:
            print_suite(name, result)

    if offline or not names:
        outcome = _all_offline(names, request, place, told, left_out)
    else:
        outcome = _all_with_prefect(names, request, place, told, left_out)
    if as_json:
        click.echo(_json(_summaries(outcome)))
    else:
        print_outcome(outcome)
    return outcome.exit_code


def _touched(names: list[str], place: Workspace, revision: str) -> tuple[list[str], dict[str, str]]:
    from flows.plan import changes_since

    changes = changes_since(place.root, revision)
    unchanged = {name: f"unchanged since {revision}" for name in names if not changes[name]}
    removed = {name: f"removed since {revision}" for name in changes if name not in names}
    return [name for name in names if changes[name]], unchanged | removed


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
    prepare_prefect(place)
    from flows.evaluate import LISTENER, evaluate_here

    LISTENER.set(notify)  # type: ignore[arg-type]  # as above
    return cast("RunOutcome", _received(lambda: evaluate_here(request)))


def _all_offline(
    names: list[str], request: RunRequest, place: Workspace, told: Told, left_out: dict[str, str]
) -> SuitesOutcome:
    from flows.suites_run import Runner, run_suites
    from tasks._engine import Engine

    runner = Runner(place.root, place.home, place.environ, "offline", lambda: Engine(place.home), told)
    return run_suites(names, request, runner, left_out)


def _all_with_prefect(
    names: list[str], request: RunRequest, place: Workspace, told: Told, left_out: dict[str, str]
) -> SuitesOutcome:
    prepare_prefect(place)
    from flows.evaluate import TOLD, evaluate_here

    TOLD.set(told)
    return replace(cast("SuitesOutcome", _received(lambda: evaluate_here(request, names))), left_out=left_out)


def prepare_prefect(place: Workspace) -> None:
    """The project's own Prefect home and folder, before anything imports Prefect."""
    if "PREFECT_API_URL" not in os.environ:
        os.environ.setdefault("PREFECT_HOME", str(place.root / ".prefect"))
    os.chdir(place.root)


def _received(run: Callable[[], Any]) -> RunOutcome | SuitesOutcome:
    """What a flow in this process hands over beside its state. Raises the error that it ended with."""
    from assay.errors import Problem, UsageError, UserError
    from flows.evaluate import OUTCOME

    received: list[RunOutcome | SuitesOutcome | UserError] = []
    OUTCOME.set(received)
    state = run()
    if not received:
        raise UsageError(Problem("Prefect", f"the run did not finish ({state.message})", remedy="Try `--offline`."))
    if isinstance(received[0], UserError):
        raise received[0]
    return received[0]


def _json(value: object) -> str:
    import json

    return json.dumps(value, indent=2, ensure_ascii=False)


def _summaries(outcome: SuitesOutcome) -> dict[str, Any]:
    """The verdict on all, the summary of each, and what was not run."""
    from assay.model.run import RunOutcome

    suites = {
        name: _summary(result)
        if isinstance(result, RunOutcome)
        else {"verdict": "ERROR", "errors": [str(problem) for problem in result.problems]}
        for name, result in outcome.results.items()
    }
    return {"verdict": outcome.verdict, "suites": suites, "not_run": dict(outcome.left_out)}


def _summary(outcome: RunOutcome) -> dict[str, Any]:
    import json

    from assay.model.report import Report
    from assay.reporting.summary import summary_of

    value = json.loads(outcome.report)
    timing = value.pop("timing")
    return summary_of(Report.model_validate_json(json.dumps(value)), timing).model_dump(mode="json")


def _exit_code(outcome: RunOutcome) -> int:
    from assay.model.verdict import EXIT_CODES

    return {str(verdict): code for verdict, code in EXIT_CODES.items()}[outcome.verdict]
