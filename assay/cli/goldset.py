"""`assay list`, `assay audit`, `assay calibrate`: what there is, on trial, and its thresholds measured."""

from __future__ import annotations

import json

import click

from assay.cli.workspace import workspace


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_suites(*, as_json: bool) -> None:
    """List the suites, their versions and providers."""
    from assay.stores.goldsets import open_suite, suites_in

    place = workspace()
    found = [(name, v) for name, versions in suites_in(place.root).items() for v in versions]
    suites = [open_suite(place.root, name, version).suite for name, version in found]
    if as_json:
        fields = {"suite", "version", "kind", "title", "synthetic", "providers"}
        click.echo(json.dumps([s.model_dump(mode="json", include=fields) for s in suites], indent=2, ensure_ascii=False))
        return
    for suite in suites:
        providers = ", ".join(f"{name} ({provider.enforcement})" for name, provider in suite.providers.items())
        click.echo(f"{suite.suite} {suite.version}  {suite.kind}  {suite.title}  [{providers}]")


@click.command()
@click.argument("suite")
@click.option("--gold-version", metavar="VERSION", help="Gold-set version.  [default: the newest]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def audit(suite: str, *, gold_version: str | None, as_json: bool) -> int:
    """Put SUITE's gold set on trial: counts, near-duplicates, balance, doubtful labels. Exit 1 on a fault."""
    from assay.model.ports import audit_part
    from assay.reporting.console import print_audit
    from assay.stores.goldsets import open_suite

    source = open_suite(workspace().root, suite, gold_version)
    part = audit_part(source.suite.kind)
    files = {role: (f"{source.shown}/{name}", data) for role, (name, data) in source.files.items() if role in part.FILES}
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
def calibrate(suite: str, *, gold_version: str | None) -> None:
    """Measure SUITE's thresholds anew and write them beside its gold set."""
    from assay.model.ports import calibration_part
    from assay.stores.code import code_digest
    from assay.stores.files import write_atomically
    from assay.stores.goldsets import open_suite

    source = open_suite(workspace().root, suite, gold_version, calibrating=True)
    part = calibration_part(source.suite.kind)
    files = {role: (f"{source.shown}/{name}", data) for role, (name, data) in source.files.items()}
    data = part.calibrate(files, code_digest(*part.CODE))
    path = source.folder / source.suite.files["calibration"]
    write_atomically(path, data)
    click.echo(data.decode().rstrip())
    click.echo(f"written to {source.shown}/{path.name}")
