"""Bytes to validated records. Every problem of a file is collected, then raised once as an `InputError`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, NoReturn, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from assay.errors import REPR_LIMIT, InputError, Problem, nearest

Record = TypeVar("Record", bound=BaseModel)
LINE_LIMIT = 1 << 20
"""The longest line of a JSON-lines file, in bytes."""
_QUOTED = 60
PROBLEM_LIMIT = 20
"""How many problems of one file are listed before the rest are only counted."""


def text_of(data: bytes, where: str) -> str:
    """The body as text. Raises InputError when it is not UTF-8 text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(
            Problem(f"{where}:{line}", "is not UTF-8 text", data[error.start : error.start + 8], "UTF-8")
        ) from None
    if "\x00" in text:
        raise InputError(Problem(where, "holds NUL bytes, so it is not a text file", expected="UTF-8 text"))
    return text.removeprefix("\ufeff")


def json_value(text: str, where: str) -> object:
    """One JSON value. NaN, infinities, lone surrogates, duplicate keys and absurd depth or size raise InputError."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_unique_keys)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        at = where if ":" in where.rsplit("/", 1)[-1] else f"{where}:{error.lineno}"
        raise InputError(Problem(at, f"is not JSON ({error.msg} at column {error.colno})", _cut(text))) from None
    except UnicodeEncodeError:
        raise InputError(Problem(where, "holds half of a surrogate pair", expected="valid Unicode")) from None
    except (ValueError, RecursionError) as error:
        raise InputError(Problem(where, f"is not acceptable JSON ({error})", _cut(text))) from None
    return value


def record(data: bytes, where: str, model: type[Record]) -> Record:
    """A JSON file as one record of `model`."""
    return validated(json_value(text_of(data, where), where), where, model)


def records(data: bytes, where: str, model: type[Record]) -> list[Record]:
    """A JSON-lines file as records of `model`, in file order. Blank lines are skipped; an empty file gives []."""
    found: list[Record] = []
    problems: list[Problem] = []
    for place, line in _lines(text_of(data, where), where):
        try:
            if len(line) > LINE_LIMIT:
                raise InputError(Problem(place, f"line of {len(line):,} characters", expected=f"at most {LINE_LIMIT:,}"))
            found.append(validated(json_value(line, place), place, model))
        except InputError as error:
            problems.extend(error.problems)
    raise_all(problems, where)
    return found


def validated(value: object, where: str, model: type[Record]) -> Record:
    """`value` as a record of `model`; raises InputError with one problem per fault."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        faults = [dict(fault) for fault in error.errors(include_url=False)]
        of_format = [fault for fault in faults if fault["loc"] == ("format",) and fault["type"] != "missing"]
        raise InputError([_problem(fault, where, model) for fault in of_format or faults]) from None


def raise_all(problems: list[Problem], where: str) -> None:
    """Raise InputError with the problems, the first twenty in full. Nothing happens when there are none."""
    if len(problems) > PROBLEM_LIMIT:
        rest = Problem(where, f"and {len(problems) - PROBLEM_LIMIT} more problems")
        problems = [*problems[:PROBLEM_LIMIT], rest]
    if problems:
        raise InputError(problems)


def _lines(text: str, where: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"{where}:{number}", line


def _problem(fault: dict[str, Any], where: str, model: type[BaseModel]) -> Problem:
    path = ".".join(str(part) for part in fault["loc"])
    place = f"{where}: {path}" if path else where
    if fault["type"] == "extra_forbidden":
        known = _known_keys(model, fault["loc"][:-1])
        return Problem(
            place,
            "unknown key",
            str(fault["loc"][-1]),
            f"one of {', '.join(known)}" if known else "",
            nearest(str(fault["loc"][-1]), known),
        )
    if fault["type"] == "missing":
        return Problem(place, "is missing")
    if fault["loc"] == ("format",):
        return Problem(
            where,
            "unknown format version",
            fault.get("input"),
            "format 1",
            "It was written by another release of assay.",
        )
    message = str(fault["msg"]).removeprefix("Value error, ")
    return Problem(place, f"is not valid ({message})", _worth_showing(fault.get("input")))


def _worth_showing(value: object) -> object:
    """The value, or None for a mapping or list of which only the beginning could be shown."""
    is_long = isinstance(value, dict | list | tuple) and len(repr(value)) > REPR_LIMIT
    return None if is_long else value


def _known_keys(model: type[BaseModel], path: tuple[Any, ...]) -> list[str]:
    """The field names at `path` inside `model`, or [] where the path leads through something else than models."""
    here: Any = model
    for part in path:
        if isinstance(here, type) and issubclass(here, BaseModel):
            names = {(f.alias or name): f.annotation for name, f in here.model_fields.items()}
            here = _unwrapped(names.get(str(part)))
        elif get_args(here):
            here = _unwrapped(get_args(here)[-1 if get_origin(here) is dict else 0])
    if isinstance(here, type) and issubclass(here, BaseModel):
        return sorted(f.alias or name for name, f in here.model_fields.items())
    return []


def _unwrapped(kind: Any) -> Any:  # noqa: ANN401  # an annotation is anything
    """The annotation without `| None` and Annotated."""
    if get_origin(kind) is Annotated:
        return _unwrapped(get_args(kind)[0])
    if get_origin(kind) in {Union, UnionType}:
        inner = [arg for arg in get_args(kind) if arg is not type(None)]
        return _unwrapped(inner[0]) if len(inner) == 1 else None
    return kind


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # add returns None
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return value


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{_cut(text)} is out of range")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _cut(text: str) -> str:
    return text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"
