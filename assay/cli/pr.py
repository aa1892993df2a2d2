"""`assay pr`: a change held against its merge base, as a workflow runs it for every pull request."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.workspace import Workspace, workspace

if TYPE_CHECKING:
    from assay.change import ChangeOutcome
    from assay.errors import UserError
    from assay.model.run import RunOutcome
    from flows.change import Change


@click.command()
@click.option("--base", metavar="REV", required=True, help="Branch or commit that the change is to be merged into.")
@click.option("--pr-body", type=click.Path(dir_okay=False), help="File with the pull request's text, for acknowledgements.")
@click.option("--every", is_flag=True, help="Run every suite, also those that the change cannot touch.")
@click.option(
    "--sabotage", is_flag=True, help="Put the gate on trial where gold set, declaration or code of a suite are touched."
)
@click.option("--out", type=click.Path(file_okay=False), help="Folder for comment, summary, JUnit and each suite's report.")
@click.option("--offline", is_flag=True, help="No Prefect API: the same stages, keys and artifacts.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON instead of the comment.")
def pr(  # one parameter per option
    base: str, *, pr_body: str | None, every: bool, sabotage: bool, out: str | None, offline: bool, as_json: bool
) -> int:
    """Judge what changed since the merge base with REV: suites it can touch, contracts, and what makes passing easier.

    The comment for the pull request goes to stdout, each suite's verdict to stderr as it ends.
    """
    from assay.reading import text_of
    from assay.reporting.change_files import change_files
    from assay.stores.files import read_file
    from flows.change import Change

    place = workspace()
    body = text_of(read_file(Path(pr_body), pr_body), pr_body) if pr_body else ""
    change = Change(base, body, every, sabotage, str(Path(out).absolute()) if out else None)
    outcome = _offline(change, place) if offline else _with_prefect(change, place)
    files = change_files(outcome)
    if change.out is not None:
        _write(Path(change.out), files)
    click.echo(files["change.json" if as_json else "comment.md"].decode(), nl=False)
    return outcome.exit_code


def _offline(change: Change, place: Workspace) -> ChangeOutcome:
    from flows.change import judge_change
    from flows.suites_run import Runner
    from tasks._engine import Engine

    return judge_change(change, Runner(place.root, place.home, place.environ, "offline", lambda: Engine(place.home), _tell))


def _with_prefect(change: Change, place: Workspace) -> ChangeOutcome:
    from assay.cli.run import prepare_prefect
    from assay.errors import Problem, UsageError, UserError

    prepare_prefect(place)
    from flows.pull_request import OUTCOME, TOLD, pull_request
    from tasks._prefect import without_heartbeat

    received: list[ChangeOutcome | UserError] = []
    OUTCOME.set(received)
    TOLD.set(_tell)
    with without_heartbeat():
        state = pull_request(**vars(change), return_state=True)
    if not received:
        raise UsageError(Problem("Prefect", f"the run did not finish ({state.message})", remedy="Try `--offline`."))
    if isinstance(received[0], UserError):
        raise received[0]
    return received[0]


def _tell(name: str, result: RunOutcome | UserError) -> None:
    from assay.model.run import RunOutcome
    from assay.reporting.terminal import one_line

    told = result.headline if isinstance(result, RunOutcome) else f"ERROR {name}: {result.problems[0]}"
    click.echo(one_line(told), err=True)


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """All files into the folder. Raises UsageError where they cannot be written."""
    from assay.errors import Problem, UsageError
    from assay.stores.files import write_atomically

    for name, data in files.items():
        try:
            write_atomically(folder / name, data)
        except OSError as error:
            what = f"{name} cannot be written ({error.strerror})"
            raise UsageError(Problem("--out", what, str(folder), "a folder to write into")) from None
