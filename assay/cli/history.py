"""`assay history`: how a suite's numbers went over its runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.workspace import GOLDSET, workspace

if TYPE_CHECKING:
    from assay.model.history import History
    from assay.model.suite import Suite


@click.command()
@click.argument("suite")
@click.option("--metric", metavar="NAME", help="Which metric.  [default: the first that the suite gates]")
@click.option("--provider", metavar="NAME", help="Only this provider.")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the newest N lines of each provider.")
@GOLDSET
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def history(
    suite: str, *, metric: str | None, provider: str | None, last: int | None, goldset: str | None, as_json: bool
) -> None:
    """Show how a metric of SUITE went over its runs, with intervals.

    Where gold set, prompt, schema, kind of recording or measures changed, the trend starts again.
    """
    from assay.model.ports import scoring_part
    from assay.reporting.history import history_text, history_value
    from assay.stores.goldsets import open_suite
    from assay.stores.history import history_file, read
    from assay.stores.home import evidence_home

    place = workspace(goldset)
    folder = evidence_home(place.root, place.environ)
    declared = open_suite(place.root, suite, goldset=Path(goldset) if goldset else None, calibrating=True).suite
    found = read(folder, suite)
    chosen = _metric(metric, declared, found)
    found = _of_provider(provider, declared, found)
    if as_json:
        click.echo(json.dumps(history_value(suite, chosen, found, last=last), indent=2, ensure_ascii=False))
    elif not found.lines:
        click.echo(_nothing(declared, provider, history_file(folder, suite), found))
    else:
        measure = scoring_part(declared.kind).measures(declared.options).get(chosen)
        direction = measure.direction if measure else None
        click.echo(history_text(suite, chosen, found, direction=direction, last=last), nl=False)


def _metric(asked: str | None, declared: Suite, found: History) -> str:
    """The metric to show. Raises UsageError for one that was never gated."""
    from assay.reporting.trend import metrics_in

    if asked is None:
        return declared.gate.metrics[0]
    return _known("--metric", "unknown metric", asked, [*declared.gate.metrics, *metrics_in(found.lines)])


def _of_provider(asked: str | None, declared: Suite, found: History) -> History:
    """The history of one provider, or the whole. Raises UsageError for a provider that there never was."""
    from dataclasses import replace

    if asked is None:
        return found
    _known("--provider", "unknown provider", asked, [*declared.subjects, *(line.provider for line in found.lines)])
    return replace(found, lines=tuple(line for line in found.lines if line.provider == asked))


def _known(option: str, what: str, name: str, known: Sequence[str]) -> str:
    from assay.errors import Problem, UsageError, nearest

    names = list(dict.fromkeys(known))
    if name not in names:
        raise UsageError(Problem(option, what, name, f"one of {', '.join(names)}", nearest(name, names)))
    return name


def _nothing(declared: Suite, provider: str | None, path: Path, found: History) -> str:
    whose = f"provider {provider} of {declared.suite}" if provider else declared.suite
    damaged = f" {found.unreadable} of its lines could not be read." if found.unreadable else ""
    return (
        f"There is no history of {whose} in {path}.{damaged} Every run with numbers adds a line: `assay run {declared.suite}`."
    )
