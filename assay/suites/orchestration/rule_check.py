"""Rules judged over one transcript. In: `rules` and a transcript. Out: kept, broken or could-not-run, as plain records.

A predicate that cannot be told of an event leaves two readings, and each pattern can only turn a rule one way (`Role.favours`).
So the rule is read twice, with every doubt settled for it and against it: broken even when settled for it is broken, kept even
when settled against it is kept, and where the two differ the rule could not run.

The position of a violation is the index of the first event after which nothing that may follow could mend it. Where something
could always follow (`eventually`, `at_least`, `every` without `within`, `refused`, `final`, `stream`) that is the end: the
number of events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

from pydantic import Field

from assay.model.base import Frozen
from assay.model.transcript import Event, Transcript
from assay.suites.orchestration.patterns import CannotTell, Match, match
from assay.suites.orchestration.rules import Counted, Eventually, Every, Final, Never, Role, Rule, Streamed, Survived

NEIGHBOURS = 2
"""How many events are shown on each side of a violation."""


class Kept(Frozen):
    """Nothing speaks against the rule."""

    status: Literal["kept"] = "kept"
    rule: str
    vacuous: bool
    """True when the rule's trigger never occurred, or nothing did, so that nothing was put to the test."""


class Broken(Frozen):
    """The transcript breaks the rule."""

    status: Literal["broken"] = "broken"
    rule: str
    at: int = Field(ge=0)
    """The position of the first violation, from 0; the number of events when only the end broke the rule."""
    reason: str
    trigger: int | None = None
    """The earlier event that asked for what did not come, by position."""
    event: Event | None
    """The event at that position; null at the end."""
    before: tuple[Event, ...]
    """Up to two events in front of it."""
    after: tuple[Event, ...]


class CouldNotRun(Frozen):
    """The rule speaks of something that an event does not carry, and the answer hangs on it."""

    status: Literal["could-not-run"] = "could-not-run"
    rule: str
    at: int = Field(ge=0)
    """The first event that cannot be told, by position."""
    reason: str


Judgement = Annotated[Kept | Broken | CouldNotRun, Field(discriminator="status")]


@dataclass(frozen=True)
class _Break:
    at: int
    reason: str
    trigger: int | None = None


_Found = Mapping[str, Sequence[bool]]
"""For each role of a rule, which events match."""


def judge(rules: Iterable[Rule], transcript: Transcript) -> tuple[Judgement, ...]:
    """One judgement per rule, in the order of the rules."""
    return tuple(check(rule, transcript) for rule in rules)


def check(rule: Rule, transcript: Transcript) -> Judgement:
    """The judgement of one rule over the whole transcript."""
    events, roles = transcript.events, rule.roles()
    found = {name: [match(role.pattern, event) for event in events] for name, role in roles.items()}
    certain = _first_break(rule, _settled(found, roles, "kept"), events)
    if certain:
        at = certain.at
        return Broken(
            rule=rule.name,
            at=at,
            reason=certain.reason,
            trigger=certain.trigger,
            event=events[at] if at < len(events) else None,
            before=events[max(0, at - NEIGHBOURS) : at],
            after=events[at + 1 : at + 1 + NEIGHBOURS],
        )
    if _first_break(rule, _settled(found, roles, "broken"), events):
        doubts = sorted(
            {(at, one.reason) for matches in found.values() for at, one in enumerate(matches) if isinstance(one, CannotTell)}
        )
        more = f" (and {len(doubts) - 1} more)" if len(doubts) > 1 else ""
        return CouldNotRun(rule=rule.name, at=doubts[0][0], reason=f"event {doubts[0][0]}: {doubts[0][1]}{more}")
    trigger = rule.trigger()
    return Kept(rule=rule.name, vacuous=not events or (trigger is not None and not any(m is not False for m in found[trigger])))


def _settled(found: Mapping[str, Sequence[Match]], roles: Mapping[str, Role], towards: str) -> _Found:
    """The matches with every doubt settled so that the rule turns towards `kept` or `broken`."""
    return {
        name: [one if isinstance(one, bool) else roles[name].favours == towards for one in matches]
        for name, matches in found.items()
    }


def _first_break(rule: Rule, found: _Found, events: Sequence[Event]) -> _Break | None:
    breaks = cast(Callable[[Any, _Found, Sequence[Event]], _Break | None], _BREAKS[type(rule)])
    return breaks(rule, found, events)


def _never(rule: Never, found: _Found, events: Sequence[Event]) -> _Break | None:
    nothing = [False] * len(events)
    allowed = False
    for at, (hit, allows, revokes) in enumerate(
        zip(found["never"], found.get("before", nothing), found.get("since", nothing), strict=True)
    ):
        if hit and not (allowed or allows):
            return _Break(at, "it occurred before what must come first" if rule.before else "it occurred")
        allowed = allows or (allowed and not revokes)
    return None


def _counted(rule: Counted, found: _Found, events: Sequence[Event]) -> _Break | None:
    count = 0
    for at, (hit, restarts) in enumerate(zip(found["too_many"], found.get("since", [False] * len(events)), strict=True)):
        count = (0 if restarts else count) + hit
        if rule.most is not None and count > rule.most:
            return _Break(at, f"occurrence {count}, at most {rule.most} may be")
    enough = sum(found["enough"])
    if enough < rule.least:
        return _Break(len(events), f"{enough} occurred, at least {rule.least} must")
    return None


def _every(rule: Every, found: _Found, events: Sequence[Event]) -> _Break | None:
    end = len(events)
    answer = end
    first: _Break | None = None
    for at in range(end - 1, -1, -1):
        limit = end if rule.within is None else at + rule.within
        if found["every"][at] and (answer >= end or answer > limit):
            first = _Break(min(limit, end), f"event {at} was not followed by what must come", at)
        if found["followed_by"][at]:
            answer = at
    return first


def _wanted(_rule: Eventually | Streamed, found: _Found, events: Sequence[Event]) -> _Break | None:
    return None if any(found["wanted"]) else _Break(len(events), "it never occurred")


def _survived(_rule: Survived, found: _Found, events: Sequence[Event]) -> _Break | None:
    refusals = [at for at, hit in enumerate(found["refused"]) if hit]
    if not refusals:
        return _Break(len(events), "it was never refused")
    if any(found["reached"][refusals[0] + 1 :]):
        return None
    return _Break(len(events), f"refused at event {refusals[0]}, then never reached", refusals[0])


def _final(_rule: Final, found: _Found, events: Sequence[Event]) -> _Break | None:
    finals = [at for at, event in enumerate(events) if event.kind == "final"]
    if not finals:
        return _Break(len(events), "no event of kind 'final' occurred")
    if found["final"][finals[-1]]:
        return None
    return _Break(len(events), f"the final phase was {events[finals[-1]].name!r}", finals[-1])


_BREAKS: Mapping[type, object] = {
    Never: _never,
    Counted: _counted,
    Every: _every,
    Eventually: _wanted,
    Streamed: _wanted,
    Survived: _survived,
    Final: _final,
}
