"""A page as a tree of elements, read by the standard library's parser: what a browser would see of it, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta", "wbr", "input", "br", "link", "img"})
BLOCKS = frozenset(
    {
        "p", "h1", "h2", "h3", "h4", "li", "tr", "ul", "ol", "table", "section", "article", "header", "main", "nav", "figure",
        "div", "details", "summary", "caption", "dl", "figcaption",
    }
)  # fmt: skip
CELLS = frozenset({"td", "th", "dd"})
UNREAD = frozenset({"script", "style", "title"})


@dataclass
class Element:
    """One element."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    def every(self, tag: str = "", **attributes: str) -> list[Element]:
        """All elements within with this tag and these attributes (`class_` for `class`, all its words), in their order."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [one for one in self.inside() if (not tag or one.tag == tag) and all(one._has(*each) for each in wanted.items())]

    def one(self, tag: str = "", **attributes: str) -> Element:
        """The only such element."""
        (found,) = self.every(tag, **attributes)
        return found

    def inside(self) -> Iterator[Element]:
        """All elements within, parents first."""
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child.inside()

    @property
    def raw(self) -> str:
        """All text within, as it stands."""
        return "".join(child if isinstance(child, str) else child.raw for child in self.children)

    @property
    def text(self) -> str:
        """What can be read of it: a line per block, cells apart by bars, white space folded."""
        lines = ("".join(self._pieces())).split("\n")
        return "\n".join(filter(None, (" ".join(line.split()).strip(" |") for line in lines)))

    def _pieces(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield " ".join(child.split("\n"))
            elif child.tag not in UNREAD:
                yield from (" | ",) if child.tag in CELLS else ("\n",) if child.tag in BLOCKS else ()
                yield from child._pieces()
                yield "\n" if child.tag in BLOCKS else ""

    def _has(self, name: str, value: str) -> bool:
        found = self.attributes.get(name)
        return found is not None and (set(value.split()) <= set(found.split()) if name == "class" else found == value)


class _Reader(HTMLParser):
    """Builds the tree. Raises ValueError where elements do not nest."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            raise ValueError(f"<{tag}> has an attribute twice: {names}")
        made = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(made)
        if tag not in VOID:
            self._open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self._open[-1].tag != tag:
            raise ValueError(f"</{tag}> closes <{self._open[-1].tag}> at {self.getpos()}")
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)

    def close(self) -> None:
        super().close()
        if len(self._open) != 1:
            raise ValueError(f"<{self._open[-1].tag}> is never closed")


def tree_of(page: bytes) -> Element:
    """The tree of a page. Raises ValueError where elements do not nest."""
    reader = _Reader()
    reader.feed(page.decode())
    reader.close()
    return reader.root
