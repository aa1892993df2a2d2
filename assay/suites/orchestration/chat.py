"""OpenAI chat messages with tool calls as a transcript. In: parsed messages. Out: events in the order of the messages.

A text of the system, developer, user or assistant is a stream event named `message` whose actor is the role. Each tool call is
one event with its parsed arguments; the tool's reply is its result (parsed where it is a JSON object or list) and, word for
word, its text. Whatever else a message holds is kept in its event's arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from assay.errors import InputError, Problem, nearest
from assay.model.transcript import Event, Transcript
from assay.reading import json_value, validated

SPEAKERS = ("system", "developer", "user", "assistant")
ROLES = (*SPEAKERS, "tool")
MESSAGE = "message"
"""The name of the stream event that a text becomes."""
_READ = {"role", "content", "tool_calls"}
_REPLY_KEYS = {"role", "content", "tool_call_id", "name"}


@dataclass
class _Draft:
    """Events under construction: a reply completes the event of its call."""

    where: str
    events: list[dict[str, Any]] = field(default_factory=list)
    unanswered: dict[str, int] = field(default_factory=dict)
    """The event of each call that waits for its reply, by call id."""
    problems: list[Problem] = field(default_factory=list)

    def report(self, place: str, what: str, got: object = None, expected: str = "", remedy: str = "") -> None:
        self.problems.append(Problem(f"{self.where}: {place}", what, got, expected, remedy))


def chat_transcript(messages: object, where: str, id: str, source: str | None = None) -> Transcript:  # noqa: A002  # the field's name
    """The transcript of a list of chat messages. A call without a reply has no result.

    An id may name a second call once the first was answered (recorded runs do so); while the first waits it may not. Raises
    InputError with every fault, placed by message.
    """
    if not isinstance(messages, list):
        raise InputError(Problem(where, "is no list of messages", messages))
    draft = _Draft(where)
    for number, message in enumerate(messages):
        place = f"message {number}"
        if not isinstance(message, dict):
            draft.report(place, "is no message", message, "an object with a role")
        elif message.get("role") == "tool":
            _reply(draft, message, place)
        elif message.get("role") in SPEAKERS:
            _speech(draft, message, place)
        else:
            hint = nearest(str(message.get("role")), ROLES)
            draft.report(place, "unknown role", message.get("role"), f"one of {', '.join(ROLES)}", hint)
    if draft.problems:
        raise InputError(draft.problems)
    return Transcript(
        id=id,
        source=source,
        events=tuple(validated(event, f"{where}: event {at}", Event) for at, event in enumerate(draft.events)),
    )


def _speech(draft: _Draft, message: dict[str, Any], place: str) -> None:
    role = message["role"]
    calls = message.get("tool_calls") or []
    rest = {key: value for key, value in message.items() if key not in _READ and value not in (None, [], {})}
    if "function_call" in rest:
        draft.report(place, "holds a function_call", rest["function_call"], "tool_calls, which took its place")
    if not isinstance(calls, list) or (calls and role != "assistant"):
        draft.report(place, "tool_calls is no list of an assistant's calls", calls)
        return
    text, parts = _text(message.get("content"))
    if text is None and "content" in message and message["content"] is not None and not parts:
        draft.report(place, "content is no text", message["content"], "a string, a list of parts or null")
    rest |= {"parts": parts} if parts else {}
    if text or rest or not calls:
        draft.events.append({"kind": "stream", "name": MESSAGE, "actor": role, "arguments": rest, "text": text})
    for number, call in enumerate(calls):
        _call(draft, call, f"{place}: tool call {number}")


def _text(content: object) -> tuple[str | None, list[Any]]:
    """The words of a content, and its parts that are no words."""
    if isinstance(content, str):
        return content, []
    if not isinstance(content, list):
        return None, []
    words = [part["text"] for part in content if _is_words(part)]
    return ("\n".join(words) if words else None), [part for part in content if not _is_words(part)]


def _is_words(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _call(draft: _Draft, call: object, place: str) -> None:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict) or call.get("type", "function") != "function":
        draft.report(place, "is no function call", call, "an object with id and function")
        return
    name, id_ = function.get("name"), call.get("id")
    if not isinstance(name, str) or not name or not isinstance(id_, str) or not id_:
        draft.report(place, "lacks a name or an id", call)
        return
    arguments = _arguments(draft, function.get("arguments"), f"{place} ({name})")
    if id_ in draft.unanswered:
        draft.report(f"{place} ({name})", "has the id of a call that still waits for its reply", id_)
    draft.unanswered[id_] = len(draft.events)
    draft.events.append({"kind": "tool_call", "name": name, "actor": "assistant", "arguments": arguments})


def _arguments(draft: _Draft, arguments: object, place: str) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json_value(arguments, f"{draft.where}: {place}: arguments")
        except InputError as error:
            draft.problems.extend(error.problems)
            return {}
    if not isinstance(arguments, dict):
        draft.report(f"{place}: arguments", "is no JSON object", arguments)
        return {}
    return arguments


def _reply(draft: _Draft, message: dict[str, Any], place: str) -> None:
    unknown = sorted(key for key, value in message.items() if key not in _REPLY_KEYS and value not in (None, [], {}))
    if unknown:
        draft.report(place, "holds a key that a tool's reply does not have", unknown[0], ", ".join(sorted(_REPLY_KEYS)))
    at = draft.unanswered.pop(str(message.get("tool_call_id")), None)
    if at is None:
        draft.report(place, "answers no call that waits for a reply", message.get("tool_call_id"))
        return
    event = draft.events[at]
    if message.get("name") not in (None, event["name"]):
        draft.report(place, "answers a call of another tool", message["name"], repr(event["name"]))
    text, parts = _text(message.get("content"))
    if text is None and message.get("content") is not None and not parts:
        draft.report(place, "content is no text", message["content"], "a string, a list of parts or null")
    event["text"] = text
    event["result"] = message["content"] if parts else _parsed(text)


def _parsed(text: str | None) -> object:
    """A JSON object or list as what it says; any other text, numbers too, as it stands."""
    if text is None or not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json_value(text, "reply")
    except InputError:
        return text
