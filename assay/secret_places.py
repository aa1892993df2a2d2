"""Where a file holds secrets: looked for in its text as it stands, and in what its JSON texts come to without their escapes.

In: the bytes of files, and what to look for. Out: problems by file and line, which name the kind of secret and never quote it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from assay.errors import Problem

Search = Callable[[str], Iterable[str]]
"""What a text holds, in words; nothing for a clean one."""
NOWHERE = 0
"""In place of a line, where the secret stands in no single one."""
REMEDY = "Take it out and change the key; a recording is made anew with `assay record`."


def secrets_held(files: Mapping[str, bytes], search: Search) -> Iterator[Problem]:
    """A problem for each place of these files, by shown path, that holds a secret."""
    for shown, data in files.items():
        for line, told in secret_places(data, search):
            yield Problem(shown if line == NOWHERE else f"{shown}:{line}", f"holds {told}", remedy=REMEDY)


def secret_places(data: bytes, search: Search) -> list[tuple[int, str]]:
    """(line, counted from 1; what it holds), in the order of the lines. An empty file holds nothing."""
    text = data.decode("utf-8", "replace")
    found = dict.fromkeys([*search(text), *search("\n".join(_texts(text)))])
    if not found:
        return []
    places = [(number, told) for number, line in enumerate(text.split("\n"), start=1) for told in _in_line(line, search)]
    elsewhere = found.keys() - {told for _, told in places}
    return [*((NOWHERE, told) for told in found if told in elsewhere), *places]


def _in_line(line: str, search: Search) -> Iterable[str]:
    return dict.fromkeys([*search(line), *(told for text in _strings(_parsed(line)) for told in search(text))])


def _texts(text: str) -> Iterator[str]:
    """Every text of a JSON file, or of the JSON lines of a file."""
    whole = _parsed(text)
    values = [whole] if whole is not None else map(_parsed, text.split("\n"))
    for value in values:
        yield from _strings(value)


def _parsed(text: str) -> object:
    """The JSON value, or None for a text that is none."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _strings(value: object) -> Iterator[str]:
    """Every text in a JSON value, keys too."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            todo += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            todo += item
