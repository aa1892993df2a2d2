"""Acknowledgements: what the text of a pull request says about the findings of its change.

A line `ASSAY_ACK: <finding name> <suite>[/<provider or detail>] because <reason>` settles the finding of that name and place.
White space is folded, the keyword and `because` may be written in any case, and the line may stand anywhere in the text: in a
list, in a quotation, after other words, between backticks. The rest is compared exactly.

Several findings of one name and one suite are settled by one line only where it says exactly which: by naming each
(`removed case extraction/ext-001, ext-002`; those that it leaves out stay open) or by their exact number
(`removed case extraction/all 12`; a thirteenth makes it say something wrong, so it settles none). One edit of code that suites
share is a finding in each; `changed gate everywhere/assay.gate` settles that module's in all of them.

What stands in a code fence or in an HTML comment is an example or a template and settles nothing; it is told where it would
have settled something. A line without a reason, or with nothing but dots or `<...>` in its place, settles nothing and is told.
`<SUITE>_EVAL_ORACLE_OK=1` is another spelling of an acknowledgement of `oracle policy` for all providers of that suite.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.errors import nearest
from assay.oracle_policy import exemption_of
from assay.pull_request_text import Line, lines_of
from assay.tampering.finding import KEYWORD, Finding, acknowledgement_of, plain

_SPOKEN = re.compile(rf"(?<!\w){KEYWORD}(?!\w)", re.IGNORECASE)
_BECAUSE = re.compile(r"(?:^|\s)because(?:[\s:]|$)", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"<[^<>]*>")
_ALL = re.compile(r"(?P<group>[^/]+)/all (?P<count>\d{1,9})")
_EVERYWHERE = re.compile(r"(?P<name>[^/]+) everywhere/(?P<detail>[^/,]+)")
_EXEMPTION = re.compile(r"(?<![\w=])[A-Z0-9_]+_EVAL_ORACLE_OK=1(?!\w)")
_MARKUP = re.compile(r"`|\*\*")
_ORACLE = "oracle policy"
SHARED_CODE = frozenset({"changed gate", "changed scorer"})
"""Findings whose detail is a module that several suites may share."""
_SINGLE = 5
"""More findings than this of one name and suite are given as their number."""


@dataclass(frozen=True)
class Told:
    """A line that settles nothing, as it stands in the text, and why not."""

    line: str
    why: str


@dataclass(frozen=True)
class Settled:
    """What is acknowledged, with the reason; what is still open; and lines that settle nothing."""

    acknowledged: tuple[tuple[Finding, str], ...]
    open: tuple[Finding, ...]
    unused: tuple[Told, ...] = ()
    """Acknowledgements of what is no finding, or not exactly this many."""
    malformed: tuple[Told, ...] = ()
    """Lines that are no acknowledgement: no subject, no reason, or hidden in a fence or a comment."""


@dataclass(frozen=True)
class Statement:
    """One acknowledgement as it was written."""

    line: str
    subject: str
    reason: str
    hidden_in: str | None = None


def settled(findings: Sequence[Finding], text: str) -> Settled:
    """The findings that the text acknowledges and those that it does not, in the order given."""
    read = list(statements_of(text))
    said = [one for one in read if isinstance(one, Statement) and one.hidden_in is None]
    hidden = [one for one in read if isinstance(one, Statement) and one.hidden_in is not None]
    reasons: dict[str, list[str]] = defaultdict(list)
    unused: list[Told] = []
    for statement in said:
        covered, why = _covered(statement.subject, findings)
        unused += [Told(statement.line, why)] if why else []
        for one in covered:
            reasons[one.subject] += [statement.reason] if statement.reason not in reasons[one.subject] else []
    left = tuple(one for one in findings if one.subject not in reasons)
    return Settled(
        acknowledged=tuple((one, "; ".join(reasons[one.subject])) for one in findings if one.subject in reasons),
        open=left,
        unused=tuple(unused),
        malformed=(*(one for one in read if isinstance(one, Told)), *_overlooked(hidden, findings, left)),
    )


def lines_to_paste(found: Settled) -> list[str]:
    """The lines that settle all that is open once reasons stand in them: one each, or one for more than five of a kind."""
    lines: list[str] = []
    every = Counter(f"{one.name} {one.suite}" for one in (*found.open, *(one for one, _ in found.acknowledged)))
    groups: dict[str, list[Finding]] = defaultdict(list)
    places = Counter(filter(None, map(shared_place, found.open)))
    shared = {place for place, suites in places.items() if suites > 1}
    lines += [acknowledgement_of(f"{name} everywhere/{module}") for name, module in sorted(shared)]
    for one in (one for one in found.open if shared_place(one) not in shared):
        groups[f"{one.name} {one.suite}"].append(one)
    for group, members in groups.items():
        if len(members) <= _SINGLE:
            subjects = [one.subject for one in members]
        elif len(members) == every[group]:
            subjects = [f"{group}/all {len(members)}"]
        else:
            subjects = [f"{group}/" + ", ".join(one.subject.removeprefix(f"{group}/") for one in members)]
        lines += map(acknowledgement_of, subjects)
    return lines


def statements_of(text: str) -> Iterator[Statement | Told]:
    """Every acknowledgement in the text, and every attempt at one that says too little."""
    for line in lines_of(text):
        for part in _SPOKEN.split(line.text)[1:]:
            yield from _statement(line, part)
        for exemption in _EXEMPTION.findall(line.text):
            yield Statement(exemption, exemption, exemption, line.hidden_in)


def _statement(line: Line, part: str) -> Iterator[Statement | Told]:
    """What follows the keyword up to the next one. Without a colon it is talk of acknowledgements, unless it says why."""
    body = _folded(part)
    subject, *rest = _BECAUSE.split(body, maxsplit=1)
    written = f"{KEYWORD}{body}"
    if not body.startswith(":"):
        if rest and line.hidden_in is None:
            yield Told(f"{KEYWORD} {body}", "has no colon after the keyword")
        return
    subject = _folded(_MARKUP.sub("", subject.removeprefix(":")))
    reason = _folded(rest[0].strip("`* ")) if rest else ""
    is_reason = any(character.isalnum() for character in _PLACEHOLDER.sub("", reason))
    if subject and is_reason:
        yield Statement(written, subject, reason, line.hidden_in)
    elif line.hidden_in is None:
        yield Told(written, "gives no reason after `because`" if subject else "names no finding")


def _overlooked(hidden: Sequence[Statement], findings: Sequence[Finding], left: Sequence[Finding]) -> Iterator[Told]:
    """The hidden lines that would have settled what is still open."""
    for statement in hidden:
        covered, _ = _covered(statement.subject, findings)
        if any(one in left for one in covered):
            told = f"stands in {statement.hidden_in}, which counts as an example; write it as plain text"
            yield Told(statement.line, told)


def _covered(subject: str, findings: Sequence[Finding]) -> tuple[list[Finding], str]:
    """The findings that the subject settles, and why it is in whole or in part of no use."""
    if _EXEMPTION.fullmatch(subject):
        excused = [one for one in findings if one.name == _ORACLE and exemption_of(one.suite) == subject]
        return excused, "" if excused else "no oracle-aligned recording of that suite needs it"
    known = {one.subject: one for one in findings}
    if subject in known:
        return [known[subject]], ""
    if many := _ALL.fullmatch(subject):
        group = [one for one in findings if f"{one.name} {one.suite}" == many["group"]]
        told = "" if group else "there is no such finding"
        return (group, told) if len(group) == int(many["count"]) else ([], f"says {many['count']}, and there are {len(group)}")
    if shared := _EVERYWHERE.fullmatch(subject):
        group = [one for one in findings if shared_place(one) == (shared["name"], shared["detail"])]
        return group, "" if group else "there is no such finding in any suite"
    named = _named(subject)
    covered = [known[name] for name in named if name in known]
    lost = [name for name in named if name not in known]
    if not lost:
        return covered, ""
    hint = nearest(lost[0], known)
    return covered, f"there is no finding {', '.join(map(repr, lost))}" + (f". {hint}" if hint else "")


def shared_place(found: Finding) -> tuple[str, str] | None:
    """Name and module of a finding about code that suites share."""
    is_shared = found.name in SHARED_CODE and found.provider is None and found.detail is not None
    return (found.name, plain(found.detail or "")) if is_shared else None


def _named(subject: str) -> list[str]:
    """The subjects that a list of details stands for: `removed case suite/a, b` names two."""
    first, *others = [part.strip() for part in subject.split(",")]
    prefix = first.partition("/")[0]
    return [first, *(f"{prefix}/{other}" for other in others if other)]


def _folded(text: str) -> str:
    """The text with white space folded and nothing unprintable in it."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
