"""The crew behind an OpenAI-compatible endpoint on loopback: one run that goes well, and outages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from assay.errors import Unrecorded, UserError
from assay.model.exchange import Exchange, Reply
from assay.model.transcript import Transcript
from assay.providers.crew.live import EndpointModel, recorded_model, reply_in, request_for
from assay.providers.crew.moves import TOOLS
from assay.providers.crew.orchestrator import Task, run
from assay.providers.crew.parts import Parts
from assay.providers.crew.port import ChatMessage, ToolCall
from assay.providers.crew.prompts import PROMPT
from assay.providers.crew.schemas import SCHEMAS, schema_of
from assay.providers.crew.target import factory
from tests.builders import provider, reply
from tests.fault_server import ANSWER, Action, FaultServer, Script, always, refusal
from tests.unit.providers.crew.runs import CASES, context, shown
from tests.unit.providers.crew.test_cases import EXPECTED

CASE = CASES["editor-passes-at-once"]
SAID = {
    "Brief": '{"tool": "consult_strategist", "arguments": {}}',
    "Result of consult_strategist": '{"tool": "assign_writer", "arguments": {"notes": "Short, please."}}',
    "Result of assign_writer": '{"tool": "request_editor_review", "arguments": {}}',
    "Result of request_editor_review": '{"tool": "finalize", "arguments": {}}',
}


def spoken(prompt: str) -> str:
    """What the served model answers to a last message; decisions are told from specialists' questions by its content."""
    if prompt.startswith("Brief: ") and "\nDraft:" in prompt:
        return '{"verdict": "pass", "notes": ""}'
    if prompt.startswith("Brief: ") and "\nAngles:" in prompt:
        return '{"draft": "Open on Sundays."}'
    return next(text for start, text in SAID.items() if prompt.startswith(start))


class Crowd:
    """Serves decisions and specialists apart: the strategist's last message is the orchestrator's first.

    `strategist` says which asking of that message is the strategist's; without a model that decides it is the first.
    """

    def __init__(self, strategist: int = 1) -> None:
        self._strategist = strategist
        self.server = FaultServer(self._script, spoken)
        self.action: Script = always(ANSWER)

    def _script(self, prompt: str, nth: int) -> Action:
        is_strategist = prompt.startswith("Brief: ") and "\n" not in prompt and nth == self._strategist
        angles = {"choices": [{"message": {"content": '{"angles": ["Sundays."]}'}}], "model": "fault-1"}
        right = Action("angles", edit=lambda body: json.dumps(angles).encode()) if is_strategist else ANSWER
        chosen = self.action(prompt, nth)
        return right if chosen is ANSWER else chosen


def served(crowd: Crowd, environ: Mapping[str, str] | None = None, **live: Any) -> Transcript:
    """The transcript of the case, by the crew that asks this server."""
    fields = {"base_url": crowd.server.url, "api_key_env": "P_KEY", "attempts": 1, **live}
    asked = provider("manual", model="m", live=fields)
    target = factory(context(provider=asked, files={}, mode="live", environ=environ or {"P_KEY": "k"}))
    return Transcript.model_validate_json(target.answer(CASE))


def test_a_live_run_goes_as_the_scripted_one_through_the_door_of_all_models() -> None:
    crowd = Crowd()
    with crowd.server as server:
        found = served(crowd)
    assert shown(found.events) == EXPECTED["editor-passes-at-once"]
    final = found.events[-1]
    assert isinstance(final.result, dict)
    assert (final.result["draft"], final.result["approved"]) == ("Open on Sundays.", True)
    assert found.events[0].arguments == {"model": "m", "chosen_by": "suite"}
    assert len(server.seen) == 7
    schemas = [seen.body["response_format"]["json_schema"]["schema"].get("title", "decision") for seen in server.seen]
    assert schemas == ["decision", "Angles", "decision", "Draft", "decision", "Review", "decision"]
    assert "From the orchestrator: Short, please." in server.seen[3].prompt


def test_an_outage_at_the_decision_step_is_a_clean_failure() -> None:
    crowd = Crowd()
    crowd.action = lambda prompt, nth: refusal(503) if prompt.startswith("Result of assign_writer") else ANSWER
    with crowd.server:
        found = served(crowd)
    assert shown(found.events) == EXPECTED["rogue-raises-at-decision"]
    assert found.events[-1].text == "no decision: HTTP 503 (attempts: 1)"


def test_a_server_that_calls_tools_is_understood() -> None:
    """As before, but every decision comes as a native tool call without content."""
    crowd = Crowd()

    def called(prompt: str, nth: int) -> Action:
        text = next((text for start, text in SAID.items() if prompt.startswith(start)), "")
        if not text or "\n" in prompt or (prompt.startswith("Brief: ") and nth == 1):
            return ANSWER
        decision = json.loads(text)
        function = {"name": decision["tool"], "arguments": json.dumps(decision["arguments"])}
        call = {"id": "call_1", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        body = {"choices": [{"message": message, "finish_reason": "tool_calls"}], "model": "fault-1"}
        return Action("tool call", edit=lambda _: json.dumps(body).encode())

    crowd.action = called
    with crowd.server as server:
        found = served(crowd)
    assert shown(found.events) == EXPECTED["editor-passes-at-once"]
    offered = [[tool["function"]["name"] for tool in seen.body.get("tools", [])] for seen in server.seen]
    assert offered == [[tool.name for tool in TOOLS], []] * 3 + [[tool.name for tool in TOOLS]]
    assert server.seen[0].body["tools"][1]["type"] == "function"


def test_an_outage_from_the_start_is_a_clean_failure() -> None:
    crowd = Crowd()
    crowd.action = always(refusal(503))
    with crowd.server:
        found = served(crowd)
    assert shown(found.events)[1:] == [
        "model_call decide",
        "error ModelOutage",
        "phase FAILED",
        "stream run_failed",
        "final FAILED",
    ]


def test_a_refused_key_is_no_outage_but_an_error_of_the_user() -> None:
    crowd = Crowd()
    crowd.action = always(refusal(401))
    with crowd.server, pytest.raises(UserError, match="refuses to answer"):
        served(crowd)


def test_a_recording_answers_as_the_endpoint_did_and_nothing_else() -> None:
    crowd, asked = Crowd(), provider("manual", model="m")
    kept: list[Exchange] = []

    def answered(purpose: str, request: Any) -> Reply:
        text = '{"angles": ["Sundays."]}' if purpose == "strategist" else spoken(request.messages[-1].content)
        kept.append(
            Exchange(request_sha256=request.fields.digest, case_id="c1", request=request.fields, reply=reply(text=text))
        )
        return reply(text=text)

    task = Task("c1", "Sundays.", "m", "suite")
    first = run(task, EndpointModel(asked, answered), Parts())
    assert run(task, recorded_model(asked, kept), Parts()) == first
    assert crowd.server.seen == []
    for length in range(len(kept)):
        purpose = ("decide", "strategist", "decide", "writer", "decide", "editor", "decide")[length]
        with pytest.raises(Unrecorded, match=f"recording of m: it does not hold a request to {purpose}"):
            run(task, recorded_model(asked, kept[:length]), Parts())


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('{"tool": "finalize", "arguments": {}}', (ToolCall("finalize"),)),
        (' {"tool": "assign_writer", "arguments": {"notes": "n"}}\n', (ToolCall("assign_writer", {"notes": "n"}),)),
        ('{"tool": "finalize"}', (ToolCall("finalize"),)),
        ('{"tool": "finalize", "arguments": null}', (ToolCall("finalize"),)),
        ('{"tool": "finalize", "arguments": "{}"}', (ToolCall("finalize"),)),
        ('{"tool": "assign_writer", "arguments": "{\\"notes\\": \\"n\\"}"}', (ToolCall("assign_writer", {"notes": "n"}),)),
        ('{"tool": "finalize", "arguments": "no JSON"}', (ToolCall("finalize"),)),
        ('{"tool": "a"}\n{"tool": "b"}', (ToolCall("a"), ToolCall("b"))),
        ('I say:\n{"tool": "a"}', ()),
        ("", ()),
        ("I would finalize.", ()),
        ('{"tool": ""}', ()),
        ('{"tool": 1}', ()),
        ("[]", ()),
        ("NaN", ()),
    ],
)
def test_a_decision_is_read_from_text(text: str, calls: tuple[ToolCall, ...]) -> None:
    assert reply_in(text).tool_calls == calls


def test_requests_are_named_by_purpose_and_messages() -> None:
    messages = (ChatMessage("user", "Brief: b"),)
    asked = [
        request_for(purpose, messages, provider()).fields.digest for purpose in ("decide", "strategist", "writer", "editor")
    ]
    assert len(set(asked)) == 4


def test_a_tool_result_and_a_decision_are_plain_messages_on_the_wire() -> None:
    call = ToolCall("assign_writer", {"notes": "n"})
    request = request_for(
        "decide", (ChatMessage("assistant", "", (call,)), ChatMessage("tool", '{"draft": 1}', tool="assign_writer")), provider()
    )
    assert [(message.role, message.content) for message in request.messages] == [
        ("assistant", '{"tool": "assign_writer", "arguments": {"notes": "n"}}'),
        ("user", 'Result of assign_writer: {"draft": 1}'),
    ]


def test_prompt_and_schemas_of_the_contract_are_whole() -> None:
    assert all(word in PROMPT for word in ("strategist", "writer", "editor", '"verdict"', '"draft"', '"angles"'))
    assert [tool["name"] for tool in SCHEMAS["tools"]] == [tool.name for tool in TOOLS]
    assert all(schema_of(purpose)["additionalProperties"] is False for purpose in ("decide", "strategist", "writer", "editor"))
    json.dumps(SCHEMAS)
