"""`assay baseline update` and `assay gate`: publish a run's numbers, or judge a finished run again."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from assay.cli.workspace import GOLDSET, workspace


@click.group()
def baseline() -> None:
    """The committed numbers that runs are compared with."""


@baseline.command()
@click.argument("suite")
@click.option("--provider", required=True, metavar="NAME", help="Whose block to replace.")
@click.option("--from", "run", default="latest", show_default=True, metavar="RUN", help="Run id, folder or latest.")
@GOLDSET
@click.option("--reason", required=True, help="Why the new numbers are right; kept in the baseline.")
def update(suite: str, *, provider: str, run: str, reason: str, goldset: str | None) -> None:
    """Take PROVIDER's numbers from a finished run of SUITE into its baseline."""
    from assay.errors import Problem, UsageError
    from assay.publication import updated
    from assay.stores.baselines import read_baseline, write_baseline
    from assay.stores.goldsets import open_suite
    from assay.stores.runs import read_report, run_folder

    place = workspace(goldset)
    folder = run_folder(place.home, run)
    report = read_report(folder)
    if report.facts.suite != suite:
        raise UsageError(Problem(f"run {run}", "is of another suite", report.facts.suite, suite))
    source = open_suite(place.root, suite, report.facts.version, goldset=Path(goldset) if goldset else None)
    old = read_baseline(source.folder, source.shown)
    new, difference = updated(
        old,
        report,
        provider,
        run_id=folder.name,
        reason=reason,
        today=datetime.now(UTC).date().isoformat(),
        declared={name: declared.enforcement for name, declared in source.suite.subjects.items()},
    )
    write_baseline(source.folder, new)
    click.echo(f"{source.shown}/baseline.json: {provider} from run {folder.name}")
    click.echo("\n".join(f"  {line}" for line in difference))


@click.command()
@click.argument("run", default="latest")
@click.option("--baseline", "revision", metavar="REV", help="Judge against the baseline of this commit, branch or tag.")
@GOLDSET
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def gate(run: str, *, revision: str | None, goldset: str | None, as_json: bool) -> int:
    """Judge a finished RUN (id, folder or latest) again, against the present baseline or one of the past."""
    from assay.gate import judge
    from assay.model.report import Evidence
    from assay.model.verdict import EXIT_CODES
    from assay.reporting.build import deciding_checks, headline
    from assay.reporting.console import print_checks
    from assay.stores.baselines import baseline_at, read_baseline
    from assay.stores.goldsets import open_suite
    from assay.stores.runs import read_report, run_folder

    place = workspace(goldset)
    report = read_report(run_folder(place.home, run))
    folder = Path(goldset) if goldset else None
    source = open_suite(place.root, report.facts.suite, report.facts.version, goldset=folder)
    found = baseline_at(place.root, source.shown, revision) if revision else read_baseline(source.folder, source.shown)
    evidence = {
        name: Evidence.model_validate(provider.model_dump(include=set(Evidence.model_fields)))
        for name, provider in report.providers.items()
    }
    own = [check for check in report.checks if check.name in {"calibration", "self_test"}]
    declared = {name: provider.enforcement for name, provider in source.suite.subjects.items()}
    judgement = judge(evidence, found, report.facts, own, declared=declared)
    if as_json:
        body = {"verdict": judgement.verdict, "checks": [c.model_dump() for _, c in deciding_checks(judgement)]}
        click.echo(json.dumps(body, indent=2, ensure_ascii=False))
    else:
        click.echo(headline(judgement, report.facts))
        named = [check.model_copy(update={"name": f"{place}{check.name}"}) for place, check in deciding_checks(judgement)]
        print_checks(named, every=True)
    return EXIT_CODES[judgement.verdict]
