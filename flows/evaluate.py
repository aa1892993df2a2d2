"""The flow: one suite, evaluated under Prefect."""

from __future__ import annotations

import os
from contextlib import nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import Literal, cast

from tasks._engine import Notify
from tasks._prefect import PrefectEngine, without_heartbeat  # sets Prefect's environment, so it comes before prefect

from prefect import flow  # isort: skip
from prefect.artifacts import create_markdown_artifact  # isort: skip
from prefect.client.schemas.objects import State  # isort: skip
from prefect.states import Completed, Failed  # isort: skip

from assay.errors import UserError
from assay.model.run import RunOutcome, RunRequest
from assay.stores.goldsets import root_for
from assay.stores.home import assay_home
from flows.suite_run import run_suite

LISTENER: ContextVar[Notify | None] = ContextVar("LISTENER", default=None)
"""Who is told about each finished stage."""
OUTCOME: ContextVar[list[RunOutcome | UserError] | None] = ContextVar("OUTCOME", default=None)
"""Where an in-process caller receives the outcome; the flow's state holds only its headline."""


@flow(name="evaluate", flow_run_name="{suite}", persist_result=False)
def evaluate(  # noqa: PLR0913, PLR0917  # each parameter is a field of the form in Prefect's UI
    suite: str = "extraction",
    gold_version: str | None = None,
    providers: list[str] | None = None,
    mode: Literal["replay", "record", "live"] = "replay",
    sample: int | None = None,
    seed: int = 0,
    overrides: list[str] | None = None,
    out: str | None = None,
    repeat: int = 1,
    refresh: bool = False,
    max_requests: int | None = None,
    max_usd: float | None = None,
    max_minutes: float | None = None,
    goldset: str | None = None,
) -> State[dict[str, str]]:
    """Evaluate one suite; a gate that fails is a Failed run whose message is the verdict's first line."""
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
    root = root_for(Path.cwd(), goldset)
    home = assay_home(root, os.environ)
    received = OUTCOME.get()
    try:
        engine = PrefectEngine(home, LISTENER.get())
        outcome = run_suite(request, root, home, engine, engine_name="prefect", environ=os.environ)
    except UserError as error:
        if received is not None:
            received.append(error)
        return Failed(message=str(error))
    if received is not None:
        received.append(outcome)
    create_markdown_artifact(outcome.markdown, key=f"report-{suite}", description=outcome.headline)
    data = {"verdict": outcome.verdict, "run_id": outcome.run_id, "folder": outcome.folder}
    if outcome.verdict == "PASS":
        return Completed(message=outcome.headline, data=data)
    name = "NoVerdict" if outcome.verdict == "NO VERDICT" else "Failed"
    return Failed(message=outcome.headline, data=data, name=name)


def evaluate_here(request: RunRequest) -> State[dict[str, str]]:
    """The flow in this process, for whoever waits for it. Only what asks a model takes long enough to need a heartbeat."""
    fields = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(request).items()}
    with without_heartbeat() if request.mode == "replay" else nullcontext():
        return cast(State[dict[str, str]], evaluate(**fields, return_state=True))
