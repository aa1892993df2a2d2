"""A second evaluator of rules, from their words: quantifiers over positions, and every way in which doubts and future may turn.

An event has three facts x, y and z, each true, false or not there. A rule is satisfied by formula; a prefix breaks it for good
when no continuation of up to two events satisfies it; a doubt is settled in every way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.transcript import Event, Transcript
from assay.suites.orchestration.rule_check import check
from assay.suites.orchestration.rule_file import rules_from


@dataclass(frozen=True)
class Step:
    """What is known of an event; None is not there."""

    kind: str
    x: bool | None
    y: bool | None
    z: bool | None


def fact(name: str) -> dict[str, Any]:
    return {"where": {f"arguments.{name}": {"equals": True}}}


RULES: list[dict[str, Any]] = [
    {"never": fact("x")},
    {"never": fact("x"), "before": fact("y")},
    {"never": fact("x"), "before": fact("y"), "since": fact("z")},
    *({"count": fact("x"), "at_most": n} for n in (0, 1, 2)),
    *({"count": fact("x"), "at_most": n, "since": fact("z")} for n in (0, 1, 2)),
    *({"count": fact("x"), "at_least": n} for n in (1, 2)),
    *({"count": fact("x"), "exactly": n} for n in (0, 1, 2)),
    {"count": fact("x"), "at_least": 1, "at_most": 2},
    {"every": fact("x"), "followed_by": fact("y")},
    *({"every": fact("x"), "followed_by": fact("y"), "within": n} for n in (1, 2, 3)),
    {"eventually": fact("x")},
    {"refused": fact("x"), "reached": fact("y")},
    {"final": fact("x")},
    {"stream": fact("x")},
]
LETTERS = [Step(kind, *facts) for kind in ("refused", "final", "stream") for facts in product((True, False), repeat=3)]


def satisfied(rule: dict[str, Any], steps: Sequence[Step]) -> bool:  # noqa: PLR0911  # one formula per form
    n = range(len(steps))
    if "never" in rule:
        if "before" not in rule:
            return not any(step.x for step in steps)
        since = "since" in rule
        return all(
            any(steps[j].y and not (since and any(steps[k].z for k in range(j + 1, i))) for j in range(i + 1))
            for i in n
            if steps[i].x
        )
    if "since" in rule:
        starts = [max((k for k in range(i + 1) if steps[k].z), default=0) for i in n]
        return all(sum(bool(steps[k].x) for k in range(starts[i], i + 1)) <= rule["at_most"] for i in n)
    if "count" in rule:
        total = sum(bool(step.x) for step in steps)
        low, high = rule.get("exactly", rule.get("at_least", 0)), rule.get("exactly", rule.get("at_most", total))
        return bool(low <= total <= high)
    if "every" in rule:
        reach = rule.get("within", len(steps))
        return all(any(steps[j].y for j in n if i < j <= i + reach) for i in n if steps[i].x)
    if "refused" in rule:
        return any(steps[i].kind == "refused" and steps[i].x and steps[j].y for i in n for j in n if i < j)
    if "final" in rule:
        finals = [step for step in steps if step.kind == "final"]
        return bool(finals and finals[-1].x)
    return any(step.x and ("eventually" in rule or step.kind == "stream") for step in steps)


@cache
def futures() -> tuple[tuple[Step, ...], ...]:
    return ((), *((one,) for one in LETTERS), *((one, two) for one in LETTERS for two in LETTERS))


def first_break(rule: dict[str, Any], steps: tuple[Step, ...]) -> int | None:
    if satisfied(rule, steps):
        return None
    for at in range(len(steps)):
        if not any(satisfied(rule, steps[: at + 1] + future) for future in futures()):
            return at
    return len(steps)


def settlements(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    doubts = [(at, name) for at, step in enumerate(steps) for name in "xyz" if getattr(step, name) is None]
    for values in product((True, False), repeat=len(doubts)):
        settled = list(steps)
        for (at, name), value in zip(doubts, values, strict=True):
            settled[at] = replace(settled[at], **{name: value})
        yield tuple(settled)


def expected(rule: dict[str, Any], steps: tuple[Step, ...]) -> tuple[str, int | None]:
    """The status, and where it is broken the last of the positions that the settlements give."""
    breaks = {first_break(rule, settled) for settled in settlements(steps)}
    if breaks == {None}:
        return "kept", None
    if None in breaks:
        return "could-not-run", None
    return "broken", max(at for at in breaks if at is not None)


def event(step: Step) -> Event:
    facts = {name: value for name in "xyz" if (value := getattr(step, name)) is not None}
    return Event.model_validate({"kind": step.kind, "name": "e", "arguments": facts})


KNOWN = st.sampled_from([True, False])
STEPS = st.builds(Step, st.sampled_from(["refused", "final", "stream"]), KNOWN, KNOWN, KNOWN)


def agrees(rule: dict[str, Any], steps: tuple[Step, ...]) -> None:
    (parsed,) = rules_from([{"name": "r", **rule}], "rules")
    found = check(parsed, Transcript(id="t", events=tuple(map(event, steps))))
    assert (found.status, getattr(found, "at", None) if found.status == "broken" else None) == expected(rule, steps)


@pytest.mark.parametrize("rule", RULES, ids=str)
@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS, max_size=6).map(tuple))
def test_both_evaluators_agree_where_everything_is_known(rule: dict[str, Any], steps: tuple[Step, ...]) -> None:
    agrees(rule, steps)


@pytest.mark.parametrize("rule", RULES, ids=str)
@settings(max_examples=25, deadline=None)
@given(
    steps=st.lists(STEPS, min_size=1, max_size=5).map(tuple),
    gone=st.lists(st.tuples(st.integers(0, 4), st.sampled_from("xyz")), min_size=1, max_size=3),
)
def test_both_evaluators_agree_where_something_is_not_there(
    rule: dict[str, Any], steps: tuple[Step, ...], gone: list[tuple[int, str]]
) -> None:
    doubtful = list(steps)
    for at, name in gone:
        if at < len(doubtful):
            doubtful[at] = replace(doubtful[at], **{name: None})
    agrees(rule, tuple(doubtful))


def test_both_evaluators_agree_on_every_short_run_where_approval_is_taken_back() -> None:
    rule = {"never": fact("x"), "before": fact("y"), "since": fact("z")}
    letters = [letter for letter in LETTERS if letter.kind == "stream"]
    for length in range(4):
        for steps in product(letters, repeat=length):
            agrees(rule, steps)
