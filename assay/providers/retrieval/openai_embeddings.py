"""Any OpenAI-compatible embeddings endpoint as an embedder (extra `live`).

A batch of texts is one Request whose messages are the texts, so it is asked under the same budget, pace, deadline and retries
as a chat; the Reply's text holds the vectors as JSON.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from assay.digest import digest_of
from assay.errors import Incomplete, Problem
from assay.model.embedding import EmbedderIdentity, Vector
from assay.model.exchange import Message, Outcome, Reply, Request, Usage
from assay.model.suite import Live, Provider, Sampling
from assay.providers.asking import ask_all
from assay.providers.budget import Budget, Limits
from assay.providers.client import Unanswered, endpoint_of, openai_client, told_as_unanswered
from assay.providers.retrieval.embedder import normalised

BATCH = 64
"""Texts per request."""
NO_SCHEMA = digest_of(None)
"""Embeddings are held to no schema."""
NOTHING_WRITTEN = Sampling(max_tokens=1)
"""An embedding has no completion; the budget counts at most one token for it."""


class EmbeddingFailed(Incomplete):
    """The endpoint gave no usable vectors, also after all retries, or a limit came first."""


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Item(_Lenient):
    index: int
    embedding: list[float]


class _Usage(_Lenient):
    prompt_tokens: int


class _Body(_Lenient):
    data: list[_Item]
    model: str | None = None
    usage: object = None


class EmbeddingsEndpoint:
    """One endpoint, ready to be asked. One call is one HTTP request."""

    def __init__(self, name: str, provider: Provider, dimension: int, environ: Mapping[str, str]) -> None:
        """Raises UsageError for a missing key, address or client, before anything is sent."""
        address, key = endpoint_of(name, provider, environ)
        self._client, self._dimension = openai_client(address, key), dimension

    async def ask(self, request: Request, timeout_s: float) -> Reply:
        """The vectors of one batch. Raises Unanswered, or EndpointRefused where no request can succeed."""
        texts = [message.content for message in request.messages]
        start = time.perf_counter()
        with told_as_unanswered(timeout_s):
            async with asyncio.timeout(timeout_s):
                raw = await self._client.embeddings.with_raw_response.create(
                    model=request.model, input=texts, encoding_format="float", timeout=timeout_s
                )
        response = raw.http_response
        body = _body(response.content, response.status_code)
        return Reply(
            text=json.dumps(_vectors(body, len(texts), self._dimension, response.status_code)),
            finish_reason=None,
            model_served=body.model,
            usage=_usage(body.usage),
            latency_ms=round((time.perf_counter() - start) * 1000, 1),
            request_id=response.headers.get("x-request-id"),
            status=response.status_code,
        )

    async def close(self) -> None:
        """Release the connections."""
        await self._client.close()


class OpenAIEmbedder:
    """Embeds batch by batch; vectors are brought to length 1 and to float32."""

    def __init__(
        self, name: str, provider: Provider, dimension: int, environ: Mapping[str, str], *, budget: Budget | None = None
    ) -> None:
        """`dimension` is what the suite declares. Raises UsageError where the provider cannot be asked."""
        endpoint_of(name, provider, environ)
        self._name, self._provider, self._dimension, self._environ = name, provider, dimension, environ
        self._live = provider.live or Live()
        self._budget = budget or Budget(Limits(), self._live.price)

    @property
    def identity(self) -> EmbedderIdentity:
        """The model as it is asked for; an endpoint shows no file."""
        return EmbedderIdentity(model=self._provider.model, dimension=self._dimension)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, each text asked for once.

        Raises EmbeddingFailed where a batch has no answer or a limit is reached, EndpointRefused where none can succeed.
        """
        distinct = list(dict.fromkeys(texts))
        batches = [distinct[start : start + BATCH] for start in range(0, len(distinct), BATCH)]
        known: dict[str, Vector] = {}
        for batch, reply in zip(batches, asyncio.run(self._replies(batches)) if batches else (), strict=True):
            known.update(zip(batch, map(tuple, json.loads(reply.text)), strict=True))
        return [known[text] for text in texts]

    async def _replies(self, batches: Sequence[Sequence[str]]) -> list[Reply]:
        endpoint = EmbeddingsEndpoint(self._name, self._provider, self._dimension, self._environ)
        outcomes: dict[str, Outcome] = {}
        planned = [(str(number), _request(self._provider.model, batch)) for number, batch in enumerate(batches)]
        try:
            stopped = await ask_all(
                planned, endpoint, self._live, self._budget, lambda number, _, found: outcomes.update({number: found})
            )
        finally:
            await endpoint.close()
        if stopped:
            raise EmbeddingFailed(Problem(f"provider {self._name}", stopped))
        replies = [outcomes[number] for number, _ in planned]
        failed = [outcome for outcome in replies if not isinstance(outcome, Reply)]
        if failed:
            reasons = "; ".join(dict.fromkeys(failure.reason for failure in failed))
            told = f"{len(failed)} of {len(planned)} requests for embeddings got no usable answer ({reasons})"
            raise EmbeddingFailed(Problem(f"provider {self._name}", told))
        return [outcome for outcome in replies if isinstance(outcome, Reply)]


def _request(model: str, texts: Sequence[str]) -> Request:
    return Request(
        model=model,
        messages=tuple(Message(role="user", content=text) for text in texts),
        schema_sha256=NO_SCHEMA,
        response_format="text",
        sampling=NOTHING_WRITTEN,
    )


def _body(data: bytes, status: int) -> _Body:
    try:
        return _Body.model_validate_json(data)
    except ValidationError:
        raise Unanswered("the body is not a list of embeddings", status=status, retry=True) from None


def _vectors(body: _Body, texts: int, dimension: int, status: int) -> list[Vector]:
    """The vectors, in the order of the texts. Raises Unanswered for whatever does not fit what was asked."""
    if len(body.data) != texts:
        raise Unanswered(f"{len(body.data)} vectors for {texts} texts", status=status, retry=True)
    if [item.index for item in body.data] != list(range(texts)):
        raise Unanswered("the vectors are not in the order of the texts", status=status, retry=True)
    found = {len(item.embedding) for item in body.data} - {dimension}
    if found:
        raise Unanswered(f"a vector of dimension {min(found)} instead of {dimension}", status=status, retry=False)
    try:
        return [normalised(item.embedding) for item in body.data]
    except ValueError as error:
        raise Unanswered(str(error), status=status, retry=True) from None


def _usage(value: object) -> Usage | None:
    """The endpoint's count of tokens; None where there is none that means anything."""
    try:
        return Usage(prompt_tokens=_Usage.model_validate(value).prompt_tokens, completion_tokens=0)
    except ValidationError:
        return None
