"""`report.html`: the whole report as one file that asks nobody for anything.

Everything from gold sets and models is text: escaped in the page, and data to the script, which only ever sets text.
The content security policy allows this file's own style and script by their digests and forbids all else.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from pathlib import Path

from assay.digest import sha256_hex
from assay.model.report import Report
from assay.reporting.html_cases import data_block, listed, subjects
from assay.reporting.html_extras import NOTHING, Extras
from assay.reporting.html_page import body
from assay.reporting.html_tags import Html, element, join, raw

LIMIT = 990_000
"""The most that a page takes, in bytes; details of cases are what is left out first, and the page says so."""
ASSETS = ("report.css", "report.js")
ASSETS_SHA256 = "0"
"""The digest of both, so that the digest of this code moves with them; a test holds it against the files."""


def html_bytes(report: Report, extras: Extras = NOTHING) -> bytes:
    """The page. The same report gives the same bytes: no clock, no ages."""
    cases = {name: listed(provider) for name, provider in subjects(report).items()}
    style, script = (asset(name) for name in ASSETS)
    head, end = _head(report, style, script), f"<script>{script}</script>\n</body>\n</html>\n"
    page = f'<!DOCTYPE html>\n<html lang="en">\n{head}\n<body>\n{body(report, extras, cases)}\n'
    start = (page + '<script type="application/json" id="data">').encode("utf-8", "replace")
    rest = ("</script>\n" + end).encode()
    return start + data_block(report, cases, LIMIT - len(start) - len(rest)) + rest


@cache
def asset(name: str) -> str:
    """The text of a file that is part of the page."""
    return (Path(__file__).parent / "assets" / name).read_text(encoding="utf-8")


def policy(style: str, script: str) -> str:
    """The content security policy that lets exactly these two texts in."""
    return (
        f"default-src 'none'; style-src '{_source(style)}'; script-src '{_source(script)}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _source(text: str) -> str:
    return f"sha256-{b64encode(bytes.fromhex(sha256_hex(text.encode()))).decode()}"


def _head(report: Report, style: str, script: str) -> Html:
    facts = report.facts
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy(style, script)),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{report.verdict} {facts.suite} {facts.version}"),
        join([raw("<style>"), raw(style), raw("</style>")]),
    )
