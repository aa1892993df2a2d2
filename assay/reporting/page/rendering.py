"""Templates to text: everything that is put into one is escaped and cleaned, and what is missing is an error."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from assay.model.run import plural
from assay.reporting.page.direction import contained
from assay.reporting.terminal import harmless

_PACKAGE = "assay.reporting.page"
_FOLDER = "templates"
_SURROGATES = re.compile("[\ud800-\udfff]")
_ENDS_SCRIPT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def rendered(template: str, **values: object) -> str:
    """A template of this package with its values. Raises jinja2.UndefinedError where one is missing."""
    return _environment().get_template(template).render(**values)


def read_templates() -> None:
    """Read all templates, which every page needs, ahead of the first."""
    for name in _environment().list_templates(extensions=["j2"]):
        _environment().get_template(name)


def constant(name: str) -> str:
    """A file of this package that is put into the page as it is: its script or its style."""
    return (files(_PACKAGE) / _FOLDER / name).read_text(encoding="utf-8")


def embedded(value: object) -> Markup:
    """A value as JSON for a script element: nothing in it can end the element or begin a comment."""
    text = json.dumps(_clean(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_ENDS_SCRIPT))  # noqa: S704  # no sign of markup is left in it


def shown(text: str) -> str:
    """Text from outside as a page can hold it: no control, no half of a surrogate pair, directions contained."""
    return contained(_SURROGATES.sub("\ufffd", harmless(text)))


def _clean(value: object) -> object:
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        return {shown(str(key)): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value


def _finalized(value: object) -> object:
    """What an expression of a template came to. Our own markup has been through here already."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(_PACKAGE, _FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["plural"] = plural
    return environment
