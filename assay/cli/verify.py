"""`assay verify`: contract, integrity, calibration, and the oracle policy for a change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.workspace import GOLDSET, workspace

if TYPE_CHECKING:
    from assay.model.verdict import Check
    from assay.stores.goldsets import Source


@click.command()
@click.argument("suite")
@click.option("--gold-version", metavar="VERSION", help="Gold-set version.  [default: the newest]")
@GOLDSET
@click.option("--provider", "providers", multiple=True, metavar="NAME", help="Only this provider; may be repeated.")
@click.option("--changed-files", type=click.Path(dir_okay=False), help="File with the paths a change touches, one a line.")
@click.option("--pr-body", type=click.Path(dir_okay=False), help="File with the pull request's text.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(  # one parameter per option
    suite: str,
    *,
    gold_version: str | None,
    goldset: str | None,
    providers: tuple[str, ...],
    changed_files: str | None,
    pr_body: str | None,
    as_json: bool,
) -> int:
    """Check that SUITE's recordings still belong to its gold set, prompt and schema."""
    from assay.model.verdict import EXIT_CODES, outcome_of
    from assay.reporting.console import print_checks
    from assay.stores.goldsets import open_suite
    from flows.policy import proof_checks
    from flows.suite_run import drift_policy
    from tasks._engine import Engine

    place = workspace(goldset)
    source = open_suite(place.root, suite, gold_version, goldset=Path(goldset) if goldset else None)
    checks, gated = proof_checks(source, providers, Engine(place.home), drift_policy(place.environ))
    if changed_files is not None:
        policy = _policy_checks(source, providers, changed_files, pr_body)
        checks.extend(policy)
        gated.extend(policy)
    outcome = outcome_of(gated)
    if as_json:
        body = {"verdict": outcome, "suite": suite, "checks": [check.model_dump(mode="json") for check in checks]}
        click.echo(json.dumps(body, indent=2, ensure_ascii=False))
    else:
        click.echo(f"{outcome} {suite} {source.suite.version}: {len(checks)} checks")
        print_checks(checks, every=True)
    return EXIT_CODES[outcome]


def _policy_checks(source: Source, names: tuple[str, ...], changed_files: str, pr_body: str | None) -> list[Check]:
    from assay.oracle_policy import changed_paths
    from assay.reading import text_of
    from assay.stores.files import read_file
    from flows.policy import policy_checks

    changed = changed_paths(text_of(read_file(Path(changed_files), changed_files), changed_files), changed_files)
    body = text_of(read_file(Path(pr_body), pr_body), pr_body) if pr_body else ""
    return policy_checks(source, names, changed, body)
