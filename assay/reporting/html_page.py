"""The sections of `report.html`, in the order of reading: verdict, provenance, controls, numbers, cases, limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.model.report import ProviderReport, Report
from assay.model.suite import SUBJECT
from assay.model.verdict import Check
from assay.reporting.build import provenances
from assay.reporting.figures import compared_text, is_control, side_by_side
from assay.reporting.html_cases import Listed, first_cases
from assay.reporting.html_extras import Extras
from assay.reporting.html_history import history_section, kills_section
from assay.reporting.html_metrics import head_to_head, legend, metrics_table
from assay.reporting.html_tags import Html, code, definition, element, join, row, table

SHOWN_CASES = 40
"""How many names of cases that got worse, better or are new stand on the page."""


def body(report: Report, extras: Extras, cases: dict[str, list[Listed]]) -> Html:
    """All that can be read without scripts."""
    sections = list(_sections(report, extras, cases))
    links = [element("li", element("a", title, href=f"#{anchor}")) for anchor, title, _ in sections]
    main = [element("section", element("h2", title), content, id=anchor) for anchor, title, content in sections]
    return join(
        [
            element("a", "Skip to the numbers", href="#numbers", class_="skip"),
            element("header", _head(report)),
            element("nav", element("ul", links), aria_label="Sections"),
            element("main", main),
        ]
    )


def _sections(report: Report, extras: Extras, cases: dict[str, list[Listed]]) -> Iterator[tuple[str, str, list[Html]]]:
    unkept = [check for check in report.checks if check.status != "kept" and not is_control(check)]
    if unkept:
        yield "broken", "Suite checks that were not kept", [_checks(unkept)]
    if any(found.role != SUBJECT for found in report.providers.values()):
        yield "controls", "Controls", list(_controls(report))
    if report.head_to_head:
        yield "head-to-head", "Head to head", [element("ul", map(head_to_head, report.head_to_head), class_="duels")]
    yield "numbers", "Numbers", list(_numbers(report, extras))
    if cases:
        yield "cases", "Cases", list(_cases(report, cases))
    if extras.kills is not None:
        yield "kills", "Planted defects", kills_section(extras.kills)
    if extras.history:
        yield "history", "History", history_section(report, extras.history)
    yield "limits", "What these numbers do not prove", [_list(report.limits)]
    yield "recordings", "Where every number comes from", [_recordings(report), _all_checks(report)]


def _head(report: Report) -> Iterator[Html]:
    facts = report.facts
    yield element("p", report.verdict, class_=f"verdict {report.verdict.lower().replace(' ', '-')}")
    yield element("h1", element("bdi", f"{facts.suite} {facts.version}"), " ", element("small", element("bdi", facts.title)))
    yield element("p", report.headline, class_="headline")
    synthetic = "synthetic " if facts.synthetic else ""
    told = [*provenances(report), f"{facts.cases} {synthetic}cases, mode {facts.mode}. {_calibration(report)}"]
    yield element("ul", [element("li", line) for line in told], class_="provenance")
    if facts.overrides:
        yield element("ul", [element("li", override) for override in facts.overrides], class_="overrides")


def _calibration(report: Report) -> str:
    found, normaliser = report.facts.calibration, report.facts.text_normaliser
    if found is None:
        return "Nothing here rests on a calibrated threshold."
    return f"{found.summary}{f' Text compared after {normaliser}.' if normaliser else ''}"


def _controls(report: Report) -> Iterator[Html]:
    header, *rows = side_by_side(report)
    if rows:
        marked = [row([code(cells[0]), *cells[1:]], class_="subject" if cells[1] == SUBJECT else None) for cells in rows]
        yield table(header, marked, caption="Controls beside the subjects", class_="controls")
    yield _checks([check for check in report.checks if is_control(check)])


def _numbers(report: Report, extras: Extras) -> Iterator[Html]:
    yield legend(has_power=any(mark.fires_at is not None for found in extras.power.values() for mark in found.values()))
    for name, provider in report.providers.items():
        if provider.role == SUBJECT or any(check.status != "kept" for check in provider.checks):
            yield element("section", _provider(name, provider, report, extras), class_="provider")


def _provider(name: str, provider: ProviderReport, report: Report, extras: Extras) -> Iterator[Html]:
    role = provider.role.replace("_", " ")
    yield element("h3", code(name), " ", element("small", f"{role}, enforcement {provider.enforcement}"))
    unkept = [check for check in provider.checks if check.status != "kept"]
    if unkept:
        yield _checks(unkept)
    if not provider.metrics:
        yield element("p", "No numbers.", class_="quiet")
        return
    facts, power = report.facts, extras.power.get(name, {})
    yield metrics_table(provider, facts, power, list(facts.rule.metrics))
    others = [metric for metric in provider.metrics if metric not in facts.rule.metrics]
    if others:
        summary = element("summary", f"{len(others)} metrics that are not gated")
        yield element("details", summary, metrics_table(provider, facts, power, others))
    yield from _compared(provider)
    yield from (element("p", f"Note: {note}", class_="quiet") for note in provider.notes)


def _compared(provider: ProviderReport) -> Iterator[Html]:
    compared = provider.compared
    kept = sum(check.status == "kept" for check in provider.checks)
    yield element("p", f"{kept} of {len(provider.checks)} checks kept; {compared_text(provider)}.")
    for title, names in (("Got worse", compared.worse), ("Got better", compared.better), ("New", compared.new)):
        if names:
            more = f" and {len(names) - SHOWN_CASES} more" if len(names) > SHOWN_CASES else ""
            listed = join(join([code(name), " "]) for name in names[:SHOWN_CASES])
            yield element("p", element("strong", f"{title} ({len(names)}): "), listed, more, class_="names")


def _cases(report: Report, cases: dict[str, list[Listed]]) -> Iterator[Html]:
    choices = [element("option", name, value=str(place)) for place, name in enumerate(cases)]
    shows = (
        ("", "all"),
        ("not right", "not right"),
        ("worse", "got worse"),
        ("better", "got better"),
        ("new", "new"),
        ("right", "right"),
    )
    outcomes = [element("option", told, value=value) for value, told in shows]
    controls = [
        element("label", "Subject ", element("select", choices, id="subject")),
        element("label", "Show ", element("select", outcomes, id="outcome")),
        element("label", "Find ", element("input", type="search", id="find", placeholder="id or text", autocomplete="off")),
        element("button", "Previous", type="button", id="previous"),
        element("button", "Next", type="button", id="next"),
        element("output", "", id="told", role="status"),
    ]
    keys = "Keys: / finds, j and k go through the cases, n and p turn the page, Enter opens a case."
    yield element("div", controls, element("p", keys, class_="quiet"), id="browse", hidden=True)
    yield element("div", id="list")
    yield element("div", [first_cases(name, report.providers[name], found) for name, found in cases.items()], id="first")


def _checks(checks: Sequence[Check]) -> Html:
    return element("ul", map(_check, checks), class_="checks")


def _check(check: Check) -> Html:
    return element(
        "li", element("span", check.status, class_=f"mark {check.status}"), " ", code(check.name), ": ", check.message
    )


def _all_checks(report: Report) -> Html:
    found = [("the suite", report.checks), *((name, provider.checks) for name, provider in report.providers.items())]
    parts = [
        element("details", element("summary", element("bdi", f"{len(checks)} checks of {name}")), _checks(checks))
        for name, checks in found
        if checks
    ]
    return element("div", parts)


def _recordings(report: Report) -> Html:
    return element("div", [_recording(name, found) for name, found in report.providers.items() if found.recording is not None])


def _recording(name: str, found: ProviderReport) -> Html:
    recording = found.recording
    told = {key: str(value) for key, value in (recording or found).model_dump(mode="json").items() if value is not None}
    summary = element("summary", "Recording of ", code(name))
    return element("details", summary, definition({key.replace("_", " "): value for key, value in told.items()}))


def _list(items: Iterable[str]) -> Html:
    return element("ul", [element("li", item) for item in items])
