r"""Rules over a transcript, as data. `rule_file` reads them from YAML, `rule_check` judges a transcript by them.

A rule is a mapping with a `name`, an optional `why`, and the keys of exactly one form:

    never: X                       no event X at all
    never: X, before: Y            no X unless a Y came earlier or is the same event
    ... since: Z                   likewise, but a Y counts no more once a Z came after it
    count: X, at_most: N           also at_least: N, both, or exactly: N
    ... since: Z                   with at_most alone: each Z starts the count anew
    every: X, followed_by: Y       each X has a Y after it that is not the same event
    ... within: N                  and it is one of the next N events
    eventually: X                  X occurs
    refused: X, reached: Y         a refusal X occurs, and a Y after it
    final: X                       the last event of kind `final` is X
    stream: X                      X occurs among the events of kind `stream`

X, Y and Z are patterns: `kind`, `name`, `actor` (one word, or a list of which any will do) and `where`, from paths to
predicates. After `refused`, `final` and `stream` the kind is understood, and a name or a list of names stands for the pattern.
A path is `text`, or `arguments` or `result` with dotted names and list positions. Predicates: equals, in, matches (a regular
expression that is searched for), less, greater, exists. One example of each:

    - name: no-writer-before-angles
      never: {kind: tool_call, name: assign_writer}
      before: {kind: tool_call, name: consult_strategist, where: {result.angles.0: {exists: true}}}
    - name: no-tool-writes-before-approval
      never: {kind: tool_call, name: [book, cancel]}
      before: {kind: stream, actor: user, where: {text: {matches: '(?i)\byes\b'}}}
      since: {kind: tool_call, name: [book, cancel]}
    - name: two-revisions
      count: {kind: tool_call, name: revise}
      at_most: 2
    - name: one-call-per-turn
      count: {kind: tool_call}
      at_most: 1
      since: {kind: stream, actor: user}
    - name: errors-are-reported
      every: {kind: error}
      followed_by: {kind: stream, name: run_failed}
      within: 3
    - name: asks-a-model
      eventually: {kind: model_call, where: {arguments.temperature: {less: 0.5}}}
    - name: survives-refusal
      refused: assign_writer
      reached: {kind: final, name: DONE}
    - name: ends-well
      final: [DONE, FAILED]
    - name: tells-of-failure
      stream: {name: run_failed, where: {text: {matches: 'no angles'}}}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from assay.errors import nearest
from assay.model.base import Frozen
from assay.model.suite import Name
from assay.suites.orchestration.patterns import Pattern

Favours = Literal["kept", "broken"]
Count = Annotated[int, Field(strict=True, ge=0)]
Window = Annotated[int, Field(strict=True, ge=1)]


@dataclass(frozen=True)
class Role:
    """One pattern's part in a rule: more matches of it can only ever turn the rule towards what it favours."""

    pattern: Pattern
    favours: Favours


def _of_kind(kind: str) -> Callable[[object], object]:
    """Completes a pattern whose kind is understood."""

    def completed(value: object) -> object:
        if isinstance(value, Pattern):
            value = value.model_dump(by_alias=True, exclude_unset=True)
        if isinstance(value, str | list | tuple):
            return {"kind": kind, "name": value}
        if not isinstance(value, dict):
            return value
        if value.get("kind", kind) not in (kind, [kind], (kind,)):
            raise ValueError(f"the kind is {kind!r} here; leave the key out")
        return {**value, "kind": kind}

    return completed


class _Rule(Frozen):
    name: Name
    why: str | None = None
    """Where the rule comes from, in words."""

    form: ClassVar[str]

    def roles(self) -> dict[str, Role]:
        """The rule's patterns by what they do in it."""
        raise NotImplementedError

    def trigger(self) -> str | None:
        """The role without which the rule says nothing, so that it is kept vacuously; None when it always says something."""
        return None


class Never(_Rule):
    """`never X`, or `never X before Y`."""

    form: ClassVar[str] = "never"
    never: Pattern
    before: Pattern | None = None
    since: Pattern | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.since and not self.before:
            raise ValueError("since needs before: it makes what came before count no more")
        return self

    def roles(self) -> dict[str, Role]:
        """What must not be, what allows it, and what takes the allowance back."""
        roles = {"never": Role(self.never, "broken")}
        if self.before:
            roles["before"] = Role(self.before, "kept")
        if self.since:
            roles["since"] = Role(self.since, "broken")
        return roles

    def trigger(self) -> str | None:
        """What must not be before; `never` alone always says something."""
        return "never" if self.before else None


class Counted(_Rule):
    """`X at most, at least or exactly N times`."""

    form: ClassVar[str] = "count"
    count: Pattern
    at_most: Count | None = None
    at_least: Count | None = None
    exactly: Count | None = None
    since: Pattern | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.at_most is None and self.at_least is None and self.exactly is None:
            raise ValueError("count needs at_most, at_least or exactly")
        if self.exactly is not None and (self.at_most is not None or self.at_least is not None):
            raise ValueError("exactly contradicts at_most and at_least; give one or the other")
        if self.at_least == 0:
            raise ValueError("at_least: 0 says nothing")
        if self.at_most is not None and self.at_least is not None and self.at_least > self.at_most:
            raise ValueError(f"no count is at least {self.at_least} and at most {self.at_most}")
        if self.since and (self.at_most is None or self.at_least is not None):
            raise ValueError("since goes with at_most alone")
        return self

    @property
    def most(self) -> int | None:
        """The highest count that keeps the rule; None without a bound."""
        return self.exactly if self.exactly is not None else self.at_most

    @property
    def least(self) -> int:
        """The lowest count that keeps the rule."""
        return (self.exactly if self.exactly is not None else self.at_least) or 0

    def roles(self) -> dict[str, Role]:
        """The same pattern twice, as what can be too many and what can be enough, and what starts the count anew."""
        roles = {"too_many": Role(self.count, "broken"), "enough": Role(self.count, "kept")}
        if self.since:
            roles["since"] = Role(self.since, "kept")
        return roles

    def trigger(self) -> str | None:
        """What is counted; a count of none always says something."""
        return "too_many" if self.most != 0 else None


class Every(_Rule):
    """`every X is followed by Y`."""

    form: ClassVar[str] = "every"
    every: Pattern
    followed_by: Pattern
    within: Window | None = None

    def roles(self) -> dict[str, Role]:
        """What asks for an answer, and the answer."""
        return {"every": Role(self.every, "broken"), "followed_by": Role(self.followed_by, "kept")}

    def trigger(self) -> str | None:
        """What asks for an answer."""
        return "every"


class Eventually(_Rule):
    """`eventually X`."""

    form: ClassVar[str] = "eventually"
    eventually: Pattern

    def roles(self) -> dict[str, Role]:
        """What must occur."""
        return {"wanted": Role(self.eventually, "kept")}


class Survived(_Rule):
    """`refused X and still reached Y`."""

    form: ClassVar[str] = "refused"
    refused: Annotated[Pattern, BeforeValidator(_of_kind("refused"))]
    reached: Pattern

    def roles(self) -> dict[str, Role]:
        """The refusal and what must come after it."""
        return {"refused": Role(self.refused, "kept"), "reached": Role(self.reached, "kept")}


class Final(_Rule):
    """`final phase is X`."""

    form: ClassVar[str] = "final"
    final: Annotated[Pattern, BeforeValidator(_of_kind("final"))]

    def roles(self) -> dict[str, Role]:
        """What the last event of kind `final` must be."""
        return {"final": Role(self.final, "kept")}


class Streamed(_Rule):
    """`event X on the stream`."""

    form: ClassVar[str] = "stream"
    stream: Annotated[Pattern, BeforeValidator(_of_kind("stream"))]

    def roles(self) -> dict[str, Role]:
        """What must occur."""
        return {"wanted": Role(self.stream, "kept")}


FORMS: dict[str, type[_Rule]] = {form.form: form for form in (Never, Counted, Every, Eventually, Survived, Final, Streamed)}
"""The forms by the key that names them."""


def form_of(value: object) -> str:
    """The key that tells a rule's form. Raises ValueError, with the nearest known key, where none or several stand."""
    if isinstance(value, _Rule):
        return value.form
    if not isinstance(value, dict):
        raise ValueError("a rule is a mapping with a name and the keys of one form")
    found = [key for key in FORMS if key in value]
    if len(found) > 1:
        raise ValueError(f"{' and '.join(found)} are two forms; a rule has one")
    if not found:
        known = {key for form in FORMS.values() for key in form.model_fields}
        guess = next((hint for key in value if key not in known and (hint := nearest(str(key), FORMS))), "")
        raise ValueError(f"no form; expected one of the keys {', '.join(FORMS)}. {guess}".strip())
    return found[0]


def _has_one_form(value: Any) -> Any:  # noqa: ANN401  # what a file holds
    form_of(value)
    return value


Rule = Annotated[
    Annotated[
        Annotated[Never, Tag("never")]
        | Annotated[Counted, Tag("count")]
        | Annotated[Every, Tag("every")]
        | Annotated[Eventually, Tag("eventually")]
        | Annotated[Survived, Tag("refused")]
        | Annotated[Final, Tag("final")]
        | Annotated[Streamed, Tag("stream")],
        Discriminator(form_of),
    ],
    BeforeValidator(_has_one_form),
]
"""A rule of any form, for a field of a record."""
