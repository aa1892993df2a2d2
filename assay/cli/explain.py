"""`assay explain`: why a case has its score, or a metric its value."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.workspace import GOLDSET, workspace


@click.command()
@click.argument("run")
@click.argument("case", required=False)
@click.option("--metric", metavar="NAME", help="A metric of the run, in the place of a case.")
@click.option("--provider", metavar="NAME", help="Whose.  [default: every gated subject]")
@GOLDSET
def explain(run: str, case: str | None, *, metric: str | None, provider: str | None, goldset: str | None) -> None:
    """Why CASE has its score in RUN, or a metric its value: in sentences, with the numbers.

    RUN is a run id, a folder with report.json, or latest.
    """
    from assay.errors import Problem, UsageError
    from assay.reporting.terminal import harmless
    from flows.explain import Desk, explained_case, explained_metric

    place = workspace(goldset)
    desk = Desk(place.root, place.home, Path(goldset) if goldset else None)
    if case is not None and metric is None:
        text = explained_case(run, case, provider, desk)
    elif metric is not None and case is None:
        text = explained_metric(run, metric, provider, desk)
    else:
        given = f"{case} and --metric {metric}" if case is not None else None
        raise UsageError(Problem("assay explain", "wants a case or a metric", given, "RUN CASE or RUN --metric NAME"))
    click.echo(harmless(text), nl=False)
