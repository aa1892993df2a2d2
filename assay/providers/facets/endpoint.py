"""Any orchestrator behind an HTTP address that answers a question with a text and its sources (extra `live`).

One POST to `<address>/answer` per question: `{"question": ..., "session": ...}`. All questions of a scenario carry one session,
so that the service can keep its history. What comes back is a JSON object with `text`, and with `sources`, `responses`,
`weighted_score`, `constraints_met`, `events` and `subtasks` where the service has them. Keys that it has besides are ignored.
"""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from assay.providers.client import Unanswered, endpoint_of, openai_client, told_as_unanswered
from assay.providers.facets.port import Endpoint, Orchestrator, OrchestratorFactory, Surroundings
from assay.suites.facets.answers import Event, TaskAnswer
from assay.suites.facets.scenario import Scenario

PATH = "/answer"


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


class _Event(_Lenient):
    provider: str
    reasons: list[str] = Field(min_length=1)


class _Body(_Lenient):
    text: str = Field(validation_alias=AliasChoices("text", "answer"))
    sources: list[str] = Field(default_factory=list)
    responses: list[str] = Field(default_factory=list)
    weighted_score: float | None = None
    constraints_met: bool | None = None
    events: list[_Event] = Field(default_factory=list)
    subtasks: int | None = Field(None, ge=0)


class HttpOrchestrator:
    """One session at an endpoint."""

    def __init__(self, endpoint: Endpoint, session: str) -> None:
        """Raises UsageError for a missing key, address or client, before anything is sent."""
        self._address, self._key = endpoint_of(endpoint.name, endpoint.provider, endpoint.environ)
        self._timeout_s = endpoint.provider.live.timeout_s if endpoint.provider.live else 60.0
        self._session = session

    def ask(self, question: str) -> TaskAnswer:
        """The answer. Raises Unanswered, or EndpointRefused where no question can succeed."""
        return asyncio.run(self._ask({"question": question, "session": self._session}))

    async def _ask(self, body: dict[str, Any]) -> TaskAnswer:
        import httpx

        async with openai_client(self._address, self._key) as client:
            with told_as_unanswered(self._timeout_s):
                async with asyncio.timeout(self._timeout_s):
                    response = await client.post(PATH, cast_to=httpx.Response, body=body, options={"timeout": self._timeout_s})
        return _answer(response.content, response.status_code)


def endpoint_factory(endpoint: Endpoint) -> OrchestratorFactory:
    """Orchestrators of the endpoint, one session per scenario."""

    def factory(scenario: Scenario, surroundings: Surroundings) -> Orchestrator:
        return HttpOrchestrator(endpoint, f"{scenario.name}-{surroundings.seed}")

    return factory


def _answer(content: bytes, status: int) -> TaskAnswer:
    try:
        body = _Body.model_validate_json(content)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        told = f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}".removeprefix(": ")
        raise Unanswered(f"an answer that cannot be read ({told})", status=status, retry=False) from None
    return TaskAnswer(
        answer=body.text,
        responses=tuple(body.responses),
        sources=tuple(dict.fromkeys(body.sources)),
        weighted_score=body.weighted_score,
        constraints_met=body.constraints_met,
        events=tuple(Event(provider=event.provider, reasons=tuple(event.reasons)) for event in body.events),
        subtasks=body.subtasks,
    )
