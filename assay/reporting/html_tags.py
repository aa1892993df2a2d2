"""HTML elements from Python values: what is not an element is text, and text is always escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from assay.reporting.terminal import harmless

_VOID = frozenset({"meta", "input", "br", "circle", "line", "path", "polyline", "rect"})
_SHORT = "…"


class Html(str):
    """Text that is HTML already. Made by `element` alone, and by `raw` for what this project wrote."""

    __slots__ = ()


def raw(text: str) -> Html:
    """HTML of our own: never anything that came from outside."""
    return Html(text)


def text_of(text: str) -> Html:
    """Any text as HTML: escaped, without control characters."""
    return Html(escape(harmless(text)))


def element(name: str, /, *children: Html | str | Iterable[Html | str], **attributes: object) -> Html:
    """An element. Text children are escaped, iterables are laid out one after the other.

    Attributes: `class_` and `for_` lose their last underscore, other underscores become hyphens; True writes the name
    alone; None and False leave the attribute out.
    """
    inner = "".join(map(_laid_out, children))
    start = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Html(start) if name in _VOID else Html(f"{start}{inner}</{name}>")


def join(parts: Iterable[Html | str]) -> Html:
    """Several parts one after the other."""
    return Html("".join(map(_laid_out, parts)))


def code(text: str) -> Html:
    """A name, kept apart from the writing direction of what stands around it."""
    return element("code", element("bdi", text))


def cut(text: str, limit: int) -> str:
    """The text, or its beginning with a sign that there is more."""
    return text if len(text) <= limit else text[: limit - 1] + _SHORT


def table(header: Iterable[Html | str], rows: Iterable[Html], *, caption: str, class_: str = "") -> Html:
    """A table that scrolls sideways where it is too wide, by keyboard too."""
    head = element("thead", element("tr", [element("th", title, scope="col") for title in header]))
    inner = element("table", element("caption", caption), head, element("tbody", rows), class_=class_ or None)
    return element("div", inner, class_="scroll", tabindex="0", role="region", aria_label=caption)


def row(cells: Iterable[Html | str], **attributes: object) -> Html:
    """A row; the first cell names it."""
    first, *others = cells
    return element("tr", element("th", first, scope="row"), [element("td", cell) for cell in others], **attributes)


def definition(pairs: Mapping[str, Html | str]) -> Html:
    """Names with what they stand for."""
    return element("dl", [element("div", element("dt", name), element("dd", value)) for name, value in pairs.items()])


def _laid_out(child: Html | str | Iterable[Html | str]) -> str:
    if isinstance(child, Html):
        return child
    if isinstance(child, str):
        return text_of(child)
    return "".join(map(_laid_out, child))


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(harmless(str(value)))}"'
