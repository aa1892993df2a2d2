"""What Prefect shows of a run: its name and tags, the reports as artifacts, the verdict as its state."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import tasks._prefect  # noqa: F401  # sets Prefect's environment, so it comes before prefect

from prefect.artifacts import create_markdown_artifact  # isort: skip
from prefect.client.orchestration import get_client  # isort: skip
from prefect.client.schemas.objects import FlowRun, State  # isort: skip
from prefect.context import FlowRunContext  # isort: skip
from prefect.exceptions import PrefectException  # isort: skip
from prefect.flows import Flow  # isort: skip
from prefect.logging import get_logger  # isort: skip
from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, temporary_settings  # isort: skip
from prefect.states import Completed, Failed  # isort: skip

from httpx import HTTPError  # what Prefect's client raises

from assay.change import ChangeOutcome
from assay.errors import UserError
from assay.model.run import RunOutcome, SuitesOutcome, verdict_of
from assay.model.suite import SUBJECT
from assay.reporting.ages import ages_lines
from assay.reporting.comment import comment_text
from assay.reporting.suites import suites_markdown
from flows.webhook import post

DATA = dict[str, Any]
READ_S = 5.0
"""How long the API may take for each answer about a run, before what is known already has to do."""


def shown(result: RunOutcome | UserError, suite: str) -> State[DATA]:
    """One suite: its report as an artifact, tags and name on the flow run, and the state that its verdict means."""
    if isinstance(result, UserError):
        return Failed(message=str(result))
    _artifact(result, suite)
    _labelled(f"{suite} {_version(result)} {_mode(result)}: {result.verdict}", _tags(result))
    data = {"verdict": result.verdict, "run_id": result.run_id, "folder": result.folder}
    return _state(result.verdict, result.headline, data)


def all_shown(outcome: SuitesOutcome, title: str) -> State[DATA]:
    """Several suites: a report each, one table over all, and the state of the worst."""
    finished = {name: result for name, result in outcome.results.items() if isinstance(result, RunOutcome)}
    for name, result in finished.items():
        _artifact(result, name)
    create_markdown_artifact(suites_markdown(outcome), key="verdicts", description=outcome.headline)
    tags = {tag for result in finished.values() for tag in _tags(result) if not tag.startswith("verdict:")}
    _labelled(
        f"{title}: {outcome.verdict}", {*tags, *(f"suite:{name}" for name in outcome.results), f"verdict:{outcome.verdict}"}
    )
    runs = {name: result.run_id for name, result in finished.items()}
    verdicts = {name: verdict_of(result) for name, result in outcome.results.items()}
    return _state(outcome.verdict, outcome.headline, {"verdict": outcome.verdict, "verdicts": verdicts, "runs": runs})


def change_shown(outcome: ChangeOutcome) -> State[DATA]:
    """A change: the report of every suite that was run, the comment, and the state of the verdict."""
    for name, change in outcome.suites.items():
        if isinstance(change.result, RunOutcome):
            _artifact(change.result, name)
    create_markdown_artifact(comment_text(outcome), key="pull-request", description=outcome.headline)
    suites = {f"suite:{name}" for name in outcome.suites}
    _labelled(f"pull request: {outcome.verdict}", {*suites, f"verdict:{outcome.verdict}"})
    verdicts = {name: change.verdict for name, change in outcome.suites.items()}
    return _state(outcome.verdict, outcome.headline, {"verdict": outcome.verdict, "base": outcome.base, "verdicts": verdicts})


def tell_webhook(flow: Flow[..., Any], flow_run: FlowRun, state: State[Any]) -> None:
    """Prefect's hook for a run that failed or crashed: whoever is named in the environment hears of it."""

    def message() -> DATA:
        run, deployment, unread = _read_anew(flow_run)
        return {
            "flow": flow.name,
            "deployment": deployment,
            "flow_run": run.name,
            "flow_run_id": str(run.id),
            "state": state.name,
            "message": state.message,
            "scheduled": run.auto_scheduled,
            "tags": sorted(run.tags),
            "unread": unread,
        }

    get_logger("assay").info(post(os.environ, message))


def _read_anew(flow_run: FlowRun) -> tuple[FlowRun, str | None, str | None]:
    """The run as the API has it, its deployment's name if it has one, and what could not be read if anything could not.

    The hook is given the run as it was at the start, before the flow named and tagged it.
    """
    run, deployment = flow_run, None
    try:
        with temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 0}), get_client({"timeout": READ_S}, sync_client=True) as client:
            run = client.read_flow_run(flow_run.id)
            if run.deployment_id is not None:
                deployment = client.read_deployment(run.deployment_id).name
    except (HTTPError, PrefectException, OSError, RuntimeError, ValueError) as error:
        known = "name and tags are those of the start; " if run is flow_run else ""
        return run, deployment, f"{known}the deployment's name is not known: the API did not tell ({type(error).__name__})"
    return run, deployment, None


def _state(verdict: str, message: str, data: DATA) -> State[DATA]:
    if verdict in {"PASS", "UNCHANGED"}:
        return Completed(message=message, data=data)
    return Failed(message=message, data=data, name={"NO VERDICT": "NoVerdict"}.get(verdict, "Failed"))


def _artifact(result: RunOutcome, suite: str) -> None:
    lines = [*ages_lines(result.report), *([result.sabotage] if result.sabotage else [])]
    text = "\n".join([result.markdown, *(f"- {line}" for line in lines)])
    create_markdown_artifact(text, key=f"report-{suite}", description=result.headline)


def _labelled(name: str, tags: Iterable[str]) -> None:
    """The flow run's name and tags, beside those that it has."""
    context = FlowRunContext.get()
    if context is None or context.flow_run is None:
        return
    run_id: UUID = context.flow_run.id
    with get_client(sync_client=True) as client:
        client.update_flow_run(run_id, name=name, tags=sorted({*context.flow_run.tags, *tags}))


def _tags(result: RunOutcome) -> set[str]:
    report = result.parsed
    if report is None:
        return set()
    facts = report.facts
    providers = {f"provider:{name}" for name, item in report.providers.items() if item.role == SUBJECT and not item.skipped}
    return {f"suite:{facts.suite}", f"version:{facts.version}", f"verdict:{result.verdict}", *providers}


def _version(result: RunOutcome) -> str:
    return result.parsed.facts.version if result.parsed else ""


def _mode(result: RunOutcome) -> str:
    return result.parsed.facts.mode if result.parsed else ""
