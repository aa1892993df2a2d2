"""The crew's models behind any OpenAI-compatible endpoint, through the same door as every model.

Tools are offered natively, and what the model calls comes back as text, as it does from servers that ignore tools. Earlier
decisions and results are plain messages, an assistant's JSON and a user's, so every request has a name by which it can be
recorded.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from pydantic import JsonValue

from assay.digest import digest_of
from assay.errors import InputError, Unrecorded
from assay.model.exchange import Exchange, Failure, Message, Outcome, Request
from assay.model.suite import Live, Provider
from assay.providers.asking import outcome_of
from assay.providers.budget import Budget, Limits, Pace
from assay.providers.chat import ChatEndpoint
from assay.providers.crew.choice import NAME
from assay.providers.crew.port import ChatMessage, ChatReply, ModelOutage, Purpose, Tool, ToolCall
from assay.providers.crew.schemas import schema_of, tools_of
from assay.reading import json_value

Asked = Callable[[Purpose, Request], Outcome]
"""What answers a request: an endpoint, or a recording."""


class EndpointModel:
    """A chat model over requests and replies."""

    def __init__(self, provider: Provider, asked: Asked) -> None:
        self._provider, self._asked = provider, asked

    def complete(self, purpose: Purpose, messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> ChatReply:
        """The endpoint's reply. Raises ModelOutage when there is none."""
        outcome = self._asked(purpose, request_for(purpose, messages, self._provider))
        if isinstance(outcome, Failure):
            raise ModelOutage(f"{outcome.reason} (attempts: {outcome.attempts})")
        return reply_in(outcome.text) if tools else ChatReply(outcome.text)


@contextmanager
def live_model(
    provider: Provider,
    environ: Mapping[str, str],
    budget: Budget | None = None,
    keep: Callable[[Request, Outcome], None] = lambda request, outcome: None,
) -> Iterator[EndpointModel]:
    """A model that asks the provider's endpoint, for one case. `keep` is given every exchange.

    Raises UsageError for a missing key before anything is asked.
    """
    live = provider.live or Live()
    budget, pace = budget or Budget(Limits(), live.price), Pace(live.requests_per_minute)
    endpoints: dict[Purpose, ChatEndpoint] = {}

    def asked(purpose: Purpose, request: Request) -> Outcome:
        if purpose not in endpoints:
            endpoints[purpose] = ChatEndpoint(NAME, provider, schema_of(purpose), environ, tools_of(purpose))
        outcome = runner.run(outcome_of(request, endpoints[purpose], live, budget, pace))
        keep(request, outcome)
        return outcome

    with asyncio.Runner() as runner:
        try:
            yield EndpointModel(provider, asked)
        finally:
            for endpoint in endpoints.values():
                runner.run(endpoint.close())


def recorded_model(provider: Provider, exchanges: Sequence[Exchange]) -> EndpointModel:
    """A model that answers one case from what was recorded for it: each asking of a request gets the next of its outcomes.

    What was never asked, or not so often, raises Unrecorded.
    """
    outcomes: dict[str, deque[Outcome]] = defaultdict(deque)
    for exchange in exchanges:
        outcomes[exchange.request_sha256].append(exchange.outcome)

    def asked(purpose: Purpose, request: Request) -> Outcome:
        found = outcomes.get(request.fields.digest)
        if not found:
            remedy = "Record it anew with `assay record`."
            raise Unrecorded(f"recording of {provider.model}: it does not hold a request to {purpose}. {remedy}")
        return found.popleft()

    return EndpointModel(provider, asked)


def request_for(purpose: Purpose, messages: Sequence[ChatMessage], provider: Provider) -> Request:
    """The request, whole: the messages as plain text, under the schema of the purpose."""
    return Request(
        model=provider.model,
        messages=tuple(_plain(message) for message in messages),
        schema_sha256=digest_of({"schema": schema_of(purpose), "tools": tools_of(purpose)}),
        response_format=provider.response_format,
        sampling=provider.sampling,
    )


def reply_in(text: str) -> ChatReply:
    """The decisions in a text: `{"tool": ..., "arguments": {...}}`, one, or one a line. Any other text calls no tool.

    Arguments may also be JSON within a string, as servers send them in tool calls; what is no object counts as none.
    """
    whole = _call_in(text)
    calls = [whole] if whole else [_call_in(line) for line in text.splitlines() if line.strip()]
    return ChatReply(text, tuple(call for call in calls if call) if all(calls) else ())


def _call_in(text: str) -> ToolCall | None:
    value = _json(text)
    if not isinstance(value, dict) or not isinstance(name := value.get("tool"), str) or not name:
        return None
    arguments = value.get("arguments")
    arguments = _json(arguments) if isinstance(arguments, str) else arguments
    return ToolCall(name, arguments if isinstance(arguments, dict) else {})


def _json(text: str) -> object:
    try:
        return json_value(text.strip(), "decision")
    except InputError:
        return None


def _plain(message: ChatMessage) -> Message:
    if message.role == "tool":
        return Message(role="user", content=f"Result of {message.tool}: {message.content}")
    if message.tool_calls:
        return Message(role=message.role, content="\n".join(_decision(call) for call in message.tool_calls))
    return Message(role=message.role, content=message.content)


def _decision(call: ToolCall) -> str:
    value: dict[str, JsonValue] = {"tool": call.name, "arguments": dict(call.arguments)}
    return json.dumps(value, ensure_ascii=False)
