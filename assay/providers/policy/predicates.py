"""What a rule asks of one value."""

from __future__ import annotations

import math
from collections.abc import Sized
from typing import Annotated, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from assay.model.base import Frozen

Items = TypeVar("Items", bound=Sized)


def _scalar(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not finite")
    if not isinstance(value, bool | int | float | str):
        raise ValueError("neither text, number nor truth value")
    return value


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("not a number")
    return value


def _filled(items: Items) -> Items:
    if not items:
        raise ValueError("empty; expected at least one item")
    return items


Filled = AfterValidator(_filled)
"""Marks a collection that may not be empty; told only of one whose items are all valid."""
Scalar = Annotated[bool | int | float | str, BeforeValidator(_scalar)]
Number = Annotated[float, BeforeValidator(_number)]


class CannotTell(Exception):
    """The value is absent or of another kind than the predicate speaks of, so neither yes nor no is true."""


class Predicate(Frozen):
    """One or more conditions on a value, all of which must hold."""

    equals: Scalar | None = None
    in_: Annotated[tuple[Scalar, ...], Filled] | None = Field(None, alias="in")
    at_least: Number | None = None
    at_most: Number | None = None
    above: Number | None = None
    below: Number | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        given = self.model_dump(exclude_none=True)
        if not given:
            raise ValueError("says nothing; expected equals, in, at_least, at_most, above or below")
        if self._choices() and len(given) > 1:
            raise ValueError("equals and in stand alone")
        if self.at_least is not None and self.above is not None:
            raise ValueError("at_least and above are two lower bounds")
        if self.at_most is not None and self.below is not None:
            raise ValueError("at_most and below are two upper bounds")
        self._check_order()
        return self

    def _check_order(self) -> None:
        low = self.at_least if self.above is None else self.above
        high = self.at_most if self.below is None else self.below
        if low is None or high is None:
            return
        is_open = self.above is not None or self.below is not None
        if low > high or (low == high and is_open):
            raise ValueError("no number can hold it")

    def is_met(self, value: object) -> bool:
        """Whether it holds of the value. Raises CannotTell: text is never compared with a number, nor either with a bool."""
        if value is None:
            raise CannotTell("is missing")
        choices = self._choices()
        if choices:
            kinds = {_kind(choice) for choice in choices}
            if _kind(value) not in kinds:
                raise CannotTell(f"is {value!r}, where {' or '.join(sorted(kinds))} was expected")
            return any(_kind(value) == _kind(choice) and value == choice for choice in choices)
        is_odd = isinstance(value, float) and not math.isfinite(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or is_odd:
            raise CannotTell(f"is {value!r}, where a number was expected")
        return self._holds(value)

    def texts(self) -> tuple[str, ...]:
        """The texts it compares with."""
        return tuple(choice for choice in self._choices() if isinstance(choice, str))

    def _choices(self) -> tuple[bool | int | float | str, ...]:
        if self.equals is not None:
            return (self.equals,)
        return self.in_ or ()

    def _holds(self, value: float) -> bool:
        return not (
            (self.at_least is not None and value < self.at_least)
            or (self.at_most is not None and value > self.at_most)
            or (self.above is not None and value <= self.above)
            or (self.below is not None and value >= self.below)
        )

    def __str__(self) -> str:
        words = {"in_": "one of", "at_least": "at least", "at_most": "at most"}
        given = self.model_dump(exclude_none=True)
        return " and ".join(f"{words.get(key, key)} {_shown(value)}" for key, value in given.items())


def _completed(value: object) -> object:
    """A plain value stands for `equals`, a list for `in`."""
    if isinstance(value, bool | int | float | str):
        return {"equals": value}
    return {"in": value} if isinstance(value, list | tuple) else value


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "text" if isinstance(value, str) else type(value).__name__


def _shown(value: object) -> str:
    return (
        ", ".join(map(repr, value)) if isinstance(value, tuple) else f"{value:g}" if isinstance(value, float) else repr(value)
    )


Condition = Annotated[Predicate, BeforeValidator(_completed)]
"""A predicate, or the value or list of values that it is short for."""
