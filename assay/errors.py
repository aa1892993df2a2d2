"""The error tree, and how a message is built from its facts.

AssayError
├── UserError              someone can mend it: where, what, expected, what to do      exit 2
│   ├── InputError         a file or value that cannot be read or is not valid         exit 2
│   ├── UsageError         a command or option that does not fit                       exit 2
│   │   └── InvalidCall    a call of `evaluate` refused before anything runs; also a ValueError (assay.evaluators)
│   ├── NotComparable      a comparison across gold-set versions                       exit 2
│   ├── Incomplete         a limit stopped a live run before every case was answered   exit 3
│   └── Refused            a write that would make a number lie (baseline, recording)  exit 1
├── Unrecorded             replay needs something that was never recorded: no verdict
└── UnkeyedInput           a stage input without a content identity (a programming error)
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

REPR_LIMIT = 120


class AssayError(Exception):
    """Root of every error that assay raises on purpose."""


class UnkeyedInput(AssayError):
    """A stage was given a value whose content cannot be named by a digest."""

    def __init__(self, stage: str, name: str, value: object) -> None:
        super().__init__(
            f"stage {stage}: input {name!r} has no content identity, got {type(value).__name__}; "
            "expected a Ref or plain JSON data. Put the body into the artifact store and pass its Ref."
        )


class Unrecorded(AssayError):
    """What a target needs in replay is not in its recording, because the gold set holds something new."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, as facts; `str()` is the message."""

    where: str
    what: str
    got: object = None
    expected: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        got = "" if self.got is None else f", got {_short(self.got)}"
        expected = f"; expected {self.expected}" if self.expected else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        return f"{self.where}: {self.what}{got}{expected}.{remedy}"


class UserError(AssayError):
    """Something a user can mend. Holds every problem found, not only the first."""

    exit_code = 2

    def __init__(self, problems: Problem | Sequence[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def within(self, folder: str) -> UserError:
        """The same error with every place given below `folder`."""
        return type(self)([replace(p, where=f"{folder}/{p.where}") for p in self.problems])


class InputError(UserError):
    """A file or value that cannot be read or does not mean anything."""


class UsageError(UserError):
    """A command, option or name that does not fit."""


class NotComparable(UserError):
    """Two results that belong to different gold-set versions."""


class Incomplete(UserError):
    """A live run that a limit stopped before every case had an answer: there is nothing to judge yet."""

    exit_code = 3


class Refused(UserError):
    """A write that would make a number lie."""

    exit_code = 1


def nearest(word: str, known: Iterable[str]) -> str:
    """`did you mean 'x'?` for the closest known word, or an empty string."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"Did you mean {close[0]!r}?" if close else ""


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= REPR_LIMIT else text[: REPR_LIMIT - 1] + "…"
