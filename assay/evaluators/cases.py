"""The cases of a call, read before anything runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from assay.errors import Problem
from assay.evaluators.identity import content_id
from assay.evaluators.refusal import InvalidCall

Target = Callable[[dict[str, object]], object]
"""Makes the output of a case from its dict, which always has an `id`."""
Given = Mapping[str, object] | tuple[object, object]
"""`(expected, actual)`, or a dict with any of id, expected, actual, config, target_fn, and what the target needs."""


@dataclass(frozen=True)
class Case:
    """One case. An `actual` of None is absent and comes from the target."""

    id: str
    expected: object
    actual: object
    config: object
    target_fn: Target | None
    given: Mapping[str, object]


def case_list(cases: Iterable[Given], target_fn: Target | None = None) -> list[Case]:
    """The cases in order. One without an id is named by its content, and by its place among equals from the second on.

    Raises InvalidCall for what is no case, a target that cannot be called and an id given twice.
    """
    default = _target(target_fn, "target_fn")
    found: list[Case] = []
    equals: Counter[str] = Counter()
    for number, given in enumerate(cases, start=1):
        fields = _fields(given, f"case {number}")
        name = _name(fields, f"case {number}")
        if fields.get("id") is None:
            equals[name] += 1
            name = name if equals[name] == 1 else f"{name}-{equals[name]}"
        target = _target(fields.get("target_fn"), f"case {name!r}: target_fn") or default
        found.append(
            Case(name, fields.get("expected"), fields.get("actual"), fields.get("config"), target, {**fields, "id": name})
        )
    _check_unique(found)
    return found


def _fields(given: object, where: str) -> Mapping[str, object]:
    if isinstance(given, Mapping):
        return given
    if isinstance(given, tuple | list) and len(given) == 2:  # noqa: PLR2004  # a pair
        return {"expected": given[0], "actual": given[1]}
    raise InvalidCall(Problem(where, "is no case", repr(given) if given is None else given, "(expected, actual) or a dict"))


def _name(fields: Mapping[str, object], where: str) -> str:
    name = fields.get("id")
    if name is None:
        try:
            return content_id({key: value for key, value in fields.items() if key not in {"id", "target_fn"}})
        except RecursionError:
            raise InvalidCall(
                Problem(where, "is nested too deeply to be named by its content", remedy="Give it an id.")
            ) from None
    if not isinstance(name, str | int) or isinstance(name, bool) or not str(name).strip():
        raise InvalidCall(Problem(where, "has no usable id", repr(name), "a text that is not blank, or an integer"))
    return str(name)


def _target(value: object, where: str) -> Target | None:
    if value is None or callable(value):
        return value
    raise InvalidCall(Problem(where, "cannot be called", value, "a function of the case that returns the output"))


def _check_unique(cases: list[Case]) -> None:
    twice = [name for name, times in Counter(case.id for case in cases).items() if times > 1]
    if twice:
        raise InvalidCall([Problem("cases", "two have the same id", name, "each id once") for name in twice[:20]])
