"""`assay record`: make a provider's recording."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.workspace import GOLDSET, Workspace, workspace

if TYPE_CHECKING:
    from assay.model.suite import Provider
    from assay.stores.goldsets import Source
    from flows.recording import Asking, Plan


@click.command()
@click.argument("suite")
@click.option("--provider", "name", required=True, metavar="NAME", help="The provider to record.")
@click.option("--gold-version", metavar="VERSION", help="Gold-set version.  [default: the newest]")
@GOLDSET
@click.option("--oracle", is_flag=True, help="Answer with the expectations: proves the plumbing, asks no model.")
@click.option("--only-missing", is_flag=True, help="Keep recorded replies that still fit.  [after an interruption: always]")
@click.option("--retry-failed", is_flag=True, help="Ask again what ended without an answer.")
@click.option("--max-requests", type=click.IntRange(min=1), metavar="N", help="Stop after N requests, retries included.")
@click.option("--max-usd", type=click.FloatRange(min=0), metavar="USD", help="Stop before more than this is spent.")
@click.option("--max-minutes", type=click.FloatRange(min=0), metavar="MIN", help="Stop after this time.")
def record(  # noqa: PLR0913  # one parameter per option
    suite: str,
    *,
    name: str,
    gold_version: str | None,
    goldset: str | None,
    oracle: bool,
    only_missing: bool,
    retry_failed: bool,
    max_requests: int | None,
    max_usd: float | None,
    max_minutes: float | None,
) -> None:
    """Record a provider's replies for every case of SUITE.

    An interrupted or limited recording is taken up where it stopped; the committed one is replaced when all is there.
    """
    from assay.providers.budget import Budget, Limits
    from assay.reporting.asking import told_on_stderr
    from assay.stores.goldsets import open_suite
    from flows.chain import selected
    from flows.recording import Asking, record_oracle
    from flows.targets import record_target

    place = workspace(goldset)
    folder = Path(goldset) if goldset else None
    source = open_suite(place.root, suite, gold_version, goldset=folder, calibrating=True)
    provider = selected(source, (name,))[name]
    if provider.target:
        budget = Budget(Limits(max_requests, max_usd, max_minutes), None)
        asking = Asking(place.environ, budget, progress=told_on_stderr(name))
        manifest_of_target = record_target(source, name, provider, place.home, datetime.now(UTC), asking)
        click.echo(
            f"{name}: {manifest_of_target.body.rows} rows of {manifest_of_target.model_served}, kind "
            f"{manifest_of_target.cassette_kind}."
        )
    elif oracle:
        manifest = record_oracle(source, name, provider, place.home, datetime.now(UTC))
        click.echo(
            f"{name}: {manifest.cassette.rows} replies made from the expectations ({manifest.cassette_kind}); "
            "they prove the plumbing, not the model."
        )
    else:
        budget = Budget(Limits(max_requests, max_usd, max_minutes), None)
        asking = Asking(place.environ, budget, only_missing, retry_failed, _announce)
        if not record_and_report(source, name, provider, place, asking):
            return
    click.echo(f'Publish a run with `assay baseline update {suite} --provider {name} --from latest --reason "..."`.')


def record_and_report(source: Source, name: str, provider: Provider, place: Workspace, asking: Asking) -> bool:
    """Record with a progress bar, or lines where stderr is no terminal; returns whether the recording is whole."""
    from dataclasses import replace

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from assay.reporting.asking import told_on_stderr
    from flows.recording import record_live

    tell, lines = asking.announce, told_on_stderr(name)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"recording {name}", total=None)

        def announce(plan: Plan) -> None:
            bar.update(task, total=plan.planned, completed=plan.recorded)
            tell(plan)

        def progress(done: int, of: int) -> None:
            bar.advance(task)
            if bar.disable:
                lines(done, of)

        asking = replace(asking, announce=announce, progress=progress)
        result = record_live(source, name, provider, place.home, datetime.now(UTC), asking)
    if result.manifest is None:
        click.echo(
            f"{name}: stopped ({result.stopped}); {result.asked} requests recorded now, {result.left} left. "
            "The committed recording is as it was; run the same command to go on."
        )
        return False
    click.echo(
        f"{name}: {result.manifest.cassette.rows} outcomes ({result.asked} asked now, {result.failed} without an answer), "
        f"kind {result.manifest.cassette_kind}, served by {result.manifest.model_served}."
    )
    return True


def _announce(plan: Plan) -> None:
    limits = plan.limits
    budget = [
        f"{limits.max_requests} requests" if limits.max_requests is not None else "",
        f"{limits.max_usd:g} USD" if limits.max_usd is not None else "",
        f"{limits.max_minutes:g} minutes" if limits.max_minutes is not None else "",
    ]
    told = ", ".join(filter(None, budget)) or "none"
    click.echo(
        f"{plan.provider}: {plan.to_ask} of {plan.planned} requests to ask, {plan.recorded} recorded; about "
        f"{plan.prompt_tokens:,} prompt tokens, at most {plan.worst_usd:.2f} USD; budget: {told}",
        err=True,
    )
