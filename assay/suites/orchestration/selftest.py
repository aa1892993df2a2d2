"""score: the rules and the measures on trial, over short runs whose judgement was worked out on paper."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from assay.metrics.passk import pass_k
from assay.model.exchange import Failure, Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.score import CaseScore
from assay.model.selftest import SelfCheck
from assay.model.transcript import Event, EventKind, Transcript
from assay.suites.orchestration.rule_check import judge
from assay.suites.orchestration.rule_file import rules_from
from assay.suites.orchestration.scoring import JUDGED, score_case

STATUS = {"kept": 1.0, "broken": 0.0}
"""A judgement as a number; one that could not run is None."""
WRITE: Mapping[str, object] = {"kind": "tool_call", "name": "write"}
ANGLES: Mapping[str, object] = {"kind": "tool_call", "name": "angles"}
RUN: Sequence[tuple[EventKind, str]] = (
    ("tool_call", "angles"),
    ("tool_call", "write"),
    ("refused", "write"),
    ("error", "late"),
    ("final", "DONE"),
)
"""The run that most rules are put to."""


def selftest(judged: JUDGED = judge, repeats: Callable[[int, int, int], float] = pass_k) -> Sequence[SelfCheck]:
    """What rules and measures give beside what they must give."""

    def of(rule: Mapping[str, object], run: Sequence[tuple[EventKind, str]]) -> float | None:
        rules = rules_from([{"name": "r", **rule}], "self-test")
        (found,) = judged(rules, Transcript(id="t", events=tuple(Event(kind=kind, name=name) for kind, name in run)))
        return STATUS.get(found.status)

    return [
        SelfCheck("never before: the writer came after the angles", 1.0, of({"never": WRITE, "before": ANGLES}, RUN)),
        SelfCheck("never before: the writer came first", 0.0, of({"never": WRITE, "before": ANGLES}, RUN[1:])),
        SelfCheck("never before: nobody came at all", 1.0, of({"never": WRITE, "before": ANGLES}, RUN[3:])),
        SelfCheck(
            "since: the angles were used up", 0.0, of({"never": WRITE, "before": ANGLES, "since": WRITE}, [*RUN, RUN[1]])
        ),
        SelfCheck(
            "since: the angles were renewed", 1.0, of({"never": WRITE, "before": ANGLES, "since": WRITE}, [*RUN, *RUN[:2]])
        ),
        SelfCheck("never: it happened", 0.0, of({"never": {"kind": "error"}}, RUN)),
        SelfCheck("at most one: one", 1.0, of({"count": WRITE, "at_most": 1}, RUN)),
        SelfCheck("at most one: two", 0.0, of({"count": WRITE, "at_most": 1}, [*RUN, RUN[1]])),
        SelfCheck("at least two: one", 0.0, of({"count": WRITE, "at_least": 2}, RUN)),
        SelfCheck("at least one: one", 1.0, of({"count": WRITE, "at_least": 1}, RUN)),
        SelfCheck("exactly one: one", 1.0, of({"count": WRITE, "exactly": 1}, RUN)),
        SelfCheck("exactly none: one", 0.0, of({"count": WRITE, "exactly": 0}, RUN)),
        SelfCheck("followed by: within the next event", 1.0, of({"every": ANGLES, "followed_by": WRITE, "within": 1}, RUN)),
        SelfCheck("followed by: too late", 0.0, of({"every": ANGLES, "followed_by": {"kind": "error"}, "within": 2}, RUN)),
        SelfCheck("followed by: not by itself", 0.0, of({"every": WRITE, "followed_by": WRITE}, RUN)),
        SelfCheck("eventually: it came", 1.0, of({"eventually": {"kind": "error"}}, RUN)),
        SelfCheck("eventually: it never came", 0.0, of({"eventually": {"kind": "phase"}}, RUN)),
        SelfCheck("refused and reached", 1.0, of({"refused": "write", "reached": {"kind": "final", "name": "DONE"}}, RUN)),
        SelfCheck("reached without a refusal", 0.0, of({"refused": "angles", "reached": {"kind": "final"}}, RUN)),
        SelfCheck("the final phase", 1.0, of({"final": "DONE"}, RUN)),
        SelfCheck("another final phase", 0.0, of({"final": "FAILED"}, RUN)),
        SelfCheck("no final phase", 0.0, of({"final": "DONE"}, RUN[:4])),
        SelfCheck("nothing on the stream", 0.0, of({"stream": "run_failed"}, RUN)),
        SelfCheck("on the stream: it came", 1.0, of({"stream": "run_failed"}, [*RUN, ("stream", "run_failed")])),
        SelfCheck("on the stream: another kind does not count", 0.0, of({"stream": "late"}, RUN)),
        SelfCheck("a missing argument cannot be told", None, of(_argued("at", {"equals": 1}), RUN)),
        SelfCheck("pass^2 of 3 in 4 is C(3,2)/C(4,2)", 0.5, repeats(3, 4, 2)),
        SelfCheck("pass^1 of 3 in 4 is 3/4", 0.75, repeats(3, 4, 1)),
        SelfCheck("pass^4 of 3 in 4 is 0", 0.0, repeats(3, 4, 4)),
        *_of_cases(judged),
    ]


def _argued(path: str, predicate: Mapping[str, object]) -> dict[str, object]:
    return {"never": {**WRITE, "where": {f"arguments.{path}": dict(predicate)}}}


def _of_cases(judged: JUDGED) -> list[SelfCheck]:
    """The same through the scoring of a case."""
    good, bad = _reply(RUN), _reply(RUN[1:])
    broken = _reply(()).model_copy(update={"text": "no JSON"})
    return [
        SelfCheck("a run that keeps both rules passes", 1.0, _passed([good], judged)),
        SelfCheck("a run that breaks one does not", 0.0, _passed([bad], judged)),
        SelfCheck("one bad repeat of two fails the case", 0.0, _passed([good, bad], judged)),
        SelfCheck("one of two rules kept", 0.5, _scored([bad], judged).score),
        SelfCheck("the first violation is the first event", 0.0, _scored([bad], judged).counts.get("violation")),
        SelfCheck("a run without a transcript keeps nothing", 0.0, _scored([broken], judged).score),
        SelfCheck("a crashed run does not pass", 0.0, _passed([Failure(reason="crash", attempts=1)], judged)),
        SelfCheck("a missing run does not pass", 0.0, _passed([], judged)),
        SelfCheck("a rule that could not run is not kept", 0.0, _passed([good], judged, _argued("at", {"equals": 1}))),
    ]


def _passed(outcomes: Sequence[Outcome], judged: JUDGED, *more: Mapping[str, object]) -> float:
    return float(_scored(outcomes, judged, *more).counts["passed"])


def _scored(outcomes: Sequence[Outcome], judged: JUDGED, *more: Mapping[str, object]) -> CaseScore:
    given = [{"name": "order", "never": WRITE, "before": ANGLES}, {"name": "end", "final": "DONE"}]
    rules = [*given, *({"name": f"more-{number}", **rule} for number, rule in enumerate(more))]
    case = GoldCase.model_validate({"id": "c", "input": {}, "expected": {"user": "It works.", "rules": rules}})
    return score_case(case, outcomes, (), judged)


def _reply(run: Sequence[tuple[str, str]]) -> Reply:
    text = json.dumps([{"kind": kind, "name": name} for kind, name in run])
    return Reply(text=text, finish_reason=None, model_served=None, usage=None, latency_ms=None)
