"""Canary secrets wherever an endpoint can put them: a search of every written byte finds none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.counting_server import Endpoint, Slips, counting
from tests.stages.canaries import DROPPED, LIVE, QUERY, SHAPE, Stage, echoing
from tests.stages.copies import GOLD
from tests.stages.recordings import KEY, RECORD, Recorder, answered, bare, counted, recorder

FIELDS = ("text", "text in base64", "request_id", "request_id of the body", "model_served", "finish_reason", "reason")
NAMED = ("text", "request_id", "model_served", "finish_reason", "reason")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with counting() as running:
        yield running


@pytest.fixture(scope="module")
def running(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorder]:
    with recorder(tmp_path_factory.mktemp("recorder") / "said.txt", endpoint) as found:
        yield found


@pytest.fixture
def stage(endpoint: Endpoint, tmp_path: Path) -> Stage:
    """Two cases, and an endpoint that lets slip what is not kept."""
    endpoint.slips = DROPPED
    endpoint.seen.clear()
    endpoint.counts.clear()
    return Stage(tmp_path, counted(bare(tmp_path / "project"), 2), endpoint)


def test_what_an_endpoint_lets_slip_beside_its_replies_is_written_nowhere(stage: Stage) -> None:
    recorded = stage.run(*RECORD)
    assert (recorded.code, "counted: 2 outcomes (2 asked now, 0 without an answer)" in recorded.text) == (0, True)
    assert len(answered(stage.recording.cassette.read_bytes())) == 2
    live = stage.run(*LIVE, "--offline")
    assert "counted" in live.text
    assert list((stage.folder / "assay-home").rglob("evidence-counted.jsonl"))
    # Of 2 requests each fails once; then the live run asks both again.
    assert [header for _, header in stage.endpoint.seen] == [f"Bearer {KEY}"] * 6
    assert all(QUERY in path for path, _ in stage.endpoint.seen)
    assert stage.leaks() == []


def test_the_query_of_the_address_is_sent_as_a_query(stage: Stage, running: Recorder) -> None:
    assert stage.run_by(running, *RECORD).code == 0
    assert {path for path, _ in stage.endpoint.seen} == {f"/v1/chat/completions?token={QUERY}"}


@pytest.mark.parametrize(
    ("field", "secret"), [*((field, KEY) for field in FIELDS), *((field, SHAPE) for field in FIELDS if "base64" not in field)]
)
def test_a_reply_that_echoes_a_secret_is_refused_and_nothing_of_it_is_written(
    field: str, secret: str, stage: Stage, running: Recorder
) -> None:
    stage.endpoint.slips = echoing(field, secret)
    done = stage.run_by(running, *RECORD)
    told = "the value of COUNTED_KEY" if secret == KEY else "an API key"
    assert (done.code, f"holds {told}, so nothing was written" in done.text) == (1, True)
    assert "error: counted: reply to case c1" in done.text
    assert (stage.recording.cassette.exists(), stage.recording.kept()) == (False, b"")
    assert stage.leaks() == []


@pytest.mark.parametrize("field", NAMED)
def test_the_refusal_names_the_field_that_holds_the_secret(field: str, stage: Stage, running: Recorder) -> None:
    stage.endpoint.slips = echoing(field, KEY)
    done = stage.run_by(running, *RECORD)
    (error,) = [line for line in done.text.splitlines() if line.startswith("error: ")]
    assert [name for name in NAMED if re.search(rf"\b{name}\b", error)] == [field]


def test_a_live_run_refuses_an_echoed_key_too(stage: Stage) -> None:
    stage.endpoint.slips = echoing("text", KEY)
    done = stage.run(*LIVE, "--offline")
    assert (done.code, "holds the value of COUNTED_KEY, so nothing was written" in done.text) == (1, True)
    assert stage.leaks() == []


@pytest.mark.parametrize("field", ["text", "request_id"])
def test_an_echoed_secret_of_the_address_is_refused(field: str, stage: Stage, running: Recorder) -> None:
    """The address as a whole is a secret, and so is what makes it one."""
    stage.endpoint.slips = echoing(field, QUERY)
    done = stage.run_by(running, *RECORD)
    assert stage.leaks() == []
    assert (done.code, "COUNTED_URL" in done.text) == (1, True)


def test_a_prompt_that_holds_the_key_is_refused_before_anything_is_asked(stage: Stage, running: Recorder) -> None:
    """The manifest keeps the prompt."""
    prompt = stage.project / GOLD / "prompt.md"
    prompt.write_text(f"Extract. The key is {KEY}.\n", encoding="utf-8")
    done = stage.run_by(running, *RECORD)
    prompt.unlink()
    assert stage.leaks() == []
    assert (done.code, stage.endpoint.seen) == (1, [])


@pytest.mark.parametrize(("status", "code"), [(400, 1), (401, 2), (403, 2), (404, 2), (500, 1)])
def test_no_error_of_the_endpoint_is_quoted(status: int, code: int, stage: Stage, running: Recorder) -> None:
    """A refusal of the key is the user's to mend; any other status is an outcome of the case."""
    stage.endpoint.slips = Slips(DROPPED.headers, "", DROPPED.body, DROPPED.error, (status, status))
    done = stage.run_by(running, *RECORD)
    assert done.code == code
    assert f"HTTP {status}" in (done.text if code else stage.recording.cassette.read_text(encoding="utf-8"))
    assert stage.leaks() == []


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("COUNTED_URL", f"http://127.0.0.1:{QUERY}/v1"),
        ("COUNTED_URL", f"http://user:{QUERY}@127.0.0.1:port/v1"),
        ("COUNTED_URL", f"127.0.0.1/v1?token={QUERY}"),
        ("COUNTED_KEY", f"{KEY}-é"),
        ("COUNTED_KEY", f"{KEY}\n{KEY}"),
    ],
    ids=["no port", "user and no port", "no scheme", "not ASCII", "two lines"],
)
def test_an_address_or_key_that_cannot_be_sent_is_told_by_its_variable_alone(
    variable: str, value: str, stage: Stage, running: Recorder
) -> None:
    done = stage.run_by(running, *RECORD, **{variable: value})
    assert stage.leaks() == []
    assert "Traceback" not in done.text
    assert (done.code, variable in done.text, stage.endpoint.seen) == (2, True, [])
