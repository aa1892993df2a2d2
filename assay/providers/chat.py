"""Any OpenAI-compatible chat endpoint, recorded at its raw-response boundary.

In: a Request. Out: a Reply with the text exactly as received, or an error that says whether asking again may help.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.errors import AssayError, Problem, UsageError, UserError
from assay.model.exchange import Reply, Request, Usage
from assay.model.suite import Provider

if TYPE_CHECKING:
    from openai import AsyncOpenAI

RETRYABLE = frozenset({408, 409, 425, 429})
REFUSED = frozenset({401, 403, 404})
"""Statuses that say that no request of this run can succeed."""
OPTIONAL = ("top_p", "presence_penalty", "frequency_penalty", "seed")
"""Sampling settings that are sent only where the suite sets them."""
NO_KEY = "no-key"
"""What the client sends to an endpoint that declares no key."""


class EndpointRefused(UserError):
    """The endpoint refuses key, model or address: every further request would fail too."""


class Unanswered(AssayError):
    """One attempt got no usable answer."""

    def __init__(self, reason: str, *, status: int | None, retry: bool, retry_after_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.status, self.retry, self.retry_after_s = reason, status, retry, retry_after_s


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Message(_Lenient):
    content: str | None = None


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

    def __init__(self, name: str, provider: Provider, response_schema: Mapping[str, Any], environ: Mapping[str, str]) -> None:
        """Raises UsageError for a missing key, address or client, before anything is sent."""
        self._provider, self._schema = provider, response_schema
        address, key = endpoint_of(name, provider, environ)
        self._client = _client(address, key)

    async def ask(self, request: Request, timeout_s: float) -> Reply:
        """The reply to one request. Raises Unanswered, or EndpointRefused where no request can succeed."""
        import openai

        start = time.perf_counter()
        try:
            async with asyncio.timeout(timeout_s):
                raw = await self._client.chat.completions.with_raw_response.create(
                    timeout=timeout_s, **_body(request, self._schema)
                )
        except openai.APIStatusError as error:
            raise _status_error(error) from None
        except (openai.APITimeoutError, TimeoutError):
            raise Unanswered(f"no answer within {timeout_s:g} s", status=None, retry=True) from None
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise Unanswered(f"connection failed ({type(cause).__name__})", status=None, retry=True) from None
        response = raw.http_response
        latency_ms = round((time.perf_counter() - start) * 1000, 1)
        return _reply(response.content, response.status_code, response.headers.get("x-request-id"), latency_ms)

    async def close(self) -> None:
        """Release the connections."""
        await self._client.close()


def endpoint_of(name: str, provider: Provider, environ: Mapping[str, str]) -> tuple[str, str]:
    """Address and key. Raises UsageError that names the missing variable; nothing stands in for it."""
    live = provider.live
    if live is None:
        raise UsageError(Problem(f"provider {name}", "cannot be asked", expected="a `live` block in suite.yaml"))
    address = (environ.get(live.base_url_env) if live.base_url_env else None) or live.base_url
    if not address:
        wanted = live.base_url_env or "base_url"
        raise UsageError(Problem(f"provider {name}", f"{wanted} is not set", expected="the endpoint's address"))
    key = environ.get(live.api_key_env, "").strip() if live.api_key_env else NO_KEY
    if not key:
        remedy = f"Set it with `export {live.api_key_env}=...`; nothing was asked."
        raise UsageError(Problem(f"provider {name}", f"the variable {live.api_key_env} is not set", remedy=remedy))
    _refuse_unusable(name, live.base_url_env or "base_url", live.api_key_env or "key", address, key)
    return address, key


def _refuse_unusable(name: str, address_name: str, key_name: str, address: str, key: str) -> None:
    """Raise UsageError, without showing either, for an address or key that no request can carry."""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or not address.isprintable() or " " in address:
        raise UsageError(
            Problem(f"provider {name}", f"{address_name} is not an address", expected="http(s)://host[:port]/path")
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UsageError(Problem(f"provider {name}", f"{key_name} is not a key", expected="printable ASCII on one line"))


def _client(address: str, key: str) -> AsyncOpenAI:
    try:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient
    except ImportError:
        raise UsageError(
            Problem("providers", "the openai client is not installed", remedy="Install it with `pip install 'assay[live]'`.")
        ) from None
    parts = urlsplit(address)
    bare = urlunsplit(parts._replace(query="", fragment=""))
    with _without_client_settings():
        return AsyncOpenAI(
            base_url=bare,
            default_query=dict(parse_qsl(parts.query)),
            api_key=key,
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(trust_env=False, follow_redirects=False),
        )


@contextmanager
def _without_client_settings() -> Iterator[None]:
    """The client reads organisation, project and headers from the environment; what is asked is in suite.yaml alone."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("OPENAI_")}
    try:
        yield
    finally:
        os.environ.update(kept)


def _body(request: Request, schema: Mapping[str, Any]) -> dict[str, Any]:
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
    if choice.message.content is None:
        why = f"the answer has no content (finish reason {choice.finish_reason})"
        raise Unanswered(why, status=status, retry=True)
    return Reply(
        text=choice.message.content,
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


def _status_error(error: Any) -> Exception:  # noqa: ANN401  # an openai.APIStatusError; the client is imported lazily
    status: int = error.status_code
    if status in REFUSED:
        return EndpointRefused(Problem("endpoint", f"refuses to answer (HTTP {status}); check key, model and address"))
    retry = status in RETRYABLE or status >= 500  # noqa: PLR2004  # HTTP's server errors
    return Unanswered(
        f"HTTP {status}", status=status, retry=retry, retry_after_s=retry_after_s(error.response.headers.get("retry-after"))
    )


def retry_after_s(header: str | None, now: datetime | None = None) -> float | None:
    """Seconds to wait by a Retry-After header, given in seconds or as a date; None when there is none that means anything."""
    if header is None:
        return None
    try:
        seconds = float(header)
        return max(0.0, seconds) if isfinite(seconds) else None
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(header) - (now or datetime.now(UTC))).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None
