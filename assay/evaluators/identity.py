"""The name of a case that has none: the digest of its content, the same in every process and on every machine."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Set
from datetime import date, datetime, time
from types import BuiltinFunctionType, FunctionType, MethodType

from assay.digest import canonical, digest_of

LENGTH = 16
_LONG = 1 << 63


def content_id(value: object) -> str:
    """`case-` and 16 hexadecimal digits. Equal content gives equal names; functions and objects count by name and fields.

    Raises RecursionError for content that is nested too deeply.
    """
    return f"case-{digest_of(_form(value, ()))[:LENGTH]}"


def _form(value: object, above: tuple[int, ...]) -> object:
    """The value in JSON, types that JSON lacks marked by name. `above` are the containers around it, so that a circle ends."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if -_LONG < value < _LONG else {"int": hex(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if id(value) in above:
        return {"circle": len(above) - above.index(id(value))}
    return _compound(value, (*above, id(value)))


def _compound(value: object, above: tuple[int, ...]) -> object:
    if isinstance(value, Mapping):
        return {"mapping": _sorted([_form(key, above), _form(item, above)] for key, item in value.items())}
    if isinstance(value, datetime | date | time):
        return {type(value).__name__: value.isoformat()}
    if isinstance(value, list | tuple):
        return [_form(item, above) for item in value]
    if isinstance(value, Set):
        return {"set": _sorted(_form(item, above) for item in value)}
    if isinstance(value, type | FunctionType | BuiltinFunctionType | MethodType):
        return {"code": f"{value.__module__}.{value.__qualname__}"}
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    return {"object": kind, "fields": _form(_fields(value), above)}


def _fields(value: object) -> object:
    """What an object holds; its text where it shows no fields, unless that is only its address."""
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if getattr(value, "__dict__", None):
        return vars(value)
    is_plain = type(value).__repr__ is object.__repr__ and type(value).__str__ is object.__str__
    return None if is_plain else str(value)


def _sorted(forms: Iterable[object]) -> list[object]:
    return sorted(forms, key=canonical)
