"""`assay list`, `assay audit`, `assay calibrate`: what there is, on trial, and its thresholds measured."""

from __future__ import annotations

import json
from pathlib import Path

import click

from assay.cli.workspace import GOLDSET, workspace


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_suites(*, as_json: bool) -> int:
    """List the suites, their versions and providers. A suite that cannot be read is told after the others, exit 2."""
    from assay.errors import UserError
    from assay.stores.goldsets import open_suite, suites_in

    place = workspace()
    found = [(name, v) for name, versions in suites_in(place.root).items() for v in versions]
    suites, problems = [], list[str]()
    for name, version in found:
        try:
            suites.append(open_suite(place.root, name, version, calibrating=True).suite)
        except UserError as error:
            problems += [f"error: {problem}" for problem in error.problems]
    if as_json:
        fields = {"suite", "version", "kind", "title", "synthetic", "providers"}
        click.echo(json.dumps([s.model_dump(mode="json", include=fields) for s in suites], indent=2, ensure_ascii=False))
    for suite in [] if as_json else suites:
        providers = ", ".join(f"{name} ({provider.enforcement})" for name, provider in suite.providers.items())
        click.echo(f"{suite.suite} {suite.version}  {suite.kind}  {suite.title}  [{providers}]")
    if problems:
        click.echo("\n".join(problems), err=True)
    return 2 if problems else 0


@click.command()
@click.argument("suite")
@click.option("--gold-version", metavar="VERSION", help="Gold-set version.  [default: the newest]")
@GOLDSET
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def audit(suite: str, *, gold_version: str | None, goldset: str | None, as_json: bool) -> int:
    """Put SUITE's gold set on trial: counts, near-duplicates, balance, doubtful labels. Exit 1 on a fault."""
    from assay.model.ports import EVERY_OTHER, audit_part
    from assay.reporting.console import print_audit
    from assay.stores.goldsets import open_suite
    from assay.stores.targets import make_importable

    source = open_suite(workspace(goldset).root, suite, gold_version, goldset=Path(goldset) if goldset else None)
    make_importable(source.root)
    part = audit_part(source.suite.kind)
    roles = source.files if EVERY_OTHER in part.FILES else [role for role in part.FILES if role in source.files]
    files = {role: (f"{source.shown}/{source.files[role][0]}", source.files[role][1]) for role in roles}
    found = part.audit(files, source.suite.options)
    found = found.model_copy(update={"suite": source.suite.suite, "version": source.suite.version})
    if as_json:
        click.echo(json.dumps(found.model_dump(mode="json"), indent=2, ensure_ascii=False))
    else:
        print_audit(found)
    return 1 if found.faults else 0


@click.command()
@click.argument("suite")
@click.option("--gold-version", metavar="VERSION", help="Gold-set version.  [default: the newest]")
@GOLDSET
def calibrate(suite: str, *, gold_version: str | None, goldset: str | None) -> None:
    """Measure SUITE's constants anew and write them beside its gold set."""
    from assay.stores.files import write_atomically
    from assay.stores.goldsets import open_suite
    from flows.calibration import calibrated

    place = workspace(goldset)
    folder = Path(goldset) if goldset else None
    source = open_suite(place.root, suite, gold_version, goldset=folder, calibrating=True)
    data = calibrated(source, place.home)
    path = source.folder / source.suite.files["calibration"]
    write_atomically(path, data)
    found = json.loads(data)
    click.echo(found["summary"])
    click.echo(f"written to {source.shown}/{path.name}")
