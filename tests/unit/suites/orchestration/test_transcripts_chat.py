"""OpenAI chat messages as events, and every fault with its message."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import InputError
from assay.model.transcript import Event
from assay.suites.orchestration.chat import chat_transcript

USER = {"role": "user", "content": "Book LYS."}


def call(arguments: object = '{"to":"LYS"}', id: str = "c1", name: str = "book", **changes: Any) -> dict[str, Any]:  # noqa: A002
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}, **changes}


def asks(*calls: Any, content: object = None, **changes: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **changes}


def reply(content: object = '{"ok": true}', id: str = "c1", **changes: Any) -> dict[str, Any]:  # noqa: A002
    return {"role": "tool", "tool_call_id": id, "content": content, **changes}


def events(*messages: Any) -> tuple[Event, ...]:
    return chat_transcript(list(messages), "f.json", "t").events


def faults(*messages: Any) -> list[str]:
    with pytest.raises(InputError) as error:
        events(*messages)
    return [str(problem) for problem in error.value.problems]


def test_texts_are_stream_events_and_a_call_with_its_reply_is_one_event() -> None:
    assert events(USER, asks(call()), reply(name="book"), {"role": "assistant", "content": "Done."}) == (
        Event(kind="stream", name="message", actor="user", text="Book LYS."),
        Event(
            kind="tool_call", name="book", actor="assistant", arguments={"to": "LYS"}, result={"ok": True}, text='{"ok": true}'
        ),
        Event(kind="stream", name="message", actor="assistant", text="Done."),
    )


def test_text_beside_calls_comes_before_them_in_their_order() -> None:
    found = events(
        USER, asks(call(id="a", name="one"), call(id="b", name="two"), content="Wait."), reply("2", "b"), reply("1", "a")
    )
    assert [(event.name, event.text) for event in found] == [
        ("message", "Book LYS."),
        ("message", "Wait."),
        ("one", "1"),
        ("two", "2"),
    ]


@pytest.mark.parametrize(
    ("content", "result", "text"),
    [
        ("[1]", [1], "[1]"),
        ("12.5", "12.5", "12.5"),
        ("null", "null", "null"),
        ("Error: {", "Error: {", "Error: {"),
        ("{broken", "{broken", "{broken"),
        ("", "", ""),
        (None, None, None),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb", "a\nb"),
    ],
)
def test_a_reply_is_kept_word_for_word_and_parsed_where_it_is_an_object_or_list(content: Any, result: Any, text: Any) -> None:
    (_, found) = events(USER, asks(call()), reply(content))
    assert (found.result, found.text) == (result, text)


def test_a_call_without_a_reply_has_no_result() -> None:
    (found,) = events(asks(call({"to": "LYS"})))
    assert (found.arguments, found.result, found.text) == ({"to": "LYS"}, None, None)


def test_an_id_may_come_back_once_its_call_was_answered() -> None:
    found = events(asks(call('{"n":1}')), reply("one"), asks(call('{"n":2}')), reply("two"))
    assert [(event.arguments["n"], event.result) for event in found] == [(1, "one"), (2, "two")]


def test_nothing_that_a_message_holds_is_lost() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    found = events(
        {"role": "user", "name": "Ana", "content": [{"type": "text", "text": "See"}, image]},
        asks(call(), refusal=None, reasoning="short"),
        {"role": "assistant", "content": None, "refusal": "No."},
        {"role": "assistant", "content": ""},
    )
    assert found[0] == Event(
        kind="stream", name="message", actor="user", text="See", arguments={"name": "Ana", "parts": [image]}
    )
    assert found[1] == Event(kind="stream", name="message", actor="assistant", arguments={"reasoning": "short"})
    assert found[2].kind == "tool_call"
    assert found[3].arguments == {"refusal": "No."}
    assert found[4].text == ""


def test_no_messages_are_no_events() -> None:
    assert events() == ()


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        (
            [asks(call("{"))],
            "f.json: message 0: tool call 0 (book): arguments: is not JSON (Expecting property name enclosed in "
            "double quotes at column 2), got '{'.",
        ),
        (
            [asks(call('{"a":1,"a":2}'))],
            "f.json: message 0: tool call 0 (book): arguments: is not acceptable JSON (the key 'a' "
            'stands twice in one object), got \'{"a":1,"a":2}\'.',
        ),
        ([asks(call("[1]"))], "f.json: message 0: tool call 0 (book): arguments: is no JSON object, got [1]."),
        ([asks(call(None))], "f.json: message 0: tool call 0 (book): arguments: is no JSON object."),
        ([USER, reply()], "f.json: message 1: answers no call that waits for a reply, got 'c1'."),
        ([asks(call()), reply(), reply()], "f.json: message 2: answers no call that waits for a reply, got 'c1'."),
        ([asks(call()), reply(id="c2")], "f.json: message 1: answers no call that waits for a reply, got 'c2'."),
        (
            [asks(call(), call(name="pay"))],
            "f.json: message 0: tool call 1 (pay): has the id of a call that still waits for its reply, got 'c1'.",
        ),
        ([asks(call()), reply(name="pay")], "f.json: message 1: answers a call of another tool, got 'pay'; expected 'book'."),
        ([asks(call()), reply(3)], "f.json: message 1: content is no text, got 3; expected a string, a list of parts or null."),
        (
            [asks(call()), reply(extra=1)],
            "f.json: message 1: holds a key that a tool's reply does not have, got 'extra'; expected "
            "content, name, role, tool_call_id.",
        ),
        (
            [asks(call(id=""))],
            "f.json: message 0: tool call 0: lacks a name or an id, got {'id': '', 'type': 'function', "
            "'function': {'name': 'book', 'arguments': '{\"to\":\"LYS\"}'}}.",
        ),
        (
            [asks("book")],
            "f.json: message 0: tool call 0: is no function call, got 'book'; expected an object with id and function.",
        ),
        (
            [{"role": "usr", "content": "x"}],
            "f.json: message 0: unknown role, got 'usr'; expected one of system, developer, user, "
            "assistant, tool. Did you mean 'user'?",
        ),
        (["x"], "f.json: message 0: is no message, got 'x'; expected an object with a role."),
        (
            [{"role": "user", "content": 3}],
            "f.json: message 0: content is no text, got 3; expected a string, a list of parts or null.",
        ),
        ([{"role": "user", "content": "x", "tool_calls": [call()]}], None),
        (
            [{"role": "assistant", "content": None, "function_call": {"name": "book"}}],
            "f.json: message 0: holds a function_call, got {'name': 'book'}; expected tool_calls, which took its place.",
        ),
    ],
)
def test_a_fault_names_file_and_message(messages: list[Any], fault: str | None) -> None:
    found = faults(*messages)
    assert len(found) == 1
    assert fault is None or found == [fault]


def test_every_fault_is_told() -> None:
    assert len(faults(asks(call("{")), reply(), reply(), {"role": "x"})) == 3


def test_something_else_than_a_list_is_refused() -> None:
    with pytest.raises(InputError, match=r"f\.json: is no list of messages"):
        chat_transcript({"role": "user"}, "f.json", "t")
