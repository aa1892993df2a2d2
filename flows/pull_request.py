"""The flow of a pull request: every suite replayed, contracts verified, and the change held against its merge base."""

from __future__ import annotations

import os
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from tasks._prefect import PrefectEngine  # sets Prefect's environment, so it comes before prefect

from prefect import flow  # isort: skip
from prefect.client.schemas.objects import State  # isort: skip
from prefect.states import Failed  # isort: skip

from assay.change import ChangeOutcome
from assay.errors import UserError
from assay.stores.goldsets import project_root
from assay.stores.home import assay_home
from flows.change import Change, judge_change
from flows.showing import change_shown, tell_webhook
from flows.suites_run import Runner, Told

TOLD: ContextVar[Told | None] = ContextVar("TOLD", default=None)
"""Who is told about each finished suite."""
OUTCOME: ContextVar[list[ChangeOutcome | UserError] | None] = ContextVar("OUTCOME", default=None)
"""Where an in-process caller receives the outcome."""


@flow(name="evaluate", flow_run_name="pull request", persist_result=False, on_failure=[tell_webhook], on_crashed=[tell_webhook])
def pull_request(
    base: str = "HEAD", body: str = "", every: bool = True, sabotage: bool = True, out: str | None = None
) -> State[dict[str, Any]]:
    """Judge what lies in the worker's folder against its merge base with another commit.

    Args:
        base: The branch or commit that the change is to be merged into; HEAD judges what is not committed.
        body: The pull request's text, with its acknowledgements.
        every: Replay every suite, also those that the change cannot touch.
        sabotage: Put the gate on trial for suites whose gold set, declaration or code the change touches.
        out: Folder for reports and comment, on the worker's machine.
    """
    received = OUTCOME.get()
    try:
        root = project_root(Path.cwd())
        home = assay_home(root, os.environ)
        told = TOLD.get() or (lambda name, result: None)
        runner = Runner(root, home, os.environ, "prefect", lambda: PrefectEngine(home), told)
        outcome = judge_change(Change(base, body, every, sabotage, out), runner)
    except UserError as error:
        if received is not None:
            received.append(error)
        return Failed(message=str(error))
    if received is not None:
        received.append(outcome)
    return change_shown(outcome)
