"""Policies from YAML. In: bytes. Out: policies, or every fault at once with its line."""

from __future__ import annotations

from typing import Annotated, Any

import yaml
from pydantic import AfterValidator

from assay.errors import InputError, Problem, nearest
from assay.model.base import Frozen
from assay.model.suite import Name
from assay.providers.policy.policy import Policy
from assay.providers.policy.rules import Rule, Text, form_of
from assay.reading import raise_all, text_of, validated
from assay.reading_yaml import repeated_keys

_KEYS = ("format", "policies")
_SIZE_LIMIT = 1 << 20
_DEPTH_LIMIT = 32


def _choice(outcomes: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(outcomes)) < len(outcomes):
        raise ValueError("names an outcome twice")
    if len(outcomes) < 2:  # noqa: PLR2004  # a choice
        raise ValueError("no choice; expected two outcomes or more")
    return outcomes


class _Head(Frozen):
    """A policy without its rules."""

    id: Name
    title: Text
    outcomes: Annotated[tuple[Text, ...], AfterValidator(_choice)]


def policies_of(data: bytes, where: str) -> tuple[Policy, ...]:
    """The policies of a YAML file with `format: 1` and a list `policies`, in file order. Raises InputError that names lines."""
    root, value = _yaml(text_of(data, where), where)
    if not isinstance(value, dict):
        raise InputError(Problem(where, "is not a mapping", type(value).__name__, "format: 1 and a list of policies"))
    if value.get("format") != 1 or isinstance(value["format"], bool):
        raise InputError(Problem(where, "unknown format version", value.get("format"), "format: 1"))
    problems = [
        Problem(where, "unknown key", key, "format and policies", nearest(str(key), _KEYS)) for key in value if key not in _KEYS
    ]
    listed, nodes = value.get("policies"), _items(root, "policies")
    if not isinstance(listed, list) or not listed:
        problems.append(Problem(where, "holds no policies", listed, "a list with at least one policy"))
    policies: list[Policy] = []
    for node, item in zip(nodes, listed if isinstance(listed, list) else [], strict=False):
        try:
            policies.append(_policy(item, node, where))
        except InputError as error:
            problems.extend(error.problems)
    raise_all([*problems, *_repeated([policy.id for policy in policies], where, "policy")], where)
    return tuple(policies)


def _policy(item: object, node: yaml.Node, where: str) -> Policy:
    place = _place(item, node, where, "id")
    if not isinstance(item, dict):
        raise InputError(Problem(place, "is no policy", item, "a mapping with id, title, outcomes and rules"))
    head: _Head | None = None
    problems: list[Problem] = []
    try:
        head = validated({key: value for key, value in item.items() if key != "rules"}, place, _Head)
    except InputError as error:
        problems.extend(error.problems)
    rules: list[Rule] = []
    listed = item.get("rules")
    if not isinstance(listed, list) or not listed:
        problems.append(Problem(place, "holds no rules", listed, "a list with at least one rule"))
    for below, rule in zip(_items(node, "rules"), listed if isinstance(listed, list) else [], strict=False):
        try:
            rules.append(_rule(rule, _place(rule, below, where, "name"), () if head is None else head.outcomes))
        except InputError as error:
            problems.extend(error.problems)
    problems.extend(_repeated([rule.name for rule in rules], place, "rule"))
    if head is None or problems:
        raise InputError(problems)
    return Policy(head.id, head.title, head.outcomes, tuple(rules))


def _rule(item: object, place: str, outcomes: tuple[str, ...]) -> Rule:
    try:
        form = form_of(item)
    except ValueError as error:
        raise InputError(Problem(place, f"is no rule ({error})", item)) from None
    rule = validated(item, place, form)
    strange = [name for name in rule.outcomes() if outcomes and name not in outcomes]
    if strange:
        known = f"one of {', '.join(outcomes)}"
        raise InputError(
            [Problem(place, "names an outcome that the policy lacks", name, known, nearest(name, outcomes)) for name in strange]
        )
    return rule


def _repeated(names: list[str], where: str, what: str) -> list[Problem]:
    twice = sorted({name for name in names if names.count(name) > 1})
    return [Problem(where, f"more than one {what} has this name", name, "each name once") for name in twice]


def _yaml(text: str, where: str) -> tuple[yaml.Node | None, Any]:
    if len(text) > _SIZE_LIMIT:
        raise InputError(Problem(where, f"{len(text):,} characters", expected=f"at most {_SIZE_LIMIT:,}"))
    try:
        _check_shape(text, where)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        raise_all(repeated_keys(root, where), where)
        return root, yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where}:{mark.line + 1}" if mark else where
        raise InputError(Problem(place, f"is not YAML ({getattr(error, 'problem', None) or error})")) from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise InputError(Problem(where, f"is not acceptable YAML ({error})")) from None


def _check_shape(text: str, where: str) -> None:
    """Raise InputError for an alias, and for nesting so deep that reading on would take time or stack."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            raise InputError(Problem(f"{where}:{line}", "holds an alias", expected="plain values"))
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEPTH_LIMIT:
            raise InputError(Problem(f"{where}:{line}", "is nested too deeply", expected=f"at most {_DEPTH_LIMIT} levels"))


def _items(node: yaml.Node | None, name: str) -> list[yaml.Node]:
    """The items of the list under that key, as nodes with lines."""
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if key.value == name and isinstance(value, yaml.SequenceNode):
            return list(value.value)
    return []


def _place(item: object, node: yaml.Node, where: str, key: str) -> str:
    place = f"{where}:{node.start_mark.line + 1}" if node.start_mark else where
    name = item.get(key) if isinstance(item, dict) else None
    return f"{place} ({name})" if isinstance(name, str) else place
