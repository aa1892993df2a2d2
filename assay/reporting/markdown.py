"""`report.md`: the report as it fits a pull-request comment, details folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.report import ProviderReport, Report, RunFacts
from assay.model.suite import SUBJECT
from assay.model.verdict import Check
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

SHOWN_CASES = 10
SHOWN_FAILURES = 5
SHOWN_DIFFERENCES = 3
_ESCAPES = str.maketrans({**{sign: f"\\{sign}" for sign in "\\`*_[]|#~"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"})


def markdown_text(report: Report) -> str:
    """The whole text, ending in a newline."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    facts = report.facts
    yield f"## {report.verdict} · {facts.suite} {facts.version}"
    yield ""
    yield plain(report.headline)
    yield ""
    yield from (f"- {plain(told)}" for told in provenances(report))
    yield f"- {facts.cases} {'synthetic ' if facts.synthetic else ''}cases, mode {facts.mode}. {_calibration(facts)}"
    yield from (f"- **{plain(override)}**" for override in facts.overrides)
    unkept = _unkept([check for check in report.checks if not is_control(check)])
    yield from _section("Suite checks that were not kept", unkept)
    yield from _side_by_side(report)
    for name, provider in report.providers.items():
        if provider.role == SUBJECT or _unkept(provider.checks):
            yield from _provider(name, provider, facts)
    yield ""
    yield "### What these numbers do not prove"
    yield from (f"- {plain(limit)}" for limit in report.limits)


def _side_by_side(report: Report) -> Iterator[str]:
    """Controls beside the subjects, what each control had to show, and the subjects against the positive controls."""
    header, *rows = side_by_side(report)
    if not any(provider.role != SUBJECT for provider in report.providers.values()):
        return
    yield ""
    yield "### Controls"
    yield ""
    if rows:
        yield f"| {' | '.join(header)} |"
        yield "|---|---|" + "---:|" * (len(header) - 2)
        yield from (f"| {' | '.join(plain(cell) for cell in row)} |" for row in rows)
        yield ""
    yield from (f"- {check.status} {code(check.name)}: {plain(check.message)}" for check in report.checks if is_control(check))
    yield from _section("Head to head", [plain(head_to_head_text(found)) for found in report.head_to_head])


def _provider(name: str, provider: ProviderReport, facts: RunFacts) -> Iterator[str]:
    yield ""
    yield f"### {name} · {provider.role} · {provider.enforcement}"
    yield from _section("Checks that were not kept", _unkept(provider.checks))
    if not provider.metrics:
        return
    yield ""
    columns = power_column(provider, facts)
    yield f"| {' | '.join(('gated metric', 'value', 'rows', '95 % interval', 'change', *columns))} |"
    yield "|---|---:|---:|---|---:|" + "---:|" * len(columns)
    yield from (_row(metric, provider, facts) for metric in facts.rule.metrics if metric in provider.metrics)
    compared = provider.compared
    yield ""
    changes = f"; {len(compared.worse)} worse, {len(compared.better)} better, {len(compared.new)} new" if compared.cases else ""
    yield f"{compared_text(provider).capitalize()}{changes}."
    yield from _section("Got worse", _named(compared.worse))
    yield from _section("Got better", _named(compared.better))
    yield from _section("Notes", [plain(note) for note in (*power_notes(provider, facts), *provider.notes)])
    yield from _failures(provider)


def _row(metric: str, provider: ProviderReport, facts: RunFacts) -> str:
    value = provider.metrics[metric]
    cells = (
        value_text(value),
        count_text(metric, value),
        interval_text(value),
        change_text(metric, provider, facts),
        *(power_text(metric, provider, facts) for _ in power_column(provider, facts)),
    )
    return f"| {metric} | {' | '.join(plain(cell) for cell in cells)} |"


def _failures(provider: ProviderReport) -> Iterator[str]:
    if not provider.failed:
        return
    yield ""
    yield f"<details><summary>{len(provider.failed)} of {len(provider.cases)} cases are not right</summary>"
    yield ""
    for case, failed in list(provider.failed.items())[:SHOWN_FAILURES]:
        told = "; ".join(filter(None, [failed.reason, *differences(failed, SHOWN_DIFFERENCES)]))
        yield f"- {code(case)} {failed.status}: {plain(told)}"
    if len(provider.failed) > SHOWN_FAILURES:
        yield f"- and {len(provider.failed) - SHOWN_FAILURES} more, in report.json and junit.xml"
    yield ""
    yield "</details>"


def _named(cases: Sequence[str]) -> list[str]:
    """The first cases, and how many there are besides."""
    more = [f"and {len(cases) - SHOWN_CASES} more, in report.json"] if len(cases) > SHOWN_CASES else []
    return [*map(code, cases[:SHOWN_CASES]), *more]


def _section(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield ""
        yield f"**{title}**"
        yield ""
        yield from (f"- {item}" for item in items)


def _unkept(checks: Sequence[Check]) -> list[str]:
    return [f"{check.status} {code(check.name)}: {plain(check.message)}" for check in checks if check.status != "kept"]


def _calibration(facts: RunFacts) -> str:
    found = facts.calibration
    if found is None:
        return "Nothing here rests on a calibrated threshold."
    compared = f" Text compared after {facts.text_normaliser}." if facts.text_normaliser else ""
    return f"{plain(found.summary)}{compared}"


def plain(text: str) -> str:
    """Text of gold sets and models as it may stand in Markdown: one line, and neither markup nor HTML."""
    return " ".join(text.split()).translate(_ESCAPES)


def code(text: str) -> str:
    """A name as a code span."""
    one_line = " ".join(text.split()) or " "
    return f"`{one_line.replace('`', chr(39))}`"
