"""Which events a rule speaks of: kind, name, actor and predicates on what an event carries.

In: patterns and events. Out, for `rule_check`: match, no match, or cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Final, Self, get_args

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, StrictBool, model_validator

from assay.errors import nearest
from assay.model.base import Frozen
from assay.model.transcript import Event, EventKind

ROOTS = ("arguments", "result", "text")
KINDS: tuple[str, ...] = get_args(EventKind)


@dataclass(frozen=True)
class CannotTell:
    """Neither a match nor none, and why: the value is not there, or is not of a type the predicate speaks of."""

    reason: str


Match = bool | CannotTell


class _Missing:
    """The value of a path that leads nowhere; null is a value."""


MISSING: Final = _Missing()


def _several(value: object) -> object:
    if not isinstance(value, str | list | tuple):
        raise ValueError("expected one word or a list of words; in YAML yes, no and numbers need quotes")
    return (value,) if isinstance(value, str) else value


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


def _path(path: str) -> str:
    root, *rest = path.split(".")
    if root not in ROOTS:
        raise ValueError(f"a path starts with one of {', '.join(ROOTS)}. {nearest(root, ROOTS)}".strip())
    if "" in rest or (root == "text" and rest):
        raise ValueError("a path is names or list positions joined by dots, such as arguments.flights.0.date")
    return path


def _kinds(value: object) -> object:
    kinds = _several(value)
    for kind in kinds if isinstance(kinds, list | tuple) else ():
        if isinstance(kind, str) and kind not in KINDS:
            raise ValueError(f"unknown kind {kind!r}; expected one of {', '.join(KINDS)}. {nearest(kind, KINDS)}".strip())
    return kinds


Names = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_several), Field(min_length=1)]
"""One name, or a list of which any will do."""
Kinds = Annotated[tuple[EventKind, ...], BeforeValidator(_kinds), Field(min_length=1)]
Path = Annotated[str, AfterValidator(_path)]
"""`text`, or `arguments` or `result` with dotted names and list positions after it."""
Number = Annotated[float, Field(strict=True)]


class Predicate(Frozen):
    """What a value must be; several keys must all hold.

    A value that is not there cannot be told, except with `exists: true`, which makes it no match. `equals` and `in` compare as
    JSON does (1 is 1.0, true is not 1). `matches` searches anywhere in a string; anything else cannot be told, nor can `less`
    and `greater` of what is no number.
    """

    equals: JsonValue = None
    among: tuple[JsonValue, ...] | None = Field(None, alias="in", min_length=1)
    matches: Annotated[str, AfterValidator(_compiles)] | None = None
    less: Number | None = None
    greater: Number | None = None
    exists: StrictBool | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        keys = self.model_fields_set
        if not keys:
            raise ValueError("a predicate needs one of equals, in, matches, less, greater, exists")
        empty = sorted(key for key in keys - {"equals"} if getattr(self, key) is None)
        if empty:
            raise ValueError(f"{empty[0]} has no value")
        if self.exists is False and len(keys) > 1:
            raise ValueError("exists: false contradicts every other key")
        if self.less is not None and self.greater is not None and self.greater >= self.less:
            raise ValueError("no number is both greater and less than these")
        return self


class Pattern(Frozen):
    """The events a rule speaks of: every key that is given must fit."""

    kind: Kinds | None = None
    name: Names | None = None
    actor: Names | None = None
    where: dict[Path, Predicate] | None = Field(None, min_length=1)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        given = [key for key in type(self).model_fields if getattr(self, key) is not None]
        if not given:
            raise ValueError("a pattern needs one of kind, name, actor, where")
        return self


def match(pattern: Pattern, event: Event) -> Match:
    """Whether the event fits. One key that does not fit settles it, whatever cannot be told of the others."""
    for wanted, got in ((pattern.kind, event.kind), (pattern.name, event.name), (pattern.actor, event.actor)):
        if wanted is not None and got not in wanted:
            return False
    return _all(_holds(predicate, value_at(event, path), path) for path, predicate in (pattern.where or {}).items())


def value_at(event: Event, path: str) -> object:
    """The value a path leads to, or MISSING. A `result` or `text` of null is missing; deeper down null is a value."""
    root, *rest = path.split(".")
    value: object = getattr(event, root)
    if value is None:
        return MISSING
    for part in rest:
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return MISSING
    return value


def same(a: object, b: object) -> bool:
    """Equality of JSON values: numbers by value, never a boolean with a number."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def _holds(predicate: Predicate, value: object, path: str) -> Match:
    if value is MISSING:
        return predicate.exists is False or (False if predicate.exists else CannotTell(f"{path} is not there"))
    return _all(test(predicate, value, path) for key, test in _TESTS.items() if key in predicate.model_fields_set)


def _all(matches: Iterable[Match]) -> Match:
    unknown: CannotTell | None = None
    for found in matches:
        if found is False:
            return False
        if isinstance(found, CannotTell):
            unknown = unknown or found
    return True if unknown is None else unknown


def _matches(predicate: Predicate, value: object, path: str) -> Match:
    if not isinstance(value, str):
        return CannotTell(f"{path} is no text but {type(value).__name__}")
    return re.search(predicate.matches or "", value) is not None


def _compares(predicate: Predicate, value: object, path: str) -> Match:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return CannotTell(f"{path} is no number but {type(value).__name__}")
    return (predicate.less is None or value < predicate.less) and (predicate.greater is None or value > predicate.greater)


_TESTS: Mapping[str, Callable[[Predicate, object, str], Match]] = {
    "exists": lambda predicate, _value, _path: predicate.exists is True,
    "equals": lambda predicate, value, _path: same(value, predicate.equals),
    "among": lambda predicate, value, _path: any(same(value, one) for one in predicate.among or ()),
    "matches": _matches,
    "less": _compares,
    "greater": _compares,
}
