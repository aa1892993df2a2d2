"""What is asked, what came back, and the recording that keeps both."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from assay.digest import canonical, digest_of, sha256_hex
from assay.model.base import Frozen, IsoTime
from assay.model.suite import ResponseFormat, Sampling

ORACLE = "oracle_aligned_expected_json"
IN_PROCESS = "computed_in_process"
"""Nothing is recorded: code answers anew in every run."""
ELSEWHERE = "recorded_elsewhere"
"""Answers that were made elsewhere and lie in a file of the suite."""
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_KINDS = "oracle_aligned_expected_json|computed_in_process|recorded_elsewhere|live_[a-z0-9_-]+_recorded"
CassetteKind = Annotated[str, StringConstraints(pattern=f"^({_KINDS})$")]


class Message(Frozen):
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


class RequestFields(Frozen):
    """A request by the digests of its parts: enough to name it and to say what differs."""

    model: str
    messages_sha256: tuple[Sha256, ...]
    schema_sha256: Sha256
    response_format: ResponseFormat = "json_schema"
    sampling: Sampling
    repeat: int = Field(0, ge=0)

    @property
    def digest(self) -> str:
        """The request's name: SHA-256 over all that can change the answer. What is not set is not part of it."""
        return digest_of(self.model_dump(mode="json", exclude_none=True))


class Request(Frozen):
    """One question to a model, whole."""

    model: str
    messages: tuple[Message, ...] = Field(min_length=1)
    schema_sha256: Sha256
    response_format: ResponseFormat = "json_schema"
    """How the endpoint is held to the schema; it changes the answer, so it is part of the name."""
    sampling: Sampling
    repeat: int = Field(0, ge=0)
    """Which of several askings this is; repeats are requests of their own."""

    @property
    def fields(self) -> RequestFields:
        """The request by the digests of its parts."""
        return RequestFields(
            model=self.model,
            messages_sha256=tuple(_message_sha256(m.role, m.content) for m in self.messages),
            schema_sha256=self.schema_sha256,
            response_format=self.response_format,
            sampling=self.sampling,
            repeat=self.repeat,
        )


class Usage(Frozen):
    """Tokens as the endpoint counted them."""

    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)
    cached_tokens: int = Field(0, ge=0)
    reasoning_tokens: int = Field(0, ge=0)


class Reply(Frozen):
    """A model's answer, the text exactly as received. Null where nothing was measured."""

    text: str
    finish_reason: str | None
    model_served: str | None
    usage: Usage | None
    latency_ms: float | None = Field(ge=0)
    request_id: str | None = None
    """The endpoint's own name for the request."""
    status: int | None = None
    """The HTTP status."""


class Failure(Frozen):
    """What ended a request that got no usable answer, after all retries: an outcome, not a gap."""

    reason: str = Field(min_length=1)
    status: int | None = None
    attempts: int = Field(ge=1)


Outcome = Reply | Failure


class Exchange(Frozen):
    """One line of a cassette: a request by name, for which case, and what came of it: a raw reply or a failure."""

    request_sha256: Sha256
    case_id: str
    request: RequestFields
    reply: Reply | None = None
    failure: Failure | None = None

    @model_validator(mode="after")
    def _one_outcome(self) -> Self:
        if (self.reply is None) == (self.failure is None):
            raise ValueError("an exchange has either a reply or a failure")
        return self

    @classmethod
    def of(cls, case_id: str, request: Request, outcome: Outcome) -> Self:
        """The line of a cassette for one outcome."""
        fields = request.fields
        reply, failure = (outcome, None) if isinstance(outcome, Reply) else (None, outcome)
        return cls(request_sha256=fields.digest, case_id=case_id, request=fields, reply=reply, failure=failure)

    @property
    def outcome(self) -> Outcome:
        """The reply, or the failure."""
        if self.reply is not None:
            return self.reply
        if self.failure is not None:
            return self.failure
        raise ValueError("an exchange has either a reply or a failure")


class Contract(Frozen):
    """What a recording was made under. The texts are kept, so that a drift can be shown and not only claimed."""

    prompt_sha256: Sha256
    schema_sha256: Sha256
    prompt: str
    response_schema: str


class FileFacts(Frozen):
    """A file's content and size as they were when the recording was made."""

    sha256: Sha256
    rows: int = Field(ge=0)


class Manifest(Frozen):
    """The provenance of one cassette."""

    format: Literal[1]
    suite: str
    gold_version: str
    provider: str
    cassette_kind: CassetteKind
    model_asked: str
    model_served: str | None
    recorded_at: IsoTime
    recorded_by: str
    """The command that made the recording."""
    contract: Contract
    gold_files: dict[str, FileFacts]
    cassette: FileFacts
    cases: dict[str, Sha256]
    """Every gold case at recording time, by id, with its digest."""

    @property
    def is_oracle(self) -> bool:
        """Whether the replies were made from the expectations."""
        return self.cassette_kind == ORACLE


class TargetManifest(Frozen):
    """The provenance of what a target recorded, such as the vectors of an embedding model."""

    format: Literal[1]
    suite: str
    gold_version: str
    provider: str
    cassette_kind: CassetteKind
    model_asked: str
    model_served: str
    recorded_at: IsoTime
    recorded_by: str
    """The command that made the recording."""
    body: FileFacts
    identity: dict[str, str | int]
    """What the model is, down to its files' digests."""


@lru_cache(maxsize=64)
def _message_sha256(role: str, content: str) -> str:
    return sha256_hex(canonical([role, content]))
