"""The flow: one suite or all, evaluated under Prefect."""

from __future__ import annotations

import os
from contextlib import nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from tasks._engine import Notify
from tasks._prefect import PrefectEngine, without_heartbeat  # sets Prefect's environment, so it comes before prefect

from prefect import flow  # isort: skip
from prefect.client.schemas.objects import State  # isort: skip

from pydantic import Field

from assay.errors import UserError
from assay.model.run import RunOutcome, RunRequest, SuitesOutcome
from assay.stores.goldsets import root_for, suites_in
from assay.stores.home import assay_home
from flows.choices import ALL, SuiteOrAll
from flows.showing import all_shown, shown, tell_webhook
from flows.suites_run import Runner, Told, run_suites

LISTENER: ContextVar[Notify | None] = ContextVar("LISTENER", default=None)
"""Who is told about each finished stage."""
TOLD: ContextVar[Told | None] = ContextVar("TOLD", default=None)
"""Who is told about each finished suite of several."""
OUTCOME: ContextVar[list[RunOutcome | SuitesOutcome | UserError] | None] = ContextVar("OUTCOME", default=None)
"""Where an in-process caller receives the outcome; the flow's state holds only its headline."""


@flow(name="evaluate", flow_run_name="{suite}", persist_result=False, on_failure=[tell_webhook], on_crashed=[tell_webhook])
def evaluate(  # noqa: PLR0913, PLR0917  # each parameter is a field of the form in Prefect's UI
    suite: SuiteOrAll = ALL,
    mode: Literal["replay", "record", "live"] = "replay",
    providers: list[str] | None = None,
    repeat: Annotated[int, Field(ge=1, le=100)] = 1,
    gold_version: str | None = None,
    sample: Annotated[int, Field(ge=1)] | None = None,
    seed: int = 0,
    overrides: list[str] | None = None,
    out: str | None = None,
    refresh: bool = False,
    max_requests: Annotated[int, Field(ge=1)] | None = None,
    max_usd: Annotated[float, Field(ge=0)] | None = None,
    max_minutes: Annotated[float, Field(ge=0)] | None = None,
    goldset: str | None = None,
    only: list[str] | None = None,
) -> State[dict[str, Any]]:
    """Evaluate one suite or all; a gate that fails is a Failed run whose message is the verdict's first line.

    Args:
        suite: Which suite, or all.
        mode: Where replies come from: the recordings, recordings made anew, or the models themselves.
        providers: Only these of the suite's providers.
        repeat: Live: how often each request is asked.
        gold_version: Gold-set version, such as v1; else the newest.
        sample: Smoke run over so many cases; never a PASS.
        seed: Which sample.
        overrides: KEY=VALUE in place of suite.yaml; never a PASS.
        out: Folder for the report, on the worker's machine.
        refresh: Live: ask again what was already answered.
        max_requests: Live, record: stop after so many requests.
        max_usd: Live, record: stop before more is spent.
        max_minutes: Live, record: stop after this time.
        goldset: The suite's folder, where it is not the project's.
        only: With all: these suites.
    """
    request = RunRequest(
        suite,
        gold_version,
        tuple(providers or ()),
        mode,
        sample,
        seed,
        tuple(overrides or ()),
        out,
        repeat,
        refresh,
        max_requests,
        max_usd,
        max_minutes,
        goldset,
    )
    received = OUTCOME.get()
    try:
        root = root_for(Path.cwd(), goldset)
        home = assay_home(root, os.environ)

        runner = Runner(
            root,
            home,
            os.environ,
            "prefect",
            lambda: PrefectEngine(home, LISTENER.get()),
            TOLD.get() or (lambda name, result: None),
        )
        if suite == ALL:
            several = run_suites([n for n in suites_in(root) if only is None or n in only], request, runner)
            _receive(received, several)
            return all_shown(several, f"all {mode}")
        outcome = runner.run(request)
    except UserError as error:
        _receive(received, error)
        return shown(error, suite)
    _receive(received, outcome)
    return shown(outcome, suite)


def evaluate_here(request: RunRequest, only: list[str] | None = None) -> State[dict[str, Any]]:
    """The flow in this process, for whoever waits for it. Only what asks a model takes long enough to need a heartbeat."""
    fields = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(request).items()}
    del fields["period"]
    with without_heartbeat() if request.mode == "replay" else nullcontext():
        return cast(State[dict[str, Any]], evaluate(**fields, only=only, return_state=True))


def _receive(
    received: list[RunOutcome | SuitesOutcome | UserError] | None, found: RunOutcome | SuitesOutcome | UserError
) -> None:
    if received is not None:
        received.append(found)
