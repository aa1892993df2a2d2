"""What a person sees in the terminal."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from assay.errors import UserError
from assay.model.audit import Audit
from assay.model.report import ProviderReport, Report, RunFacts
from assay.model.run import RunOutcome, StageRun, SuitesOutcome, plural, verdict_of
from assay.model.suite import SUBJECT
from assay.model.verdict import Check
from assay.reporting.ages import ages_lines
from assay.reporting.build import provenances
from assay.reporting.figures import (
    change_text,
    compared_text,
    count_text,
    differences,
    head_to_head_text,
    interval_text,
    is_control,
    power_column,
    power_notes,
    power_text,
    side_by_side,
    value_text,
)
from assay.reporting.terminal import harmless

COLOURS = {
    "PASS": "green",
    "FAIL": "red",
    "NO VERDICT": "yellow",
    "broken": "red",
    "could-not-run": "yellow",
    "kept": "green",
}
UNWRAPPED = 100_000
"""Columns that no line reaches."""
SHOWN = 10
DIFFERENCES = 2
FAILURES = 3
"""How many cases that are not right are told where a check was not kept."""


def stage_line(stage: StageRun) -> str:
    """One finished stage: name, provider, computed or cached, seconds, rows."""
    name = f"{stage.stage} {stage.provider or ''}"
    return f"{name:<24}{'cached' if stage.cached else 'computed':<10}{stage.seconds:>7.2f} s {stage.rows:>7} rows"


def print_report(outcome: RunOutcome, console: Console | None = None) -> None:
    """Verdict and provenance first, then numbers, checks, cases, limits, and where the report lies."""
    report = outcome.parsed or _parsed(outcome.report)
    console = console or _console()
    console.print(f"\n[bold {COLOURS[report.verdict]}]{_text(report.headline)}[/]")
    for told in provenances(report):
        console.print(f"  {_text(told)}")
    _print_ages(console, outcome.report)
    for override in report.facts.overrides:
        console.print(f"  [bold yellow]{_text(override)}[/]")
    print_checks([check for check in report.checks if not is_control(check)], console)
    _print_controls(console, report)
    for name, provider in report.providers.items():
        if provider.role == SUBJECT or any(check.status != "kept" for check in provider.checks):
            _print_provider(console, name, provider, report.facts)
    console.print("\n[bold]What these numbers do not prove[/]")
    for limit in report.limits:
        console.print(f"  - {_text(limit)}")
    page = Path(outcome.folder).absolute() / "report.html"
    console.print(f"\nReport: [link={page.as_uri()}]{_text(str(Path(outcome.folder) / page.name))}[/link]", soft_wrap=True)


def print_suite(name: str, result: RunOutcome | UserError) -> None:
    """One of several suites as it ends: its verdict with where its numbers come from; whole where it is not PASS."""
    console = _console()
    if not isinstance(result, RunOutcome):
        console.print(f"\n[bold red]{verdict_of(result)}[/] {_text(name)}")
        for problem in result.problems:
            console.print(f"  {_text(str(problem))}", soft_wrap=True)
        return
    report = result.parsed or _parsed(result.report)
    if report.verdict != "PASS":
        print_report(result)
        return
    console.print(f"\n[bold green]{_text(report.headline)}[/]")
    for told in provenances(report):
        console.print(f"  {_text(told)}", soft_wrap=True)
    _print_ages(console, result.report)


def print_outcome(outcome: SuitesOutcome) -> None:
    """Several suites at the end: what was not run and why, then the verdict on all in one line."""
    console = _console()
    console.print()
    for name, why in outcome.left_out.items():
        console.print(f"not run  {_text(name)}: {_text(why)}", soft_wrap=True)
    colour = COLOURS.get(outcome.verdict, "red" if outcome.results else "cyan")
    console.print(f"[bold {colour}]{_text(outcome.headline)}[/]", soft_wrap=True)


def _print_ages(console: Console, report: bytes) -> None:
    """How old recordings and baselines are; what is stale stands out."""
    for line in ages_lines(report):
        console.print(f"  [yellow]{_text(line)}[/]" if "STALE" in line else f"  {_text(line)}")


def print_checks(checks: Iterable[Check], console: Console | None = None, *, every: bool = False) -> None:
    """The checks that were not kept, or every one."""
    console = console or _console()
    for check in checks:
        if every or check.status != "kept":
            status = f"[{COLOURS[check.status]}]{check.status:<14}[/]"
            console.print(f"  {status}{_text(check.name)}: {_text(check.message)}", soft_wrap=True)


def print_audit(audit: Audit) -> None:
    """Counts, twins, the effective number, findings and the verdict on the gold set."""
    console = _console()
    console.print(f"[bold]{audit.suite} {audit.version}[/]: {audit.cases} cases, worth {audit.effective_cases} distinct ones")
    for group, counts in audit.counts.items():
        console.print(f"  {group}: {', '.join(f'{_text(name)} {n}' for name, n in counts.items())}")
    console.print(
        f"  near-duplicates over the limit: {len(audit.near_duplicates)}; to be read by a person: {len(audit.review_band)}"
    )
    for pair in audit.review_band[:SHOWN]:
        console.print(f"    {pair.similarity:.2f} {_text(pair.a)} / {_text(pair.b)}")
    if len(audit.review_band) > SHOWN:
        console.print(f"    and {len(audit.review_band) - SHOWN} more, with --json")
    for finding in audit.findings:
        console.print(f"  {_text(finding.title)}")
        for line in finding.lines:
            console.print(f"    {_text(line)}", soft_wrap=True)
    for fault in audit.faults:
        console.print(f"  [red]fault[/] {_text(fault)}", soft_wrap=True)
    console.print(f"[bold {'red' if audit.faults else 'green'}]{plural(len(audit.faults), 'fault')}[/]")


def _print_controls(console: Console, report: Report) -> None:
    """Controls beside the subjects, what each had to show, and the subjects against the positive controls."""
    if not any(provider.role != SUBJECT for provider in report.providers.values()):
        return
    header, *rows = side_by_side(report)
    console.print("\n[bold]Controls[/]")
    if rows:
        _print_table(console, header, rows, left={"provider", "role"})
    print_checks([check for check in report.checks if is_control(check)], console, every=True)
    for found in report.head_to_head:
        console.print(f"  {_text(head_to_head_text(found))}", soft_wrap=True)


def _print_provider(console: Console, name: str, provider: ProviderReport, facts: RunFacts) -> None:
    console.print(f"\n[bold]{_text(name)}[/] {provider.role}, enforcement {provider.enforcement}")
    print_checks(provider.checks, console)
    if not provider.metrics:
        return
    header = ["metric", "value", "rows", "95 % interval", "change", *power_column(provider, facts)]
    rows = [_row(name, provider, facts)[: len(header)] for name in facts.rule.metrics if name in provider.metrics]
    _print_table(console, header, rows, left={"metric", "95 % interval"})
    compared = provider.compared
    kept = sum(check.status == "kept" for check in provider.checks)
    console.print(f"  {kept} of {len(provider.checks)} checks kept; {_text(compared_text(provider))}")
    for told, cases in (("worse", compared.worse), ("better", compared.better), ("new", compared.new)):
        if cases:
            more = f" and {len(cases) - SHOWN} more" if len(cases) > SHOWN else ""
            console.print(f"  {told}: {_text(', '.join(cases[:SHOWN]))}{more}")
    if kept < len(provider.checks):
        _print_failures(console, provider)
    for note in (*power_notes(provider, facts), *provider.notes):
        console.print(f"  note: {_text(note)}")


def _row(metric: str, provider: ProviderReport, facts: RunFacts) -> list[str]:
    value = provider.metrics[metric]
    return [
        metric,
        value_text(value),
        count_text(metric, value),
        interval_text(value),
        change_text(metric, provider, facts),
        power_text(metric, provider, facts),
    ]


def _print_table(console: Console, header: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[str]) -> None:
    """A table that breaks cells between words where the terminal is narrow, the first column last; never within a word."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for place, title in enumerate(header):
        words = " ".join([title, *(row[place] for row in rows)]).split()
        least = max(map(cell_len, words))
        justify: Literal["left", "right"] = "left" if title in left else "right"
        table.add_column(_text(title), justify=justify, min_width=least, no_wrap=place == 0, overflow="fold")
    for row in rows:
        table.add_row(*map(_text, row))
    console.print(table, crop=False)


def _print_failures(console: Console, provider: ProviderReport) -> None:
    """A few cases that are not right, and why; all of them stand in the report."""
    for case, failed in list(provider.failed.items())[:FAILURES]:
        reason = (failed.reason or "").strip().splitlines()
        told = "; ".join([*reason[-1:], *differences(failed, DIFFERENCES)]) or failed.status
        console.print(f"  {_text(case)}: {_text(told)}", soft_wrap=True)
    if len(provider.failed) > FAILURES:
        console.print(f"  and {len(provider.failed) - FAILURES} more cases are not right, in report.json and junit.xml")


def _parsed(data: bytes) -> Report:
    value = json.loads(data)
    value.pop("timing")
    return Report.model_validate_json(json.dumps(value))


def _text(text: str) -> str:
    """Text from outside as it may stand in the terminal: neither markup nor control characters."""
    return escape(harmless(text))


def _console() -> Console:
    """Wraps at the width of a terminal; in a file or a pipe every line stays whole."""
    console = Console(highlight=False, emoji=False)
    if not console.file.isatty():
        console.width = UNWRAPPED
    return console
