"""YAML bytes to plain values, strictly: `safe_load` without aliases and without a key that stands twice."""

from __future__ import annotations

from typing import Any

import yaml

from assay.errors import InputError, Problem
from assay.reading import text_of

SIZE_LIMIT = 1 << 20
"""The longest file, in characters."""
YAML_FAULTS = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What PyYAML lets through for tagged values that mean nothing, such as `!!int ''`."""


class _Aliased(Exception):
    """An alias, and its line."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class _Strict(yaml.SafeLoader):
    """The safe loader, which reads a file once and refuses aliases."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """The node. Raises _Aliased."""
        if self.check_event(yaml.AliasEvent):
            raise _Aliased(self.peek_event().start_mark.line + 1)  # type: ignore[no-untyped-call]  # PyYAML's stubs leave it out
        return super().compose_node(parent, index)


def yaml_mapping(data: bytes, where: str) -> dict[str, Any]:
    """The mapping of a YAML file. Raises InputError for any other file."""
    text = text_of(data, where)
    if len(text) > SIZE_LIMIT:
        raise InputError(Problem(where, f"{len(text):,} characters", expected=f"at most {SIZE_LIMIT:,}"))
    try:
        loader = _Strict(text)
        node = loader.get_single_node()
        _refuse_duplicates(node, where)
        value = loader.construct_document(node) if node else None
    except _Aliased as found:
        raise InputError(Problem(f"{where}:{found.line}", "holds an alias", expected="plain values")) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where}:{mark.line + 1}" if mark else where
        raise InputError(Problem(place, f"is not YAML ({getattr(error, 'problem', None) or error})")) from None
    except YAML_FAULTS as error:
        raise InputError(Problem(where, f"is not acceptable YAML ({error})")) from None
    if not isinstance(value, dict):
        raise InputError(Problem(where, "is not a mapping", type(value).__name__, "key: value lines"))
    return value


def _refuse_duplicates(node: yaml.Node | None, where: str) -> None:
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                raise InputError(Problem(f"{where}:{key.start_mark.line + 1}", f"the key {key.value!r} stands twice"))
            seen.add(str(key.value))
            _refuse_duplicates(value, where)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_duplicates(item, where)
