"""Rules from YAML or from the plain data of another file. In: bytes or values. Out: rules, or every fault at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from assay.errors import InputError, Problem, nearest
from assay.reading import raise_all, text_of, validated
from assay.reading_yaml import repeated_keys
from assay.suites.orchestration.rules import FORMS, Rule, form_of

_KEYS = ("format", "rules")
_SIZE_LIMIT = 1 << 20


def rules_of(data: bytes, where: str) -> tuple[Rule, ...]:
    """The rules of a YAML file with `format: 1` and a list `rules`, in file order. Raises InputError that names lines."""
    text = text_of(data, where)
    if len(text) > _SIZE_LIMIT:
        raise InputError(Problem(where, f"{len(text):,} characters", expected=f"at most {_SIZE_LIMIT:,}"))
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise InputError(Problem(f"{where}:{line}", "holds an alias", expected="plain values"))
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where}:{mark.line + 1}" if mark else where
        raise InputError(Problem(place, f"is not YAML ({getattr(error, 'problem', None) or error})")) from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise InputError(Problem(where, f"is not acceptable YAML ({error})")) from None
    raise_all(repeated_keys(root, where), where)
    if not isinstance(value, dict):
        raise InputError(Problem(where, "is not a mapping", type(value).__name__, "format: 1 and a list of rules"))
    unknown = [key for key in value if key not in _KEYS]
    if unknown:
        raise InputError(Problem(where, "unknown key", unknown[0], "format and rules", nearest(str(unknown[0]), _KEYS)))
    if value.get("format") != 1 or isinstance(value["format"], bool):
        raise InputError(Problem(where, "unknown format version", value.get("format"), "format: 1"))
    lines = _lines(root)
    return _rules(value.get("rules"), where, lambda number: f"{where}:{lines[number]}" if number < len(lines) else where)


def rules_from(value: object, where: str) -> tuple[Rule, ...]:
    """The rules of a list of plain mappings, such as the part of a suite file that holds them. Raises InputError."""
    return _rules(value, where, lambda number: f"{where}.{number}")


def own_rules(value: object, where: str) -> tuple[Rule, ...]:
    """The rules of one case, which may have none beside those of every case. Raises InputError."""
    return () if value == [] else rules_from(value, where)


def _rules(value: object, where: str, place_of: Callable[[int], str]) -> tuple[Rule, ...]:
    if not isinstance(value, list) or not value:
        raise InputError(Problem(where, "holds no rules", value, "a list with at least one rule"))
    rules: list[Rule] = []
    problems: list[Problem] = []
    named: dict[str, str] = {}
    for number, item in enumerate(value):
        place = place_of(number)
        if isinstance(item, dict) and isinstance(item.get("name"), str):
            place = f"{place} ({item['name']})"
        try:
            rule = _rule(item, place)
        except InputError as error:
            problems.extend(error.problems)
            continue
        if rule.name in named:
            problems.append(Problem(place, "a rule of this name stands already", named[rule.name]))
        named.setdefault(rule.name, place)
        rules.append(rule)
    raise_all(problems, where)
    return tuple(rules)


def _rule(item: object, place: str) -> Any:  # noqa: ANN401  # one of the forms
    try:
        form = form_of(item)
    except ValueError as error:
        raise InputError(Problem(place, f"is no rule ({error})", item)) from None
    return validated(item, place, FORMS[form])


def _lines(root: yaml.Node | None) -> list[int]:
    """The line of each rule, from 1."""
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    for key, value in pairs:
        if key.value == "rules" and isinstance(value, yaml.SequenceNode):
            return [item.start_mark.line + 1 for item in value.value]
    return []
