"""What no policy and no specialist can talk the orchestrator out of."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.transcript import Event, Transcript
from assay.providers.crew.moves import TOOLS, names
from assay.providers.crew.policy import Policy, own
from assay.providers.crew.port import ChatMessage, ChatReply, ModelOutage, ToolCall
from assay.providers.crew.scenario import Line
from assay.suites.orchestration.rule_check import judge
from tests.unit.providers.crew.runs import PASS, REVISE, RULES, events_of, said, scenario, shown

CONSULT, ASSIGN, REVIEW, FINALIZE = names(TOOLS)


def in_turn(*replies: ChatReply) -> Policy:
    """These decisions one after another; the last for ever."""
    counter = itertools.count()
    return lambda messages: replies[min(next(counter), len(replies) - 1)]


def moves(*wanted: str) -> Policy:
    return in_turn(*(ChatReply("", (ToolCall(name),)) for name in wanted))


def of_kind(events: Sequence[Event], kind: str) -> list[Event]:
    return [event for event in events if event.kind == kind]


@pytest.mark.parametrize(
    ("before", "move", "reason"),
    [
        ((), ASSIGN, "there are no angles to write from"),
        ((), REVIEW, "there is no draft to review"),
        ((), FINALIZE, "there is no draft to hand over"),
        ((CONSULT,), CONSULT, "the strategist has given its angles"),
        ((CONSULT,), FINALIZE, "there is no draft to hand over"),
        ((CONSULT, ASSIGN), ASSIGN, "the editor has not asked for a revision"),
        ((CONSULT, ASSIGN), FINALIZE, "the editor has not judged the latest draft"),
        ((CONSULT, ASSIGN, REVIEW), REVIEW, "the editor has judged this draft"),
        ((CONSULT, ASSIGN, REVIEW), FINALIZE, "the editor has asked for a revision"),
        ((CONSULT, ASSIGN, REVIEW, ASSIGN, REVIEW, ASSIGN, REVIEW), ASSIGN, "the limit of 2 revisions is reached; finalize"),
        (
            (),
            "book_a_hotel",
            "there is no such move; the moves are consult_strategist, assign_writer, request_editor_review, finalize",
        ),
    ],
)
def test_a_move_out_of_order_is_refused_with_this_reason(before: tuple[str, ...], move: str, reason: str) -> None:
    (first, *_) = of_kind(events_of(scenario(editor=[said(**REVISE)]), moves(*before, move)), "refused")
    assert (first.name, first.text) == (move, reason)


def test_a_refusal_is_told_to_the_model_as_the_tools_result() -> None:
    seen: list[Sequence[ChatMessage]] = []

    def policy(messages: Sequence[ChatMessage]) -> ChatReply:
        seen.append(tuple(messages))
        return ChatReply("", (ToolCall(ASSIGN),)) if len(seen) == 1 else own(messages[4:])

    events = events_of(scenario(), policy)
    assert events[-1].name == "DONE"
    assert seen[1][2:] == (
        ChatMessage("assistant", "", (ToolCall(ASSIGN),)),
        ChatMessage("tool", '{"refused": "there are no angles to write from"}', tool=ASSIGN),
    )


def test_a_revision_after_a_pass_is_refused() -> None:
    events = events_of(scenario(), moves(CONSULT, ASSIGN, REVIEW, ASSIGN, FINALIZE))
    assert [event.text for event in of_kind(events, "refused")] == ["the editor has not asked for a revision"]
    assert events[-1].name == "DONE"


def test_a_reply_without_a_tool_call_is_a_refused_move() -> None:
    events = events_of(scenario(), in_turn(ChatReply("Let me think about it.")))
    assert [event.name for event in of_kind(events, "refused")] == ["no_move"] * 3
    assert (events[-1].name, events[-1].text) == ("FAILED", "3 moves in a row were refused")


def test_of_several_moves_at_once_the_first_is_carried_out_and_the_others_are_refused() -> None:
    both = ChatReply("", (ToolCall(CONSULT), ToolCall(ASSIGN)))
    rest = (ChatReply("", (ToolCall(name),)) for name in (ASSIGN, REVIEW, FINALIZE))
    events = events_of(scenario(), in_turn(both, *rest))
    assert [(event.name, event.text) for event in of_kind(events, "refused")] == [(ASSIGN, "one move at a time")]
    assert events[-1].name == "DONE"


def test_a_run_that_its_model_does_not_end_is_ended_in_failure_where_nothing_may_be_handed_over() -> None:
    events = events_of(scenario(), moves(CONSULT, ASSIGN, ASSIGN))
    final = events[-1]
    assert (final.name, final.text) == ("FAILED", "3 moves in a row were refused")
    assert isinstance(final.result, dict)
    assert (final.result["draft"], final.result["drafts"]) == (None, 1)


def test_a_run_has_at_most_sixteen_moves() -> None:
    back_and_forth = [CONSULT, FINALIZE, FINALIZE, ASSIGN, FINALIZE, FINALIZE, REVIEW, FINALIZE, FINALIZE, ASSIGN]
    events = events_of(
        scenario(editor=[said(**REVISE)]), moves(*back_and_forth, FINALIZE, FINALIZE, REVIEW, CONSULT, CONSULT, ASSIGN, REVIEW)
    )
    assert len(of_kind(events, "decision")) == 16
    assert (events[-1].name, events[-1].text) == ("FAILED", "no end after 16 moves")


def test_a_specialist_that_recovers_is_no_failure_of_the_run() -> None:
    events = events_of(scenario(writer=[Line(outage="HTTP 503"), said(draft="A draft.")]))
    assert [(event.actor, event.name, event.text) for event in of_kind(events, "error")] == [
        ("writer", "ModelOutage", "HTTP 503")
    ]
    assert events[-1].name == "DONE"


def test_a_specialist_out_of_form_twice_has_failed_once() -> None:
    events = events_of(scenario(strategist=[Line(text="Sure!"), said(angle="one"), said(angles=["An angle."])]))
    assert [event.actor for event in events if event.name == "schema_mismatch"] == ["strategist"] * 2
    assert [event.name for event in of_kind(events, "error")] == ["OutOfForm"]
    assert events[-1].name == "DONE"
    assert isinstance(events[-1].result, dict)
    telemetry = events[-1].result["telemetry"]
    assert isinstance(telemetry, dict)
    assert telemetry["schema_mismatches"] == 2


def test_a_specialist_always_out_of_form_ends_the_run_in_failure() -> None:
    events = events_of(scenario(editor=[said(verdict="maybe", notes="")]))
    assert [event.name for event in of_kind(events, "error")] == ["OutOfForm"] * 2
    assert shown(events)[-3:] == ["phase FAILED", "stream run_failed", "final FAILED"]


def test_a_blank_draft_is_out_of_form() -> None:
    events = events_of(scenario(writer=[said(draft="  "), said(draft="A draft.")]))
    assert [event.actor for event in events if event.name == "schema_mismatch"] == ["writer"]


def test_what_is_no_outage_is_no_clean_failure_but_the_cases_crash() -> None:
    def policy(messages: Sequence[ChatMessage]) -> ChatReply:
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError, match="a bug"):
        events_of(scenario(), policy)


MOVES = st.sampled_from([CONSULT, ASSIGN, REVIEW, FINALIZE, "book_a_hotel", ""])
LINES = {
    "strategist": st.sampled_from([said(angles=["An angle."]), said(angles=[]), Line(text="no"), Line(outage="gone")]),
    "writer": st.sampled_from([said(draft="A draft."), said(text="no"), Line(outage="gone")]),
    "editor": st.sampled_from([said(**PASS), said(**REVISE), said(verdict="?"), Line(outage="gone")]),
}


@settings(max_examples=150, deadline=None)
@given(
    decisions=st.lists(st.lists(MOVES, max_size=2), min_size=1, max_size=20),
    gone_after=st.integers(0, 25),
    **{name: st.lists(line, min_size=1, max_size=5) for name, line in LINES.items()},
)
def test_whatever_is_decided_and_said_a_run_keeps_the_rules_of_all(
    decisions: list[list[str]], gone_after: int, strategist: list[Line], writer: list[Line], editor: list[Line]
) -> None:
    counter = itertools.count()

    def policy(messages: Sequence[ChatMessage]) -> ChatReply:
        number = next(counter)
        if number >= gone_after:
            raise ModelOutage("gone")
        return ChatReply("", tuple(ToolCall(name or "none") for name in decisions[number % len(decisions)]))

    events = events_of(scenario(strategist=strategist, writer=writer, editor=editor), policy)
    found = judge(RULES, Transcript(id="c1", events=events))
    assert [one for one in found if one.status != "kept"] == []
