"""`assay record`: make a provider's recording."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from assay.cli.workspace import workspace


@click.command()
@click.argument("suite")
@click.option("--provider", required=True, metavar="NAME", help="The provider to record.")
@click.option("--gold-version", metavar="VERSION", help="Gold-set version.  [default: the newest]")
@click.option("--oracle", is_flag=True, help="Answer with the expectations: proves the plumbing, asks no model.")
def record(suite: str, *, provider: str, gold_version: str | None, oracle: bool) -> None:
    """Record PROVIDER's replies for every case of SUITE."""
    from assay.errors import Problem, UsageError
    from assay.stores.goldsets import open_suite
    from flows.chain import selected
    from flows.recording import record_oracle

    place = workspace()
    source = open_suite(place.root, suite, gold_version)
    declared = selected(source, (provider,))[provider]
    if not oracle:
        raise UsageError(Problem("assay record", "no provider of this release answers live", remedy="Add --oracle."))
    manifest = record_oracle(source, provider, declared, place.home, datetime.now(UTC))
    click.echo(
        f"{provider}: {manifest.cassette.rows} replies made from the expectations ({manifest.cassette_kind}); "
        "they prove the plumbing, not the model."
    )
    click.echo(f'Publish a run with `assay baseline update {suite} --provider {provider} --from latest --reason "..."`.')
