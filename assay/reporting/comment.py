"""The pull request's comment: verdict first, then where the numbers come from, what moved, and what is to be acknowledged.

Short enough to be read: what is long is folded, and lists share what lines are left. All text that comes from elsewhere goes
through `quoted`, and stands where Markdown is read: after a summary an empty line ends the fold's HTML.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from assay.change import UNCHANGED, ChangeOutcome, SuiteChange
from assay.errors import UserError
from assay.model.report import Report
from assay.model.suite import SUBJECT
from assay.model.verdict import Check
from assay.reporting.build import deciding_checks, provenance
from assay.reporting.comment_findings import acknowledgement_lines, finding_lines
from assay.reporting.comment_numbers import case_lines, number_lines
from assay.reporting.quoted import quiet, quiet_code
from assay.reporting.run_report import report_of

MARKER = "<!-- assay -->"
"""By this first line the comment is found again, so that it is updated and not repeated."""
LINES = 59
"""At most so many lines, while there are not too many suites for it."""
SIZE = 60_000
"""Above this a forge may refuse a comment, so the numbers are left to the reports."""
EASIER = "easier."
_LEFT_OUT = ("", "The numbers are too many for a comment; they stand in each suite's report.")
_HEADER = 2
"""How many lines stand above a list."""
_OVERFLOW = 30
"""How many items the last line of a list may hold."""
_INPUTS = 3
_CELL = 160


def comment_text(outcome: ChangeOutcome) -> str:
    """The whole comment, ending in a newline."""
    reports = {name: report for name, change in outcome.suites.items() if (report := report_of(change)) is not None}
    head, limits = list(_head(outcome, reports)), _folded("What these numbers do not prove", _limits(reports))
    numbers = _folded("Numbers: what is gated, over what, and how it moved", number_lines(outcome))
    told = _told(list(_lists(outcome)), LINES - sum(map(len, (head, numbers, limits))))
    text = "\n".join([*head, *told, *numbers, *limits, ""])
    return text if len(text) <= SIZE else "\n".join([*head, *told, *_LEFT_OUT, *limits, ""])


def unkept_of(change: SuiteChange) -> list[Check]:
    """Deciding checks that were not kept, of the change and of its run; broken ones first."""
    report = report_of(change)
    run = [c.model_copy(update={"name": f"{place}{c.name}"}) for place, c in deciding_checks(report)] if report else []
    found = [check for check in (*change.checks, *run) if check.status != "kept"]
    return sorted(found, key=lambda check: check.status != "broken")


def _head(outcome: ChangeOutcome, reports: Mapping[str, Report]) -> Iterator[str]:
    yield MARKER
    yield f"## {outcome.verdict} · change since {quiet_code(outcome.base[:12])}"
    yield ""
    yield quiet(outcome.headline)
    yield ""
    yield from (f"- {quiet_code(name)}: {_provenances(report)}" for name, report in reports.items())
    yield from [""] if reports else []
    yield "| suite | verdict | touched by | first reason |"
    yield "|---|---|---|---|"
    yield from (_row(name, change) for name, change in outcome.suites.items())
    yield from (f"| {quiet_code(name)} | | removed by this change | |" for name in outcome.removed)


def _provenances(report: Report) -> str:
    told = [provenance(name, provider) for name, provider in report.providers.items() if provider.role == SUBJECT]
    overrides = [f"**{quiet(override)}**" for override in report.facts.overrides]
    return " ".join([*map(quiet, told), *overrides])


def _row(name: str, change: SuiteChange) -> str:
    reasons = _reasons(change)
    first = quiet(reasons[0], _CELL) if reasons else ""
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return f"| {quiet_code(name)} | {change.verdict} | {_touched(change)} | {first}{more} |"


def _touched(change: SuiteChange) -> str:
    """Which of what the suite's run follows from differs, and what that means for it."""
    if change.is_new:
        return "a new suite, gated on its own baseline"
    if not change.inputs:
        if change.result is not None:
            return "nothing: unchanged, run all the same"
        what = "nothing: unchanged" if change.verdict == UNCHANGED else "nothing that its run rests on"
        return f"{what}, not run; contract and policy checked"
    shown = ", ".join(quiet(name, _CELL) for name in change.inputs[:_INPUTS])
    more = f" and {len(change.inputs) - _INPUTS} more" if len(change.inputs) > _INPUTS else ""
    cases = f"; {len(change.added)} new case{'' if len(change.added) == 1 else 's'}" if change.added else ""
    return f"{shown}{more}{cases}{', gated on the baseline of this change' if cases else ''}"


def _reasons(change: SuiteChange) -> list[str]:
    """Why the suite's verdict is not PASS, the gravest first."""
    unkept = unkept_of(change)
    easier = sum(check.name.startswith(EASIER) for check in unkept)
    told = [f"{check.name}: {check.message}" for check in unkept if not check.name.startswith(EASIER)]
    open_findings = f"{easier} finding{' is' if easier == 1 else 's are'} not acknowledged"
    return [*_errors(change), *([open_findings] if easier else []), *told]


def _errors(change: SuiteChange) -> list[str]:
    return [str(problem) for problem in change.result.problems] if isinstance(change.result, UserError) else []


def _lists(outcome: ChangeOutcome) -> Iterator[tuple[str, list[str]]]:
    yield "To be undone, or acknowledged in the pull request's text", finding_lines(outcome.settled)
    yield "Not kept", list(_not_kept(outcome))
    notes = [f"{quiet_code(name)}: {quiet(note)}" for name, change in outcome.suites.items() for note in change.notes]
    yield "Acknowledgements in the pull request", acknowledgement_lines(outcome.settled)
    yield "Notes", notes
    yield "By case", [line for change in outcome.suites.values() for line in case_lines(change)]


def _not_kept(outcome: ChangeOutcome) -> Iterator[str]:
    """What was not kept besides the findings, which have a list of their own."""
    for name, change in outcome.suites.items():
        yield from (f"ERROR {quiet_code(name)}: {quiet(error)}" for error in _errors(change))
        for check in unkept_of(change):
            if not check.name.startswith(EASIER):
                yield f"{check.status} {quiet_code(name)} {quiet_code(check.name)}: {quiet(check.message)}"
    for check in outcome.loose:
        if check.status != "kept" and not check.name.startswith(EASIER):
            yield f"{check.status} {quiet_code(check.name)}: {quiet(check.message)}"


def _limits(reports: Mapping[str, Report]) -> list[str]:
    """Each limit once, with the suites that it holds for."""
    suites: dict[str, list[str]] = defaultdict(list)
    for name, report in reports.items():
        for limit in report.limits:
            suites[limit].append(name)
    limits: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for limit, names in suites.items():
        limits[tuple(names)].append(quiet(limit))
    return [f"- {', '.join(map(quiet_code, names))}: {' '.join(told)}" for names, told in limits.items()]


def _told(lists: Sequence[tuple[str, Sequence[str]]], room: int) -> list[str]:
    """The lists that hold something, in so many lines: one item's for each at least, then in turn what is left."""
    filled = [(title, items) for title, items in lists if items]
    lines = [1 for _ in filled]
    left = room - (_HEADER + 1) * len(filled)
    while left > 0 and any(count < len(items) for count, (_, items) in zip(lines, filled, strict=True)):
        for place, (_, items) in enumerate(filled):
            if lines[place] < len(items) and left > 0:
                lines[place] += 1
                left -= 1
    return [line for (title, items), count in zip(filled, lines, strict=True) for line in _list(title, items, count)]


def _list(title: str, items: Sequence[str], lines: int) -> Iterator[str]:
    """The list in so many lines; the last holds all that is left."""
    yield ""
    yield f"**{title}**"
    yield from (f"- {item}" for item in items[: lines - 1])
    rest = items[lines - 1 :]
    lost = len(rest) - _OVERFLOW
    yield f"- {'<br>'.join(rest[:_OVERFLOW])}{f'<br>and {lost} more, in change.json' if lost > 0 else ''}"


def _folded(title: str, lines: Sequence[str]) -> list[str]:
    return ["", f"<details><summary>{title}</summary>", "", *lines, "", "</details>"] if lines else []
