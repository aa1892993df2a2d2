"""Rules over a decision, as data. `policy_file` reads them from YAML, `judging` judges a decision by them.

A rule is a mapping with a `name`, an optional `why`, an optional `when` and the key of exactly one form:

    must: {path: predicate}        every predicate holds
    forbid: [outcome, ...]         the outcome is none of these; always with `when`
    present: [path, ...]           something stands there: no blank text, no empty list; false and 0 are something
    fresh: {field: path, within_days: N, of: as_of}
                                   the moment there is at most N days (within_hours, within_minutes) before `as_of`, the moment
                                   that the engine was given, or before the decision's own `timestamp`; never after it

`when` is a mapping from paths to predicates, all of which hold or the rule does not apply. Predicates: equals, in, at_least,
at_most, above, below; a plain value is short for equals, a list for in. One example of each form:

    - name: debt-burden
      when: {outcome: approve}
      must: {facts.debt_to_income: {at_most: 0.45}}
    - name: nobody-unknown
      when: {facts.identity_verified: false}
      forbid: [approve]
    - name: second-signature
      when: {outcome: approve, facts.amount: {above: 50000}}
      present: [facts.second_signatory]
    - name: recent-report
      when: {outcome: approve}
      fresh: {field: facts.bureau_report_at, within_days: 90, of: timestamp}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, StrictStr, model_validator

from assay.errors import nearest
from assay.model.base import Frozen
from assay.model.suite import Name
from assay.providers.policy.paths import DecisionPath
from assay.providers.policy.predicates import Condition, Filled, Number

Text = Annotated[StrictStr, Field(min_length=1)]
Span = Annotated[Number, Field(gt=0, le=1_000_000)]
OUTCOME = "outcome"


class _Rule(Frozen):
    form: ClassVar[str]

    name: Name
    why: Text | None = None
    """Where the rule comes from, in words."""
    when: Annotated[dict[DecisionPath, Condition], Filled] = Field(default_factory=dict)
    """What makes it apply; empty when it always does."""

    def outcomes(self) -> Iterator[str]:
        """Every outcome that the rule names."""
        if OUTCOME in self.when:
            yield from self.when[OUTCOME].texts()


class Must(_Rule):
    """Predicates that hold."""

    form: ClassVar[str] = "must"
    must: Annotated[dict[DecisionPath, Condition], Filled]

    def outcomes(self) -> Iterator[str]:
        """Those of `when` and of `must`."""
        yield from super().outcomes()
        if OUTCOME in self.must:
            yield from self.must[OUTCOME].texts()


class Forbid(_Rule):
    """Outcomes that may not be."""

    form: ClassVar[str] = "forbid"
    forbid: Annotated[tuple[Text, ...], Filled]

    @model_validator(mode="after")
    def _is_conditional(self) -> Self:
        if not self.when:
            raise ValueError("forbid needs when; an outcome that may never be belongs out of the policy's outcomes")
        if OUTCOME in self.when:
            raise ValueError("forbid names the outcome itself; leave it out of when")
        return self

    def outcomes(self) -> Iterator[str]:
        """Those that it forbids."""
        yield from self.forbid


class Present(_Rule):
    """Fields that are filled."""

    form: ClassVar[str] = "present"
    present: Annotated[tuple[DecisionPath, ...], Filled]


class Age(Frozen):
    """How old a moment may be."""

    field: DecisionPath
    within_minutes: Span | None = None
    within_hours: Span | None = None
    within_days: Span | None = None
    of: Literal["as_of", "timestamp"]

    @model_validator(mode="after")
    def _has_one_span(self) -> Self:
        spans = (self.within_minutes, self.within_hours, self.within_days)
        if sum(span is not None for span in spans) != 1:
            raise ValueError("needs exactly one of within_minutes, within_hours and within_days")
        if self.field == self.of:
            raise ValueError("a moment is never older than itself")
        return self

    def limit(self) -> timedelta:
        """The greatest age that is still fresh."""
        return timedelta(minutes=self.within_minutes or 0, hours=self.within_hours or 0, days=self.within_days or 0)


class Fresh(_Rule):
    """A moment that is recent."""

    form: ClassVar[str] = "fresh"
    fresh: Age


Rule = Must | Forbid | Present | Fresh
FORMS: Mapping[str, type[Rule]] = {rule.form: rule for rule in (Must, Forbid, Present, Fresh)}


def form_of(value: object) -> type[Rule]:
    """The form of a rule by its key. Raises ValueError for a value without a form or with two."""
    if not isinstance(value, dict):
        raise ValueError("a rule is a mapping with a name and the key of one form")
    found = [key for key in value if key in FORMS]
    if len(found) > 1:
        raise ValueError(f"{' and '.join(found)} are {len(found)} forms; a rule has one")
    if found:
        return FORMS[found[0]]
    hints = (nearest(str(key), FORMS) for key in value if key not in {"name", "why", "when"})
    hint = next(filter(None, hints), "")
    raise ValueError(f"no form; expected one of the keys {', '.join(FORMS)}{'. ' + hint if hint else ''}")
