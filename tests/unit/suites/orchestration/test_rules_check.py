"""Each form of rule at its edges: nothing, the same event, order, overlap; and what a judgement says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.model.transcript import Event, Transcript
from assay.suites.orchestration.rule_check import Broken, CouldNotRun, Judgement, Kept, check, judge
from assay.suites.orchestration.rule_file import rules_from


def run(steps: str) -> Transcript:
    """One event per word: a name is a tool call, `!name` a refusal, `=name` final, `~name` on the stream, `name?` without n."""
    kinds = {"!": "refused", "=": "final", "~": "stream"}
    events = []
    for step in steps.split():
        kind = kinds.get(step[0], "tool_call")
        arguments = {} if step.endswith("?") else {"n": 1}
        events.append(Event.model_validate({"kind": kind, "name": step.strip("!=~?"), "arguments": arguments}))
    return Transcript(id="t", events=tuple(events))


def judged(rule: dict[str, Any], steps: str) -> Judgement:
    (one,) = rules_from([{"name": "r", **rule}], "rules")
    return check(one, run(steps))


def short(judgement: Judgement) -> str:
    """`kept`, `vacuous`, `broken AT` or `could-not-run AT`."""
    if isinstance(judgement, Kept):
        return "vacuous" if judgement.vacuous else "kept"
    return f"{judgement.status} {judgement.at}"


X, Y, Z = {"name": "x"}, {"name": "y"}, {"name": "z"}
XY = {"name": ["x", "y"]}
NEVER = {"never": X}
BEFORE = {"never": X, "before": Y}
FRESH = {"never": X, "before": Y, "since": X}
LATEST = {"never": X, "before": Y, "since": {"name": ["y", "z"]}}
TWICE = {"count": X, "at_most": 2}
EVERY = {"every": X, "followed_by": Y}
SOON = {"every": X, "followed_by": Y, "within": 2}
SURVIVED = {"refused": "x", "reached": {"kind": "final", "name": "DONE"}}


@pytest.mark.parametrize(
    ("rule", "steps", "expected"),
    [
        (NEVER, "", "vacuous"),
        (NEVER, "y", "kept"),
        (NEVER, "y x x", "broken 1"),
        (BEFORE, "", "vacuous"),
        (BEFORE, "y y", "vacuous"),
        (BEFORE, "y x", "kept"),
        (BEFORE, "x y", "broken 0"),
        (BEFORE, "z x", "broken 1"),
        (BEFORE, "y x x", "kept"),
        ({"never": X, "before": XY}, "x", "kept"),
        (FRESH, "y x y x", "kept"),
        (FRESH, "y x x", "broken 2"),
        (FRESH, "y y x x", "broken 3"),
        (LATEST, "y x x", "kept"),
        (LATEST, "y z x", "broken 2"),
        (LATEST, "z y x", "kept"),
        (TWICE, "", "vacuous"),
        (TWICE, "y", "vacuous"),
        (TWICE, "x x", "kept"),
        (TWICE, "x y x x x", "broken 3"),
        ({"count": X, "at_most": 0}, "y", "kept"),
        ({"count": X, "at_least": 1}, "", "broken 0"),
        ({"count": X, "at_least": 2}, "y x", "broken 2"),
        ({"count": X, "at_least": 1, "at_most": 2}, "x", "kept"),
        ({"count": X, "exactly": 1}, "y x", "kept"),
        ({"count": X, "exactly": 1}, "x x y", "broken 1"),
        ({"count": X, "exactly": 1}, "y y", "broken 2"),
        ({"count": X, "exactly": 0}, "y", "kept"),
        ({"count": X, "at_most": 1, "since": Y}, "x y x y x", "kept"),
        ({"count": X, "at_most": 1, "since": Y}, "x y x x", "broken 3"),
        (EVERY, "", "vacuous"),
        (EVERY, "y", "vacuous"),
        (EVERY, "y x", "broken 2"),
        (EVERY, "x x y", "kept"),
        (EVERY, "x y x", "broken 3"),
        ({"every": X, "followed_by": X}, "x", "broken 1"),
        ({"every": X, "followed_by": X, "within": 1}, "x x z", "broken 2"),
        (SOON, "x z y", "kept"),
        (SOON, "x z z y", "broken 2"),
        (SOON, "x z", "broken 2"),
        (SOON, "z x", "broken 2"),
        (SOON, "x x z y", "broken 2"),
        ({"eventually": X}, "", "broken 0"),
        ({"eventually": X}, "y x", "kept"),
        ({"eventually": X}, "y y", "broken 2"),
        (SURVIVED, "", "broken 0"),
        (SURVIVED, "=DONE", "broken 1"),
        (SURVIVED, "x =DONE", "broken 2"),
        (SURVIVED, "!x =DONE", "kept"),
        (SURVIVED, "=DONE !x", "broken 2"),
        (SURVIVED, "!y =DONE", "broken 2"),
        (SURVIVED, "!x =FAILED", "broken 2"),
        ({"refused": "x", "reached": {"kind": "refused"}}, "!x", "broken 1"),
        ({"refused": "x", "reached": {"kind": "refused"}}, "!x !y", "kept"),
        ({"final": "DONE"}, "", "broken 0"),
        ({"final": "DONE"}, "x =DONE", "kept"),
        ({"final": "DONE"}, "=DONE x", "kept"),
        ({"final": "DONE"}, "=DONE =FAILED", "broken 2"),
        ({"final": ["DONE", "FAILED"]}, "=FAILED", "kept"),
        ({"final": "DONE"}, "DONE ~DONE", "broken 2"),
        ({"stream": "run_failed"}, "~run_failed", "kept"),
        ({"stream": "run_failed"}, "run_failed", "broken 1"),
    ],
)
def test_rule_at_its_edges(rule: dict[str, Any], steps: str, expected: str) -> None:
    assert short(judged(rule, steps)) == expected


N = {"name": "x", "where": {"arguments.n": {"equals": 1}}}


@pytest.mark.parametrize(
    ("rule", "steps", "expected"),
    [
        ({"never": N}, "y x?", "could-not-run 1"),
        ({"never": N}, "x? x", "broken 1"),
        ({"never": N, "before": Y}, "y x?", "kept"),
        ({"never": N, "before": Y}, "x? y x", "could-not-run 0"),
        ({"never": Z, "before": N}, "x? z", "could-not-run 0"),
        ({"never": Z, "before": N}, "x? x z", "kept"),
        ({"eventually": N}, "x? x", "kept"),
        ({"eventually": N}, "x? y", "could-not-run 0"),
        ({"count": N, "at_most": 1}, "x? y", "kept"),
        ({"count": N, "at_most": 1}, "x? x", "could-not-run 0"),
        ({"count": N, "exactly": 1}, "x? x", "could-not-run 0"),
        ({"count": N, "exactly": 1}, "x x x?", "broken 1"),
        ({"count": N, "exactly": 3}, "x x?", "broken 2"),
        ({"every": N, "followed_by": Y}, "x? y", "kept"),
        ({"every": N, "followed_by": Y}, "x?", "could-not-run 0"),
    ],
)
def test_a_doubt_matters_only_where_the_answer_hangs_on_it(rule: dict[str, Any], steps: str, expected: str) -> None:
    assert short(judged(rule, steps)) == expected


def test_could_not_run_names_the_event_and_the_path() -> None:
    assert judged({"never": N}, "y x? x?") == CouldNotRun(
        rule="r", at=1, reason="event 1: arguments.n is not there (and 1 more)"
    )


def test_broken_shows_the_event_and_its_neighbours_as_plain_json() -> None:
    found = judged(NEVER, "a b c x d e f")
    assert isinstance(found, Broken)
    assert found.event is not None
    assert found.event.name == "x"
    assert [event.name for event in found.before] == ["b", "c"]
    assert [event.name for event in found.after] == ["d", "e"]
    assert found.reason == "it occurred"
    plain = json.loads(found.model_dump_json())
    assert (plain["status"], plain["at"], plain["event"]["kind"]) == ("broken", 3, "tool_call")


def test_broken_at_the_end_has_no_event_but_the_trigger_and_the_last_events() -> None:
    found = judged(EVERY, "a x b c")
    assert isinstance(found, Broken)
    assert (found.at, found.event, found.trigger, found.after) == (4, None, 1, ())
    assert [event.name for event in found.before] == ["b", "c"]
    assert found.reason == "event 1 was not followed by what must come"


def test_judge_keeps_the_order_of_the_rules() -> None:
    rules = rules_from([{"name": "b", **NEVER}, {"name": "a", "eventually": X}], "rules")
    assert [one.rule for one in judge(rules, run("x"))] == ["b", "a"]
    assert [one.status for one in judge(rules, run("x"))] == ["broken", "kept"]
