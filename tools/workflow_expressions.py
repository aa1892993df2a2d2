"""The expressions of a workflow, as far as ours use them. What is not known is an error and never an empty string."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Value = str | bool | float | None | Mapping[str, object]
_PARTS = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>-?\d+(?:\.\d+)?)|(?P<name>[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)"
    r"|(?P<sign>==|!=|&&|\|\||!|\(|\)))"
)
_WORDS: Mapping[str, Value] = {"true": True, "false": False, "null": None}


class Unknown(Exception):
    """An expression that is not understood, or a name that stands for nothing here."""


@dataclass(frozen=True)
class Job:
    """How the job stands before a step: what status functions tell."""

    has_failed: bool = False

    def status(self, name: str) -> bool:
        """`always()` and its kin."""
        known = {"always": True, "success": not self.has_failed, "failure": self.has_failed, "cancelled": False}
        if name not in known:
            raise Unknown(f"the function {name}() is not known; known are {', '.join(known)}")
        return known[name]


def filled(text: str, names: Mapping[str, object]) -> str:
    """The text with every `${{ expression }}` replaced by what it comes to. Raises Unknown."""
    return _PARTS.sub(lambda found: shown(evaluated(found[1], names, Job())), text)


def is_run(condition: object, names: Mapping[str, object], job: Job) -> bool:
    """Whether a step with this `if` is run; where it asks no status function, only while nothing has failed."""
    if condition is None:
        return not job.has_failed
    text = str(condition).strip()
    whole = _PARTS.fullmatch(text)
    expression = whole[1] if whole else text
    asks = re.search(r"\b(?:always|success|failure|cancelled)\s*\(", expression) is not None
    return (asks or not job.has_failed) and bool(evaluated(expression, names, job))


def evaluated(expression: str, names: Mapping[str, object], job: Job) -> Value:
    """What an expression comes to. Raises Unknown."""
    reader = _Reader(_tokens(expression), names, job)
    value = reader.alternative()
    if reader.left:
        raise Unknown(f"cannot be read from {reader.left[0][1]!r} on: {expression.strip()}")
    return value


def shown(value: Value) -> str:
    """A value as it stands in text."""
    if isinstance(value, bool) or value is None:
        return str(value).lower() if value is not None else ""
    if isinstance(value, Mapping):
        raise Unknown("a whole object cannot stand in text")
    return value if isinstance(value, str) else f"{value:g}"


def _tokens(expression: str) -> list[tuple[str, str]]:
    found, place = [], 0
    while expression[place:].strip():
        token = _TOKEN.match(expression, place)
        if token is None:
            raise Unknown(f"cannot be read: {expression.strip()}")
        found.append((str(token.lastgroup), token[token.lastgroup or 0]))
        place = token.end()
    return found


class _Reader:
    """Reads tokens from left to right, the weakest operator first."""

    def __init__(self, tokens: list[tuple[str, str]], names: Mapping[str, object], job: Job) -> None:
        self.left, self._names, self._job = tokens, names, job

    def alternative(self) -> Value:
        value = self._conjunction()
        while self._takes("||"):
            other = self._conjunction()
            value = value or other
        return value

    def _conjunction(self) -> Value:
        value = self._comparison()
        while self._takes("&&"):
            other = self._comparison()
            value = value and other
        return value

    def _comparison(self) -> Value:
        value = self._single()
        compare: Mapping[str, Callable[[Value, Value], bool]] = {"==": _is_equal, "!=": lambda a, b: not _is_equal(a, b)}
        for sign, outcome in compare.items():
            if self._takes(sign):
                return outcome(value, self._single())
        return value

    def _single(self) -> Value:
        if self._takes("!"):
            return not self._single()
        if self._takes("("):
            value = self.alternative()
            if not self._takes(")"):
                raise Unknown("a bracket is not closed")
            return value
        if not self.left:
            raise Unknown("ends too early")
        kind, token = self.left.pop(0)
        if kind == "text":
            return token[1:-1].replace("''", "'")
        if kind == "number":
            return float(token)
        if kind != "name":
            raise Unknown(f"{token!r} stands where a value should")
        if self._takes("("):
            if not self._takes(")"):
                raise Unknown(f"the function {token}() with arguments is not known")
            return self._job.status(token)
        return _WORDS[token] if token in _WORDS else _looked_up(token, self._names)

    def _takes(self, sign: str) -> bool:
        if self.left and self.left[0] == ("sign", sign):
            self.left.pop(0)
            return True
        return False


def _looked_up(path: str, names: Mapping[str, object]) -> Value:
    found: object = names
    for part in path.split("."):
        if not isinstance(found, Mapping) or part not in found:
            raise Unknown(f"{path} stands for nothing here; give it with --event, or do without it")
        found = found[part]
    if found is None or isinstance(found, str | bool | float | Mapping):
        return found
    return float(str(found))


def _is_equal(one: Value, other: Value) -> bool:
    """Texts are compared without case, as on the forge; values of two kinds are never equal here."""
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold() == other.casefold()
    return type(one) is type(other) and one == other
