"""What a page may never do: run, fetch, or take text from outside for markup."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.digest import sha256_base64
from assay.model.history import History
from assay.model.report import Report
from assay.reporting.page.notes import RunNotes
from assay.reporting.page.rendering import shown
from tests.unit.history_lines import line
from tests.unit.reporting.page.pages import REPORTS, matrix, notes, page, section
from tests.unit.reporting.page.tree import Element
from tests.unit.reporting.reports import CONTROL, HOSTILE, TIMING, hostile


@pytest.mark.parametrize("name", REPORTS)
def test_the_policy_names_exactly_the_script_and_style_that_are_there(name: str) -> None:
    found = page(REPORTS[name]())
    policy = found.one("head").every()[0]
    script, style = next(one for one in found.every("script") if "type" not in one.attributes), found.one("style")

    assert policy.attributes == {
        "http-equiv": "Content-Security-Policy",
        "content": f"default-src 'none'; script-src 'sha256-{sha256_base64(script.raw.encode())}'; "
        f"style-src 'sha256-{sha256_base64(style.raw.encode())}'; base-uri 'none'; form-action 'none'",
    }
    assert len(found.every("script")) == 2


@pytest.mark.parametrize("name", REPORTS)
def test_nothing_is_fetched_and_nothing_acts_by_attribute(name: str) -> None:
    for element in page(REPORTS[name](), notes(line(1), found=matrix())).inside():
        names = set(element.attributes)
        assert not names & {"style", "src", "srcset", "action", "formaction", "data", "xlink:href"}
        assert not any(one.startswith("on") for one in names)
        assert element.attributes.get("href", "#").startswith("#")
        assert element.tag not in {"link", "img", "iframe", "object", "embed", "base", "form", "use", "image", "foreignObject"}


TEXTS = [
    HOSTILE,
    CONTROL,
    "<!--run matrix--><!--cases-->",
    "</script><script>alert(1)</script>",
    "' onload='a\" onload=\"b",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", ["hostile", "controlled", "failing"])
def test_no_text_from_outside_becomes_markup(name: str, text: str) -> None:
    report = REPORTS[name]().model_dump()

    found = _page_with(report, text)

    assert _shape(found) == _shape(_page_with(report, "harmless"))
    assert found.one("main").raw.count(shown(text)) > 50


def _page_with(report: dict[str, Any], text: str) -> Element:
    """The page of the report with the text behind every name and sentence of it and of its run."""
    mutants = tuple(one.model_copy(update={"why": text, "name": one.name + text}) for one in matrix().mutants)
    inverted = tuple(one.model_copy(update={"why": text, "name": text}) for one in matrix().inverted)
    survivors = {name + text: text for name in matrix().survivors}
    timing = {**TIMING, "run_id": text, "engine": text, "ages_days": {f"{text}.recording": 3}, "stale": [f"{text}.recording"]}
    history = History(lines=(line(1, model=text), line(2, model=text * 2), line(3, deviations=(text,))))
    run = RunNotes(timing, history, matrix(suite=text, mutants=mutants, inverted=inverted, survivors=survivors))
    return page(Report.model_validate(_poisoned(report, text)), run)


def _shape(found: Element) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """All elements with their attributes, but for the words of labels and for the policy's hashes."""
    return [
        (one.tag, tuple((name, "" if name in {"aria-label", "title"} else value) for name, value in one.attributes.items()))
        for one in found.inside()
    ]


CLOSED = frozenset({"verdict", "role", "enforcement", "direction", "values", "claims", "mode", "recorded_at", "cassette_kind"})
NAMED = frozenset({"cases", "failed", "left_out", "providers", "metrics", "baseline", "power", "measures", "chance"})
"""Fields whose keys are names that the suite or its gold set chose."""


def _poisoned(value: object, text: str, key: str = "") -> object:
    """The same with the text behind every string but those of closed sets."""
    if isinstance(value, str):
        is_closed = key in CLOSED or (key == "status" and value in {"kept", "broken", "could-not-run"})
        return value if is_closed else value + text
    if isinstance(value, dict):
        return {name + text if key in NAMED else name: _poisoned(item, text, name) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_poisoned(item, text, key) for item in value]
    return value


def test_halves_of_surrogate_pairs_and_controls_are_shown_as_such() -> None:
    found = page(hostile("a\ud800b\x00c"))

    assert "--set a=a\ufffdb\ufffdc" in section(found, "verdict")
    assert json.loads(found.one(id="cases-data").raw)["ids"][0] == "a\ufffdb\ufffdc"


def test_the_script_is_given_hostile_text_as_data() -> None:
    data = json.loads(page(hostile()).one(id="cases-data").raw)

    assert data["ids"] == [HOSTILE, "c1", "c2"]
    assert data["subjects"][0]["views"]["0"][0] == HOSTILE
