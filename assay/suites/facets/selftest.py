"""score: the facet measures on trial. Every expectation is worked out on the answer below, on paper.

answer     "Water at 06:40. The pump W-17 was replaced."
responses  "Übergabe am Kai", "nothing else"
facets     06:40 (in the answer), W-17 (in the answer), übergabe (in a response), 07:15 (nowhere)
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.digest import canonical
from assay.model.exchange import Failure, Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.selftest import SelfCheck
from assay.suites.facets.answers import Event, TaskAnswer
from assay.suites.facets.scoring import STANDARD, Formulas, score_case

TEXTS = ("Water at 06:40. The pump W-17 was replaced.", "Übergabe am Kai", "nothing else")
EVENTS = (
    Event(provider="a", reasons=("latency 0.06s vs median 0.01s", "length 9 vs median 60")),
    Event(provider="b", reasons=("error: RuntimeError",)),
)
ANSWER = TaskAnswer(answer=TEXTS[0], responses=TEXTS[1:], weighted_score=0.75, constraints_met=True, events=EVENTS, subtasks=2)
FACETS = ("06:40", "W-17", "übergabe", "07:15")
TOLD = ("a: latency, length", "b: error: RuntimeError")


def selftest(formulas: Formulas = STANDARD) -> Sequence[SelfCheck]:
    """What the formulas give beside what they must give."""
    f = formulas

    def found(*facets: str, texts: Sequence[str] = TEXTS) -> float:
        return float(len(f.found(facets, texts)))

    return [
        SelfCheck("a facet of the answer is found", 1.0, found("06:40")),
        SelfCheck("a facet of a response is found", 1.0, found("am Kai")),
        SelfCheck("a facet that stands nowhere is not", 0.0, found("07:15")),
        SelfCheck("upper case does not matter in a facet", 1.0, found("PUMP w-17")),
        SelfCheck("nor in a text, beyond ASCII", 1.0, found("übergabe")),
        SelfCheck("composed and decomposed accents are the same", 1.0, found("U\u0308bergabe")),
        SelfCheck("a facet does not reach over two texts", 0.0, found("replaced. Übergabe")),
        SelfCheck("a facet inside a word is found all the same", 1.0, found("replace")),
        SelfCheck("other spacing is another facet", 0.0, found("W - 17")),
        SelfCheck("a blank facet is never found", 0.0, found(" ")),
        SelfCheck("nothing is found in no text", 0.0, found("06:40", texts=())),
        SelfCheck("three of four facets are 3/4", 0.75, f.recall(FACETS, f.found(FACETS, TEXTS))),
        SelfCheck("none of one is 0", 0.0, f.recall(("07:15",), [])),
        SelfCheck("recall without facets is undefined", None, f.recall((), [])),
        SelfCheck("one of two forbidden facets found leaves 1/2", 0.5, f.absent(("06:40", "07:15"), ["06:40"])),
        SelfCheck("no forbidden facet found is 1", 1.0, f.absent(("07:15",), [])),
        SelfCheck("absence without forbidden facets is undefined", None, f.absent((), [])),
        SelfCheck("an error event is an event as a throttle event is", 2.0, float(len(f.events(ANSWER)))),
        SelfCheck("events are told without figures", 1.0, float(tuple(f.events(ANSWER)) == TOLD)),
        *_of_cases(formulas),
    ]


def _of_cases(formulas: Formulas) -> list[SelfCheck]:
    """The same through the scoring of a case: what a missing or unreadable answer counts for, and in which mean."""
    whole, lost, broken = (
        _reply(canonical(ANSWER.model_dump(mode="json")).decode()),
        Failure(reason="gone", attempts=1),
        _reply("{}"),
    )
    silent = _reply(canonical(TaskAnswer(answer=TEXTS[0]).model_dump(mode="json")).decode())
    return [
        SelfCheck("a task's recall", 0.75, _mean("facet_recall", whole, formulas)),
        SelfCheck("a task's J", 0.75, _mean("mean_weighted_score", whole, formulas)),
        SelfCheck("a task's constraints are met", 1.0, _mean("constraints_met_rate", whole, formulas)),
        SelfCheck("a task's events are counted", 2.0, _mean("throttle_events", whole, formulas)),
        SelfCheck("its events are those expected", 1.0, _mean("events_as_expected", whole, formulas)),
        SelfCheck("one of two forbidden facets is absent", 0.5, _mean("forbidden_facets_absent", whole, formulas)),
        SelfCheck("a task without an answer counts 0", 0.0, _mean("facet_recall", None, formulas)),
        SelfCheck("a failed task counts 0", 0.0, _mean("facet_recall", lost, formulas)),
        SelfCheck("an answer that cannot be read counts 0", 0.0, _mean("facet_recall", broken, formulas)),
        SelfCheck("a failed task is not free of forbidden facets", 0.0, _mean("forbidden_facets_absent", lost, formulas)),
        SelfCheck("the J of a failed task is undefined", None, _mean("mean_weighted_score", lost, formulas)),
        SelfCheck("a J that is not told is undefined, not 0", None, _mean("mean_weighted_score", silent, formulas)),
        SelfCheck("a packaged task is in no mean of the others", None, _mean("facet_recall", whole, formulas, "bundled")),
        SelfCheck("it has a mean of its own", 0.75, _mean("bundled_facet_recall", whole, formulas, "bundled")),
    ]


def _mean(name: str, outcome: Outcome | None, formulas: Formulas, group: str = "live") -> float | None:
    asked = {"scenario": "s", "question": "?", "position": 0, "group": group}
    expected = {"facets": list(FACETS), "forbidden_facets": ["pump", "07:15"], "events": list(TOLD)}
    case = GoldCase.model_validate({"id": "s/t1", "input": asked, "expected": expected})
    counts = score_case(case, [outcome] if outcome else [], formulas).counts
    of = counts.get(f"{name} of", 0)
    return counts[name] / of if of else None


def _reply(text: str) -> Reply:
    return Reply(text=text, finish_reason=None, model_served=None, usage=None, latency_ms=None)
