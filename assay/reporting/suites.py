"""Several suites at a glance."""

from __future__ import annotations

from assay.model.run import RunOutcome, SuitesOutcome, verdict_of
from assay.reporting.build import provenances
from assay.reporting.markdown import code, plain


def suites_markdown(outcome: SuitesOutcome) -> str:
    """The verdict on all, a row for each suite with its first reason, where its numbers come from, and what was not run."""
    rows = []
    for name, result in outcome.results.items():
        told = result.headline if isinstance(result, RunOutcome) else str(result.problems[0])
        rows.append(f"| {code(name)} | {verdict_of(result)} | {plain(told)} |")
    rows += [f"| {code(name)} | not run | {plain(why)} |" for name, why in outcome.left_out.items()]
    sources = [
        f"- {code(name)}: {plain(told)}"
        for name, result in outcome.results.items()
        if isinstance(result, RunOutcome) and result.parsed is not None
        for told in provenances(result.parsed)
    ]
    return "\n".join([f"## {plain(outcome.headline)}", "", "| suite | verdict | |", "|---|---|---|", *rows, "", *sources, ""])
