"""`assay cache gc`: sweep what has not been used lately."""

from __future__ import annotations

import time

import click

from assay.cli.workspace import workspace


@click.group()
def cache() -> None:
    """What runs keep so that they need not be computed again."""


@cache.command()
@click.option("--days", type=click.FloatRange(min=0), default=30, show_default=True, help="Keep what was used in this time.")
@click.option("--keep-runs", type=click.IntRange(min=0), default=20, show_default=True, help="Keep this many finished runs.")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
def gc(*, days: float, keep_runs: int, dry_run: bool) -> None:
    """Remove stage results, artifacts and runs that have not been used lately. Costs time later, loses nothing."""
    from assay.stores.sweep import sweep

    swept = sweep(workspace().home, now=time.time(), max_age_s=days * 86_400, keep_runs=keep_runs, dry_run=dry_run)
    verb = "would remove" if dry_run else "removed"
    click.echo(f"{verb} {swept.entries} stage results, {swept.artifacts} artifacts, {swept.runs} runs; {swept.bytes:,} bytes")
