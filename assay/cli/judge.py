"""`assay judge`: record what a suite's judges say of its subjects' outputs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.workspace import GOLDSET, workspace

if TYPE_CHECKING:
    from flows.judging import Judged
    from flows.recording import Plan


@click.command()
@click.argument("suite")
@click.option("--gold-version", metavar="VERSION", help="Gold-set version.  [default: the newest]")
@GOLDSET
@click.option("--retry-failed", is_flag=True, help="Ask again what ended without an answer.")
@click.option("--max-requests", type=click.IntRange(min=1), metavar="N", help="Stop after N requests, retries included.")
@click.option("--max-usd", type=click.FloatRange(min=0), metavar="USD", help="Stop before more than this is spent.")
@click.option("--max-minutes", type=click.FloatRange(min=0), metavar="MIN", help="Stop after this time.")
def judge(  # one parameter per option
    suite: str,
    *,
    gold_version: str | None,
    goldset: str | None,
    retry_failed: bool,
    max_requests: int | None,
    max_usd: float | None,
    max_minutes: float | None,
) -> None:
    """Ask SUITE's judges about every output that they have not judged, and record what they say.

    What a judge says is advisory: it is reported and gates nothing. An interrupted or limited recording is taken up where it
    stopped (exit 3); the committed one is replaced when every output has an outcome.
    """
    from assay.errors import Incomplete, Problem
    from assay.providers.budget import Budget, Limits
    from assay.reporting.asking import told_on_stderr
    from assay.stores.goldsets import open_suite
    from flows.judging import record_judgements
    from flows.recording import Asking

    place = workspace(goldset)
    folder = Path(goldset) if goldset else None
    source = open_suite(place.root, suite, gold_version, goldset=folder, calibrating=True)
    budget = Budget(Limits(max_requests, max_usd, max_minutes), None)
    asking = Asking(place.environ, budget, retry_failed=retry_failed, announce=_announce, progress=told_on_stderr("judge"))
    found = record_judgements(source, place.home, datetime.now(UTC), asking)
    if found.header is None:
        told = f"stopped ({found.stopped}); {found.asked} judgements recorded now, {found.left} left"
        raise Incomplete(Problem("judge", told, remedy="Run the same command to go on; nothing is asked twice."))
    click.echo(_told(found))


def _announce(plan: Plan) -> None:
    click.echo(
        f"{plan.provider}: {plan.to_ask} of {plan.planned} outputs to judge, {plan.recorded} recorded; about "
        f"{plan.prompt_tokens:,} prompt tokens, at most {plan.worst_usd:.2f} USD",
        err=True,
    )


def _told(found: Judged) -> str:
    header = found.header
    rows, judges = (header.exchanges.rows, header.judges) if header else (0, {})
    served = "; ".join(f"{name} served by {facts.model_served or 'nobody'}" for name, facts in judges.items())
    skipped = f" Not judged, for want of outputs: {', '.join(found.skipped)}." if found.skipped else ""
    return (
        f"{rows} judgements ({found.asked} asked now, {found.failed} without an answer); {served}. They are advisory.{skipped}"
    )
