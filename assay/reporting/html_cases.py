"""The per-case part of the page: the first cases as plain HTML, all that fit as a data block that the script pages through."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from assay.model.report import ProviderReport, Report
from assay.model.suite import SUBJECT
from assay.model.verdict import CaseOutcome
from assay.reporting.case_view import CaseView, Opposite, Side, case_view
from assay.reporting.html_tags import Html, element, join
from assay.reporting.terminal import harmless

FIRST = 10
"""How many cases of a subject are plain HTML."""
INDEX_BYTES = 420_000
"""What the list of cases may take; right cases are the first to be left out of it."""
_SAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})
"""In a data block no text may end the element or begin a comment."""


@dataclass(frozen=True)
class Listed:
    """One case in the list of a subject."""

    name: str
    status: str
    """right, wrong, malformed, unanswered, missing or crashed."""
    score: float
    change: str
    """worse, better, new, or empty."""
    left_out: str


def listed(provider: ProviderReport) -> list[Listed]:
    """All cases of a subject: those that got worse, then the others that are not right, then the rest, in file order each."""
    changes = dict.fromkeys(provider.compared.new, "new")
    changes |= dict.fromkeys(provider.compared.better, "better") | dict.fromkeys(provider.compared.worse, "worse")
    found = [_listed(name, outcome, provider, changes.get(name, "")) for name, outcome in provider.cases.items()]
    return sorted(found, key=lambda case: (case.change != "worse", case.status == "right"))


def subjects(report: Report) -> dict[str, ProviderReport]:
    """Those with cases to look at."""
    return {name: found for name, found in report.providers.items() if found.role == SUBJECT and found.cases}


def first_cases(name: str, provider: ProviderReport, cases: list[Listed]) -> Html:
    """The first cases of a subject, for readers without scripts."""
    shown = [case for case in cases if case.status != "right"][:FIRST]
    wrong = sum(case.status != "right" for case in cases)
    told = f"{name}: {wrong} of {len(cases)} cases are not right."
    more = f" The first {len(shown)}:" if wrong > len(shown) else ""
    return element(
        "section",
        element("h3", element("bdi", told), more),
        [case_html(case, case_view(provider.failed[case.name]) if case.name in provider.failed else None) for case in shown],
        class_="first-cases",
        data_provider=name,
    )


def case_html(case: Listed, view: CaseView | None) -> Html:
    """One case, folded. The script draws the others alike."""
    marks = [element("span", case.status, class_=f"mark {case.status}")]
    marks += [element("span", case.change, class_=f"mark {case.change}")] if case.change else []
    marks += [element("span", f"score {case.score:.3f}", class_="score")]
    summary = element("summary", element("code", element("bdi", case.name)), *marks)
    left_out = [element("p", f"In no mean: {case.left_out}", class_="quiet")] if case.left_out else []
    return element("details", summary, left_out, _body(view), class_="case")


def data_block(report: Report, cases: Mapping[str, list[Listed]], room: int) -> bytes:
    """The cases as compact JSON of at most `room` bytes, safe inside a script element."""
    kept = {name: _fitting(found, INDEX_BYTES // max(len(cases), 1)) for name, found in cases.items()}
    index = [_index(name, found, len(cases[name])) for name, found in kept.items()]
    left = room - len(_packed({"subjects": index})) - 100
    details: list[dict[str, object]] = [{} for _ in index]
    for place, (name, found) in enumerate(kept.items()):
        share = left // (len(kept) - place)
        details[place], used = _details(report.providers[name], found, share)
        left -= used
    value = [{**one, "views": views} for one, views in zip(index, details, strict=True)]
    return _packed({"subjects": value})


def _listed(name: str, outcome: CaseOutcome, provider: ProviderReport, change: str) -> Listed:
    failed = provider.failed.get(name)
    status = "right" if outcome.passed else failed.status if failed and failed.status != "scored" else "wrong"
    return Listed(name, status, outcome.score, change, outcome.left_out or "")


def _fitting(cases: list[Listed], room: int) -> list[Listed]:
    """As many as fit, from the front: right cases stand last."""
    used = 0
    for place, case in enumerate(cases):
        used += len(case.name.encode("utf-8", "replace")) + 12
        if used > room:
            return cases[:place]
    return cases


def _index(name: str, cases: list[Listed], whole: int) -> dict[str, object]:
    """Columns, for they repeat less than rows."""
    statuses = list(dict.fromkeys(case.status for case in cases))
    reasons = list(dict.fromkeys(case.left_out for case in cases if case.left_out))
    return {
        "name": harmless(name),
        "cases": whole,
        "ids": [harmless(case.name) for case in cases],
        "statuses": statuses,
        "status": "".join(str(statuses.index(case.status)) for case in cases),
        "scores": {place: round(case.score, 3) for place, case in enumerate(cases) if case.score != (case.status == "right")},
        "changes": {place: case.change for place, case in enumerate(cases) if case.change},
        "reasons": [harmless(reason) for reason in reasons],
        "left_out": {place: reasons.index(case.left_out) for place, case in enumerate(cases) if case.left_out},
    }


def _details(provider: ProviderReport, cases: Iterable[Listed], room: int) -> tuple[dict[str, object], int]:
    """The views that fit, by place in the list, and the bytes that they take."""
    found: dict[str, object] = {}
    used = 0
    for place, case in enumerate(cases):
        if case.status == "right" or case.name not in provider.failed:
            continue
        view = _clean(case_view(provider.failed[case.name]).packed())
        used += len(_packed(view)) + len(str(place)) + 5
        if used > room:
            return found, used
        found[str(place)] = view
    return found, used


def _clean(value: object) -> object:
    if isinstance(value, str):
        return harmless(value)
    return [_clean(item) for item in value] if isinstance(value, list | tuple) else value


def _packed(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_SAFE).encode("utf-8", "replace")


def _body(view: CaseView | None) -> Iterator[Html]:
    if view is None:
        return
    if view.reason:
        yield element("p", view.reason, class_="reason")
    if view.rows:
        head = element(
            "div", element("span", "expected"), element("span", ""), element("span", "predicted"), class_="opposite head"
        )
        yield element("div", head, map(_opposite, view.rows), class_="matching")
    if view.lines:
        yield element("ul", [element("li", line) for line in view.lines], class_="lines")
    if view.edits:
        yield element("ul", [element("li", edit) for edit in view.edits], class_="edits")


def _opposite(found: Opposite) -> Html:
    link = element("span", element("span", found.link), class_="link")
    return element("div", _side(found.expected), link, _side(found.predicted), class_=f"opposite {found.state}")


def _side(side: Side | None) -> Html:
    if side is None:
        return element("div", "nothing", class_="side none")
    fields = [
        element("div", element("dt", name), element("dd", value), class_="differs" if differs else None)
        for name, value, differs in side.fields
    ]
    return element("div", element("p", side.text), element("dl", fields) if fields else "", class_="side")
