"""YAML bytes to plain values, strictly: `safe_load` without aliases and without a key that stands twice."""

from __future__ import annotations

from typing import Any

import yaml

from assay.errors import InputError, Problem
from assay.reading import raise_all, text_of

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
        raise_all(repeated_keys(node, where), where)
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


def repeated_keys(node: yaml.Node | None, where: str) -> list[Problem]:
    """One problem per key that stands twice in a mapping."""
    if isinstance(node, yaml.SequenceNode):
        return [problem for item in node.value for problem in repeated_keys(item, where)]
    problems: list[Problem] = []
    seen: set[str] = set()
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if str(key.value) in seen:
            problems.append(Problem(f"{where}:{key.start_mark.line + 1}", f"the key {key.value!r} stands twice"))
        seen.add(str(key.value))
        problems.extend(repeated_keys(value, where))
    return problems
