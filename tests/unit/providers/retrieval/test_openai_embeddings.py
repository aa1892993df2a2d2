"""An embeddings endpoint on loopback: what is asked, what is taken, and every odd reply an error that says what is odd."""

from __future__ import annotations

import json
import sys
from math import sqrt
from typing import Any

import pytest

from assay.errors import Incomplete, UsageError
from assay.model.embedding import Vector
from assay.providers.budget import Budget, Limits
from assay.providers.client import EndpointRefused
from assay.providers.retrieval.embedder import normalised, vectors_of
from assay.providers.retrieval.openai_embeddings import BATCH, EmbeddingFailed, OpenAIEmbedder
from assay.providers.retrieval.semantic import Semantic
from tests.builders import provider
from tests.unit.providers.retrieval.embedding_server import Script, Seen, body_of, embedding, in_turn, right, saying, vector_of
from tests.unit.providers.retrieval.small_corpus import of_texts

KEY = "key-of-the-test"
AT_ONCE = {"Retry-After": "0"}


def embedder(seen: Seen, attempts: int = 1, limits: Limits | None = None, **live: Any) -> OpenAIEmbedder:
    given = {"base_url": seen.url, "api_key_env": "P_KEY", "attempts": attempts, "timeout_s": 10, **live}
    budget = Budget(limits, None) if limits else None
    return OpenAIEmbedder("p", provider("manual", model="e-1", live=given), 3, {"P_KEY": KEY}, budget=budget)


def embedded(script: Script, texts: list[str], **how: Any) -> tuple[list[Vector], Seen]:
    with embedding(script) as seen:
        return embedder(seen, **how).embed(texts), seen


def refusal(script: Script, **how: Any) -> tuple[str, int]:
    """The message, and how many requests were made."""
    with embedding(script) as seen, pytest.raises(EmbeddingFailed) as found:
        embedder(seen, **how).embed(["one", "three"])
    return str(found.value), len(seen.bodies)


def changed(**changes: Any) -> Script:
    return lambda texts, before: saying(body_of(texts, **changes))(texts, before)


def with_items(*items: tuple[int, object]) -> Script:
    return saying(body_of([], data=[{"index": index, "embedding": vector} for index, vector in items]))


def test_texts_go_out_and_unit_vectors_come_back() -> None:
    vectors, seen = embedded(right, ["one", "three", "one"])
    # "one" is [3, 2, 0] of length sqrt(13), "three" is [5, 2, 0] of length sqrt(29)
    assert vectors[0] == vectors[2] == pytest.approx((3 / sqrt(13), 2 / sqrt(13), 0.0), abs=1e-7)
    assert vectors[1] == pytest.approx((5 / sqrt(29), 2 / sqrt(29), 0.0), abs=1e-7)
    assert seen.bodies == [{"input": ["one", "three"], "model": "e-1", "encoding_format": "float"}]
    assert seen.paths == ["/v1/embeddings"]
    assert seen.authorizations == [f"Bearer {KEY}"]


def test_nothing_is_asked_for_no_text() -> None:
    vectors, seen = embedded(right, [])
    assert (vectors, seen.bodies) == ([], [])


def test_many_texts_go_in_batches_and_come_back_in_order() -> None:
    texts = [f"{number} {'x' * number}" for number in range(2 * BATCH + 1)]
    vectors, seen = embedded(right, texts)
    assert vectors == [normalised(vector_of(text)) for text in texts]
    assert sorted(len(body["input"]) for body in seen.bodies) == [1, BATCH, BATCH]


def test_the_vectors_keep_the_rules_of_the_port_and_rank() -> None:
    with embedding() as seen:
        subject = embedder(seen)
        assert subject.identity.model_dump() == {"model": "e-1", "model_sha256": None, "tokenizer_sha256": None, "dimension": 3}
        assert len(vectors_of(subject, ["a", "b"])) == 2
        assert Semantic(of_texts("x" * 9, "abc"), subject).search("one")[0] == ("d2", 1.0)


ODD = {
    "not JSON": (saying(b"{"), "the body is not a list of embeddings"),
    "HTML": (saying(b"<h1>Bad gateway</h1>", 200, **{"Content-Type": "text/html"}), "the body is not a list of embeddings"),
    "no data": (saying({"object": "list"}), "the body is not a list of embeddings"),
    "null data": (changed(data=None), "the body is not a list of embeddings"),
    "base64": (with_items((0, "AACAPwAAAAA="), (1, "AACAPwAAAAA=")), "the body is not a list of embeddings"),
    "a null in a vector": (with_items((0, [1, None, 0]), (1, [1, 0, 0])), "the body is not a list of embeddings"),
    "no vectors": (changed(data=[]), "0 vectors for 2 texts"),
    "too few": (with_items((0, [1, 0, 0])), "1 vectors for 2 texts"),
    "too many": (with_items((0, [1, 0, 0]), (1, [1, 0, 0]), (2, [1, 0, 0])), "3 vectors for 2 texts"),
    "unordered": (with_items((1, [1, 0, 0]), (0, [0, 1, 0])), "the vectors are not in the order of the texts"),
    "one index twice": (with_items((0, [1, 0, 0]), (0, [0, 1, 0])), "the vectors are not in the order of the texts"),
    "counted from 1": (with_items((1, [1, 0, 0]), (2, [0, 1, 0])), "the vectors are not in the order of the texts"),
    "short": (with_items((0, [1, 0, 0]), (1, [0, 1])), "a vector of dimension 2 instead of 3"),
    "long": (with_items((0, [1, 0, 0, 0]), (1, [0, 1, 0, 0])), "a vector of dimension 4 instead of 3"),
    "empty": (with_items((0, []), (1, [])), "a vector of dimension 0 instead of 3"),
    "zero": (with_items((0, [1, 0, 0]), (1, [0, 0, 0])), "a vector of length 0 has no direction"),
    "NaN": (with_items((0, [1, 0, 0]), (1, [float("nan"), 1, 0])), "a vector of length nan has no direction"),
    "infinite": (with_items((0, [1, 0, 0]), (1, [float("inf"), 1, 0])), "a vector of length inf has no direction"),
}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_reply_is_an_error_that_says_what_is_odd(odd: str) -> None:
    script, reason = ODD[odd]
    told = f"provider p: 1 of 1 requests for embeddings got no usable answer ({reason})."
    assert refusal(script) == (told, 1)


@pytest.mark.parametrize("usage", [None, "many", {}, {"prompt_tokens": -1}, {"prompt_tokens": None}])
def test_odd_usage_is_no_reason_to_lose_the_vectors(usage: object) -> None:
    vectors, _ = embedded(changed(usage=usage), ["one"])
    assert vectors == [normalised([3.0, 2.0, 0.0])]


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_may_pass_is_asked_again(status: int) -> None:
    script = in_turn(saying({"error": {}}, status, **AT_ONCE), right)
    vectors, seen = embedded(script, ["one"], attempts=2)
    assert (len(vectors), len(seen.bodies)) == (1, 2)


def test_attempts_are_limited_and_the_status_is_told() -> None:
    told, requests = refusal(saying({"error": {}}, 503, **AT_ONCE), attempts=3)
    assert told == "provider p: 1 of 1 requests for embeddings got no usable answer (HTTP 503)."
    assert requests == 3


@pytest.mark.parametrize("status", [400, 422])
def test_what_will_not_pass_is_asked_once(status: int) -> None:
    assert refusal(saying({"error": {}}, status), attempts=3)[1] == 1


def test_another_dimension_is_asked_for_once() -> None:
    assert refusal(ODD["long"][0], attempts=3)[1] == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_of_key_or_model_stops_at_once_and_hides_the_key(status: int) -> None:
    script = saying({"error": {"message": f"bad key {KEY}"}}, status)
    with embedding(script) as seen, pytest.raises(EndpointRefused) as found:
        embedder(seen, attempts=3, concurrency=1).embed([f"text {number}" for number in range(3 * BATCH)])
    assert str(found.value) == f"endpoint: refuses to answer (HTTP {status}); check key, model and address."
    assert len(seen.bodies) == 1


def test_the_text_of_an_error_is_never_told() -> None:
    told, _ = refusal(saying({"error": {"message": f"bad key {KEY}"}}, 500, **AT_ONCE))
    assert KEY not in told


def test_an_address_where_nobody_answers_is_told_without_the_address() -> None:
    with embedding() as seen:
        pass
    with pytest.raises(EmbeddingFailed) as found:
        embedder(seen).embed(["one"])
    assert (
        str(found.value)
        == "provider p: 1 of 1 requests for embeddings got no usable answer (connection failed (ConnectError))."
    )


def test_a_redirect_is_not_followed() -> None:
    with embedding() as other:
        told, _ = refusal(saying(b"", 307, Location=f"{other.url}/embeddings"))
    assert "HTTP 307" in told
    assert other.bodies == []


def test_a_limit_stops_and_says_so() -> None:
    with embedding() as seen, pytest.raises(Incomplete, match="limit of 1 requests reached"):
        embedder(seen, limits=Limits(max_requests=1), concurrency=1).embed([f"text {number}" for number in range(2 * BATCH)])
    assert len(seen.bodies) == 1


def test_a_missing_key_is_told_before_anything_is_sent() -> None:
    live = {"base_url": "http://127.0.0.1:9/v1", "api_key_env": "P_KEY"}
    with pytest.raises(UsageError, match="the variable P_KEY is not set"):
        OpenAIEmbedder("p", provider("manual", live=live), 3, {})
    with pytest.raises(UsageError, match="expected a `live` block"):
        OpenAIEmbedder("p", provider(), 3, {})


def test_without_the_client_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with embedding() as seen, pytest.raises(UsageError, match=r"pip install 'assay\[live\]'"):
        embedder(seen).embed(["one"])
    assert seen.bodies == []


def test_nothing_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    monkeypatch.setenv("OPENAI_ORG_ID", "an organisation")
    _, seen = embedded(right, ["one"])
    assert (seen.authorizations, seen.organisations) == ([f"Bearer {KEY}"], [None])


def test_a_vector_survives_as_float32() -> None:
    vectors, _ = embedded(right, ["one"])
    assert vectors == [tuple(json.loads(json.dumps(normalised(vector_of("one")))))]
