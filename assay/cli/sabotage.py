"""`assay sabotage`: a suite's own pipeline under deliberate defects, each of which the right check must notice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.workspace import GOLDSET, workspace

if TYPE_CHECKING:
    from assay.sabotage.matrix import Matrix


@click.command()
@click.argument("suite", required=False)
@click.option("--all", "every", is_flag=True, help="Every suite of the project, two at a time.")
@click.option(
    "--defect", "only", multiple=True, metavar="NAME", help="Only this defect; may be repeated. No inverted controls."
)
@click.option("--verbose", is_flag=True, help="Also list what was killed, by which check and from which strength on.")
@click.option("--gold-version", metavar="VERSION", help="Gold-set version, such as v1.  [default: the newest]")
@GOLDSET
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def sabotage(  # one parameter per option
    suite: str | None,
    *,
    every: bool,
    only: tuple[str, ...],
    verbose: bool,
    gold_version: str | None,
    goldset: str | None,
    as_json: bool,
) -> int:
    """Run SUITE again and again with one defect each, and demand that the right check notices.

    Exits 1 when a defect survives that suite.yaml does not declare, when a declared one is noticed after all, or when a change
    that must not matter does.
    """
    import time

    from assay.errors import Problem, UsageError
    from assay.model.run import plural
    from assay.sabotage.text import matrix_text
    from assay.stores.goldsets import open_suite, suites_in
    from flows.sabotage.running import all_sabotaged, matrices_json, sabotaged

    if every == (suite is not None):
        raise UsageError(Problem("assay sabotage", "wants one suite or all of them", suite, "SUITE or --all"))
    if every and (only or gold_version or goldset):
        raise UsageError(Problem("--all", "goes with no option of one suite", expected="--json or --verbose"))
    start, place, cached = time.perf_counter(), workspace(goldset), list[bool]()

    def told(matrix: Matrix, was_cached: bool) -> None:  # a callback's second word
        cached.append(was_cached)
        if not as_json:
            click.echo(matrix_text(matrix, every=verbose))

    if suite is None:
        names = list(suites_in(place.root))
        if not names:
            raise UsageError(Problem("goldsets/", "holds no suite", expected="at least one goldsets/NAME/vN/suite.yaml"))
        matrices = all_sabotaged(place.root, names, place.home, told)
    else:
        source = open_suite(place.root, suite, gold_version, goldset=Path(goldset) if goldset else None)
        matrix, known = sabotaged(source, place.home, only)
        told(matrix, known)
        matrices = [matrix]
    if as_json:
        click.echo(matrices_json(matrices))
    else:
        seconds = time.perf_counter() - start
        click.echo(f"{plural(len(matrices), 'suite')}, {sum(cached)} from the cache, {seconds:.1f} s")
    return 0 if all(matrix.is_as_declared for matrix in matrices) else 1
