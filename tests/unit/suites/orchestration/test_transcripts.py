"""Files of every form: ours round trip, what does not parse is told, and nothing is skipped."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.model.transcript import Event, Transcript
from assay.suites.orchestration.transcripts import jsonl_of, read, transcripts_of

CHAT = {"messages": [{"role": "user", "content": "Hi"}]}
TAU = {"task_id": 3, "trial": 1, "reward": 1.0, "info": {}, "traj": CHAT["messages"]}
LOG = {
    "history": [{"role": "human", "content": "How many?"}],
    "mistake_agent": "Coder",
    "mistake_step": "4",
    "mistake_reason": "It guessed.",
    "question": "How many?",
    "question_ID": "q",
    "ground_truth": "3",
}
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
    max_leaves=4,
)
EVENTS = st.builds(
    Event,
    kind=st.sampled_from(["decision", "refused", "tool_call", "model_call", "phase", "stream", "error", "final"]),
    name=st.sampled_from(["x", "y\n", "é"]),
    actor=st.none() | st.just("a"),
    arguments=st.dictionaries(st.sampled_from(["p", "q"]), JSON_VALUES, max_size=2),
    result=JSON_VALUES,
    text=st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)


def log(*steps: tuple[str, str], **changes: Any) -> tuple[Event, ...]:
    """The events of a log of (speaker, text)."""
    value = {**LOG, "history": [{"role": role, "content": text} for role, text in steps], **changes}
    return read(json.dumps(value).encode(), "1.json").recorded[0].transcript.events


@given(st.lists(st.lists(EVENTS, max_size=4), max_size=3))
def test_our_lines_round_trip(runs: list[list[Event]]) -> None:
    written = [Transcript(id=str(at), events=tuple(events)) for at, events in enumerate(runs)]
    found = read(jsonl_of(written), "t.jsonl")
    assert [one.transcript.model_copy(update={"source": None}) for one in found.recorded] == written
    assert found.skipped == 0
    assert jsonl_of(one.transcript for one in found.recorded).count(b"\n") == len(runs)


@pytest.mark.parametrize(
    ("name", "value", "form", "id_"),
    [
        ("f.json", CHAT, "chat", "f.json"),
        ("f.json", {**CHAT, "id": "t7", "model": "m"}, "chat", "t7"),
        ("f.json", CHAT["messages"], "chat", "f.json"),
        ("f.jsonl", CHAT, "chat", "f.jsonl:1"),
        ("f.json", [CHAT], "chat", "f.json: 0"),
        ("f.json", [TAU], "tau-bench", "task-3-trial-1"),
        ("f.json", LOG, "who-and-when", "f.json"),
        ("f.json", {"format": 1, "id": "a", "events": []}, "assay", "a"),
    ],
)
def test_the_form_is_told_by_the_keys(name: str, value: object, form: str, id_: str) -> None:
    found = read(json.dumps(value).encode(), name)
    assert (found.form, found.errors, found.skipped) == (form, (), 0)
    assert [one.transcript.id for one in found.recorded] == [id_]
    assert found.recorded[0].transcript.source == name


def test_labels_stand_beside_the_transcript() -> None:
    assert read(json.dumps([TAU]).encode(), "f.json").recorded[0].labels == {
        "task_id": 3,
        "trial": 1,
        "reward": 1.0,
        "info": {},
    }
    labels = read(json.dumps(LOG).encode(), "f.json").recorded[0].labels
    assert (labels["mistake_step"], labels["mistake_agent"]) == (4, "Coder")


def test_what_does_not_parse_is_a_fault_and_the_rest_is_read() -> None:
    lines = [json.dumps(CHAT), "{", json.dumps({"messages": [{"role": "tool"}]}), json.dumps({"talk": 1}), json.dumps(CHAT)]
    found = read("\n".join(lines).encode(), "f.jsonl")
    assert [one.transcript.id for one in found.recorded] == ["f.jsonl:1", "f.jsonl:5"]
    assert (found.found, found.failed, found.skipped) == (5, 3, 0)
    assert sorted(str(problem).split(":")[1] for problem in found.errors) == ["2", "3", "4"]
    with pytest.raises(InputError) as error:
        transcripts_of("\n".join(lines).encode(), "f.jsonl")
    assert len(error.value.problems) == 3


def test_a_fault_of_a_trajectory_names_file_trajectory_and_message() -> None:
    broken = {**TAU, "trial": 2, "traj": [*TAU["traj"], {"role": "tool", "tool_call_id": "c9", "content": "x"}]}  # type: ignore[misc]
    found = read(json.dumps([TAU, broken]).encode(), "f.json")
    assert [str(problem) for problem in found.errors] == [
        "f.json: 1 (task-3-trial-2): message 1: answers no call that waits for a reply, got 'c9'."
    ]
    assert (len(found.recorded), found.skipped) == (1, 0)


def test_a_fault_of_our_lines_names_line_and_event() -> None:
    line = {"format": 1, "id": "a", "events": [{"kind": "final", "name": "DONE"}, {"kind": "finl", "name": "DONE"}]}
    (problem,) = read(json.dumps(line).encode(), "t.jsonl").errors
    assert str(problem).startswith("t.jsonl:1: events.1.kind: is not valid")


def test_an_unknown_format_version_is_refused() -> None:
    (problem,) = read(b'{"format": 2, "id": "a", "events": []}', "t.jsonl").errors
    assert "unknown format version, got 2" in str(problem)


def test_an_id_that_stands_twice_is_a_fault() -> None:
    found = read(json.dumps([TAU, TAU]).encode(), "f.json")
    assert [str(problem) for problem in found.errors] == [
        "f.json: 1: the id of a transcript stands twice, got 'task-3-trial-1'."
    ]
    assert found.skipped == 0


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"3", b"null", b"\xff", b"[1]", b"[[]"])
@pytest.mark.parametrize("name", ["f.json", "f.jsonl"])
def test_a_file_without_a_transcript_is_a_fault(data: bytes, name: str) -> None:
    found = read(data, name)
    if (data, name) == (b"[]", "f.jsonl"):
        assert found.recorded[0].transcript.events == ()
        return
    assert (found.recorded, found.skipped) == ((), 0)
    assert found.errors


def test_a_step_of_a_log_is_one_event_by_its_speaker() -> None:
    found = log(
        ("human", "How many?"),
        ("Orchestrator (thought)", "Initial plan:\nask"),
        ("Orchestrator (thought)", 'Updated Ledger:\n{"is_in_loop": {"answer": true}}\nwarning: x'),
        ("Orchestrator (thought)", "Next speaker Coder\n/usr/lib: warning"),
        ("Orchestrator (thought)", "Stalled"),
        ("Orchestrator (-> Coder)", "Count."),
        ("Coder", "3"),
        ("ComputerTerminal", "exited with Unix exit code: 2"),
        ("Orchestrator (termination condition)", "No agent selected."),
    )
    assert [(event.kind, event.name, event.actor) for event in found] == [
        ("stream", "message", "human"),
        ("decision", "plan", "Orchestrator"),
        ("decision", "ledger", "Orchestrator"),
        ("decision", "next_speaker", "Orchestrator"),
        ("decision", "thought", "Orchestrator"),
        ("decision", "instruct", "Orchestrator"),
        ("stream", "message", "Coder"),
        ("tool_call", "terminal", "ComputerTerminal"),
        ("final", "stopped", "Orchestrator"),
    ]
    assert found[2].arguments == {"is_in_loop": {"answer": True}}
    assert (found[3].arguments, found[5].arguments) == ({"to": "Coder"}, {"to": "Coder"})
    assert found[7].result == {"exit_code": 2}


def test_a_terminal_without_an_exit_code_has_no_result() -> None:
    (found,) = log(("Computer_terminal", "There is no code."))
    assert (found.result, found.text) == (None, "There is no code.")


def test_a_ledger_that_is_not_json_is_a_fault_of_its_event_and_the_run_is_kept() -> None:
    value = {**LOG, "history": [*LOG["history"], {"role": "Orchestrator (thought)", "content": "Updated Ledger:\n{"}]}
    found = read(json.dumps(value).encode(), "f.json")
    assert [str(problem) for problem in found.errors] == [
        "f.json: event 1: the ledger is not JSON (Expecting property name enclosed in double quotes: line 1 column 2 (char 1))."
    ]
    assert [event.name for event in found.recorded[0].transcript.events] == ["message", "ledger"]
    assert (found.failed, found.skipped) == (0, 0)


def test_a_log_of_another_shape_is_refused_by_key() -> None:
    (problem,) = read(json.dumps({**LOG, "mistake_step": "soon"}).encode(), "f.json").errors
    assert str(problem).startswith("f.json: mistake_step: is not valid")
    (problem,) = read(json.dumps({**LOG, "histroy": 1}).encode(), "f.json").errors
    assert "Did you mean 'history'?" in str(problem)
