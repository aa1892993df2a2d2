"""Any OpenAI-compatible chat endpoint, recorded at its raw-response boundary.

In: a Request. Out: a Reply with the text exactly as received, or an error that says whether asking again may help.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.model.exchange import Reply, Request, Usage
from assay.model.suite import Provider
from assay.providers.client import Unanswered, endpoint_of, openai_client, told_as_unanswered

OPTIONAL = ("top_p", "presence_penalty", "frequency_penalty", "seed")
"""Sampling settings that are sent only where the suite sets them."""


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Function(_Lenient):
    name: str
    arguments: str = "{}"


class _ToolCall(_Lenient):
    function: _Function


class _Message(_Lenient):
    content: str | None = None
    tool_calls: list[_ToolCall] | None = None

    @property
    def text(self) -> str | None:
        """The content; where the model called tools, one JSON object a line with their names and arguments as received."""
        calls = [{"tool": call.function.name, "arguments": call.function.arguments} for call in self.tool_calls or ()]
        return "\n".join(json.dumps(call, ensure_ascii=False) for call in calls) or self.content


class _Choice(_Lenient):
    message: _Message = _Message()
    finish_reason: str | None = None


class _Details(_Lenient):
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class _Usage(_Lenient):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _Details | None = None
    completion_tokens_details: _Details | None = None


class _Completion(_Lenient):
    id: str | None = None
    model: str | None = None
    choices: list[_Choice] = Field(default_factory=list)
    usage: object = None


class ChatEndpoint:
    """One endpoint, ready to be asked. Retrying is the caller's business, so one call is one HTTP request."""

    def __init__(
        self,
        name: str,
        provider: Provider,
        response_schema: Mapping[str, Any],
        environ: Mapping[str, str],
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Raises UsageError for a missing key, address or client, before anything is sent.

        `tools` are functions that the model may call: name, description and parameters of each. What is offered must be part of
        the request's `schema_sha256`.
        """
        self._provider, self._schema, self._tools = provider, response_schema, tools
        address, key = endpoint_of(name, provider, environ)
        self._client = openai_client(address, key)

    async def ask(self, request: Request, timeout_s: float) -> Reply:
        """The reply to one request. Raises Unanswered, or EndpointRefused where no request can succeed."""
        start = time.perf_counter()
        with told_as_unanswered(timeout_s):
            async with asyncio.timeout(timeout_s):
                raw = await self._client.chat.completions.with_raw_response.create(
                    timeout=timeout_s, **_body(request, self._schema, self._tools)
                )
        response = raw.http_response
        latency_ms = round((time.perf_counter() - start) * 1000, 1)
        return _reply(response.content, response.status_code, response.headers.get("x-request-id"), latency_ms)

    async def close(self) -> None:
        """Release the connections."""
        await self._client.close()


def _body(request: Request, schema: Mapping[str, Any], tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    sampling = request.sampling
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [message.model_dump() for message in request.messages],
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
    }
    body |= {name: value for name in OPTIONAL if (value := getattr(sampling, name)) is not None}
    if request.response_format == "json_schema":
        named = {"name": "response", "schema": _in_required_order(schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif request.response_format == "json_object":
        body["response_format"] = {"type": "json_object"}
    if tools:
        body["tools"] = [{"type": "function", "function": dict(tool)} for tool in tools]
    return body


def _in_required_order(schema: Any) -> Any:  # noqa: ANN401  # any part of a JSON Schema
    """The schema with properties in the order of `required`: what a constrained model writes first is part of the contract.

    The canonical schema, which is hashed, sorts keys but not lists, so the order that is sent follows from what is hashed.
    """
    if isinstance(schema, list):
        return [_in_required_order(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    ordered = {key: _in_required_order(value) for key, value in schema.items()}
    if isinstance(properties := ordered.get("properties"), dict):
        first = [name for name in ordered.get("required", []) if name in properties]
        ordered["properties"] = {name: properties[name] for name in dict.fromkeys([*first, *properties])}
    return ordered


def _reply(body: bytes, status: int, request_id: str | None, latency_ms: float) -> Reply:
    """The reply in a response body that claims success; raises Unanswered where there is none in it."""
    try:
        completion = _Completion.model_validate_json(body)
    except ValidationError:
        raise Unanswered("the body is not a chat completion", status=status, retry=True) from None
    if not completion.choices:
        raise Unanswered("the answer has no choices", status=status, retry=True)
    choice = completion.choices[0]
    text = choice.message.text
    if text is None:
        why = f"the answer has no content (finish reason {choice.finish_reason})"
        raise Unanswered(why, status=status, retry=True)
    return Reply(
        text=text,
        finish_reason=choice.finish_reason,
        model_served=completion.model or "unnamed",
        usage=_usage(completion.usage),
        latency_ms=latency_ms,
        request_id=request_id or completion.id,
        status=status,
    )


def _usage(value: object) -> Usage | None:
    """The endpoint's count of tokens; None where there is none that means anything. The answer is kept all the same."""
    try:
        usage = _Usage.model_validate(value)
        prompt = usage.prompt_tokens_details or _Details()
        completion = usage.completion_tokens_details or _Details()
        return Usage(
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cached_tokens=prompt.cached_tokens or 0,
            reasoning_tokens=completion.reasoning_tokens or 0,
        )
    except ValidationError:
        return None
