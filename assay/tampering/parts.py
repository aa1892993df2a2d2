"""A gold file in named parts, so that it can be said what of it changed. Order, layout and comments do not count."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assay.digest import digest_of, sha256_hex
from assay.errors import InputError
from assay.reading import json_value, text_of
from assay.reading_yaml import yaml_mapping

_NAMES = ("id", "name")
"""The keys by which rows are called."""
WHOLE = "content"


def parts_of(shown: str, data: bytes, passed_over: Collection[str] = ()) -> dict[str, str]:
    """Every part by name, with its digest.

    Rows of a JSON-lines file and entries of a list go by their `id` or `name`, other values by the keys that lead to them;
    rows without a name by their content, with how often it stands there. A file of another form, or that cannot be read, has
    one part. `passed_over` names the top-level keys of a mapping under which cases stand: they are compared as cases.
    """
    try:
        return dict(_named(list(_entries(shown, data, passed_over))))
    except (InputError, ValueError, TypeError, RecursionError):
        return {WHOLE: sha256_hex(data)}


def _entries(shown: str, data: bytes, passed_over: Collection[str]) -> Iterator[tuple[str, object]]:
    """(name, value) of each part; a name is empty where a row has none."""
    suffix = shown.rpartition(".")[2].lower()
    if suffix == "jsonl":
        lines = [line for line in text_of(data, shown).split("\n") if line.strip()]
        yield from ((_name(row), row) for row in (json_value(line, shown) for line in lines))
    elif suffix in {"json", "yaml", "yml"}:
        value = json_value(text_of(data, shown), shown) if suffix == "json" else yaml_mapping(data, shown)
        yield from _of_mapping(value, passed_over)
    else:
        yield WHOLE, sha256_hex(data)


def _of_mapping(value: object, passed_over: Collection[str]) -> Iterator[tuple[str, object]]:
    if not isinstance(value, dict):
        yield WHOLE, value
        return
    for key, found in value.items():
        if key in passed_over:
            continue
        if isinstance(found, list) and found and all(_name(entry) for entry in found):
            yield from ((f"{key}/{_name(entry)}", entry) for entry in found)
        else:
            yield str(key), found


def _name(row: object) -> str:
    names = [row[key] for key in _NAMES if isinstance(row.get(key), str)] if isinstance(row, dict) else []
    return names[0] if names else ""


def _named(entries: list[tuple[str, object]]) -> Iterator[tuple[str, str]]:
    """Names with digests; several parts of one name are one, as a list that no order changes."""
    digests: dict[str, list[str]] = {}
    for name, value in entries:
        digest = digest_of(value)
        digests.setdefault(name or digest[:12], []).append(digest)
    for name, found in digests.items():
        yield name, found[0] if len(found) == 1 else digest_of(sorted(found))
