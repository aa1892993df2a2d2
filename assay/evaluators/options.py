"""An evaluator's options, read strictly: what is not understood is said, never ignored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from numbers import Real

from assay.errors import nearest
from assay.evaluators.guard import CannotRun
from assay.evaluators.normalisers import NORMALISERS, PLAIN


def check_known(options: Mapping[str, object], known: Iterable[str]) -> None:
    """Raise CannotRun for an option that is not in `known`."""
    if not isinstance(options, Mapping):
        raise CannotRun("options", "are not a mapping", options)
    for name in options:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise CannotRun("options", "unknown option", name, f"one of: {listed}", nearest(str(name), known))


def number(value: object, where: str) -> float:
    """The value as it is, when it is a real number (infinities among them); CannotRun otherwise, NaN included."""
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        raise CannotRun(where, "is not a number", repr(value) if value is None else value, "a number")
    if value != value:  # noqa: PLR0124  # only NaN differs from itself
        raise CannotRun(where, "is NaN, which no range holds", expected="a number")
    return value  # type: ignore[return-value]  # any real number compares like a float


def bound(options: Mapping[str, object], name: str, default: float | None = None) -> float:
    """A bound of a range; CannotRun when it is missing and has no default."""
    value = options.get(name)
    if value is not None:
        return number(value, name)
    if default is None:
        raise CannotRun(name, "is missing", expected="a bound", remedy=f"Set {name} in the options.")
    return default


def share(options: Mapping[str, object], name: str, default: float) -> float:
    """A fraction in [0, 1]."""
    if name not in options:
        return default
    value = number(options[name], name)
    if not 0 <= value <= 1:
        raise CannotRun(name, "is out of range", value, "a fraction in [0, 1]")
    return value


def verdict(value: object, where: str) -> bool:
    """What a function that was passed in said: True or False, or 1 or 0. A text such as "no" is truthy, and no verdict."""
    if value not in (True, False):
        raise CannotRun(where, "returned no verdict", repr(value) if value is None else value, "True or False")
    return bool(value)


def pair(actual: object, expected: object, options: Mapping[str, object]) -> tuple[str, str]:
    """Both sides as text, in the normal form that the option `normaliser` names (default: as they are)."""
    if not isinstance(actual, str) or not isinstance(expected, str):
        where, value = ("expected", expected) if isinstance(actual, str) else ("actual", actual)
        raise CannotRun(where, "is not text", repr(value) if value is None else value, "text")
    if "normaliser" not in options:
        return actual, expected
    normal = NORMALISERS[normaliser(options)]
    return normal(actual), normal(expected)


def normaliser(options: Mapping[str, object]) -> str:
    """The name of the normal form to compare in; CannotRun for one that does not exist."""
    name = options.get("normaliser", PLAIN)
    if not isinstance(name, str) or name not in NORMALISERS:
        raise CannotRun("normaliser", "is unknown", name, f"one of {', '.join(NORMALISERS)}", nearest(str(name), NORMALISERS))
    return name
