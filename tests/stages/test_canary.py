"""Canary secrets wherever an endpoint can put them: a search of every written byte finds none."""

from __future__ import annotations

import base64
import json
import re
import sqlite3
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.counting_server import Endpoint, Slips, counting
from tests.runs.server import serving
from tests.stages.copies import GOLD, command
from tests.stages.recordings import KEY, RECORD, Recorder, Recording, bare, counted, recorder
from tests.stages.secret_search import forms, places

QUERY, HEADER, BODY, ERROR = (f"Canary.{kind}-5d0e8b{kind}41" for kind in ("query", "header", "body", "error"))
ALL = (KEY, QUERY, HEADER, BODY, ERROR)
LIVE = ("run", "extraction", "--mode", "live")
DROPPED = Slips(
    headers={"Set-Cookie": f"session={HEADER}", "X-Debug": f"{HEADER} Bearer {KEY}"},
    body={"system_fingerprint": BODY, "debug": {"authorization": f"Bearer {KEY}", "url": f"?token={QUERY}", "note": BODY}},
    error=f"Incorrect API key provided: {KEY} ({ERROR}), url ?token={QUERY}",
    statuses=(500,),
)
"""Secrets in all that is not kept; each request fails first, so that the error's message has its say."""


@dataclass(frozen=True)
class Stage:
    """A folder that holds all that its runs write: project, cache, home, temporary files and what they print."""

    folder: Path
    project: Path
    endpoint: Endpoint

    @property
    def environ(self) -> dict[str, str]:
        written = {"ASSAY_HOME": "assay-home", "HOME": "user", "TMPDIR": "tmp", "PREFECT_HOME": "prefect"}
        for name in written.values():
            (self.folder / name).mkdir(exist_ok=True)
        environ = {name: str(self.folder / place) for name, place in written.items()}
        return {**environ, "COUNTED_URL": f"{self.endpoint.url}?token={QUERY}", "COUNTED_KEY": KEY}

    def run(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """A command in the project; what it prints is written beside it, to be searched too."""
        done = command(self.project, *arguments, **{**self.environ, **environ})
        number = len(list(self.folder.glob("said-*")))
        (self.folder / f"said-{number}.txt").write_text(f"{done.stdout}\n{done.stderr}", encoding="utf-8")
        return done

    def leaks(self) -> list[str]:
        return places(self.folder, *ALL)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Two cases, and an endpoint that lets slip what is not kept."""
    with counting(Endpoint(slips=DROPPED)) as endpoint:
        yield Stage(tmp_path, counted(bare(tmp_path / "project"), 2), endpoint)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with counting() as running:
        yield running


@pytest.fixture(scope="module")
def running(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorder]:
    with recorder(tmp_path_factory.mktemp("recorder") / "said.txt", endpoint, f"?token={QUERY}") as found:
        yield found


def planted(folder: Path) -> dict[str, str]:
    """The key in a file of every kind that a run writes; returns the form in which it is found, by file name."""
    (folder / "log.txt").write_text(f"Authorization: Bearer {KEY}\n", encoding="utf-8")
    (folder / "body.json").write_text(
        json.dumps({"text": base64.b64encode(b"?" + KEY.encode() + b"?").decode()}), encoding="utf-8"
    )
    with zipfile.ZipFile(folder / "report.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("report.md", f"key {KEY} " * 50)
    table = pa.table({"text": [KEY] * 50})
    pq.write_table(table, folder / "scores.parquet")
    with pa.OSFile(str(folder / "scores.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    connection = sqlite3.connect(folder / "engine.db")
    with connection:
        connection.execute("CREATE TABLE log (data BLOB)")
        connection.execute("INSERT INTO log VALUES (?)", (b"x" * 4_090 + KEY.encode(),))
    connection.close()
    (folder / KEY).mkdir()
    kinds = dict.fromkeys(("log.txt", "report.zip", "scores.parquet", "scores.arrow", KEY), "plain")
    return {**kinds, "body.json": "base64 1", "engine.db": "HEX"}


def test_the_search_finds_a_secret_planted_in_every_kind_of_file(tmp_path: Path) -> None:
    expected = planted(tmp_path)
    found = places(tmp_path, *ALL)
    assert {f"{name}: {form}" for name, form in expected.items()} <= set(found)
    assert {line.split(": ")[0] for line in found} == set(expected)


@pytest.mark.parametrize("ahead", range(5))
@pytest.mark.parametrize("behind", range(3))
def test_the_search_finds_base64_at_each_alignment(ahead: int, behind: int) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(b"?" * ahead + KEY.encode() + b"~" * behind)
        assert any(form in text for name, form in forms(KEY).items() if name.startswith("base64"))


def test_what_an_endpoint_lets_slip_beside_its_replies_is_written_nowhere(stage: Stage) -> None:
    recorded = stage.run(*RECORD)
    assert (recorded.returncode, "counted: 2 outcomes (2 asked now, 0 without an answer)" in recorded.stdout) == (0, True)
    live = stage.run(*LIVE, "--offline", "--refresh")
    assert "counted" in live.stdout, live.stderr
    assert list((stage.folder / "assay-home").rglob("evidence-counted.jsonl"))
    assert {header for _, header in stage.endpoint.seen} == {f"Bearer {KEY}"}
    assert all(QUERY in path for path, _ in stage.endpoint.seen)
    assert len(stage.endpoint.seen) == 6  # 2 requests that fail first, then again for the live run
    assert stage.leaks() == []


def test_the_query_of_the_address_is_sent_as_a_query(stage: Stage) -> None:
    stage.run(*RECORD)
    assert {path for path, _ in stage.endpoint.seen} == {f"/v1/chat/completions?token={QUERY}"}


def echoing(field: str, secret: str) -> Slips:
    """The endpoint says the secret in a part of the reply that is kept."""
    message = {"index": 0, "message": {"role": "assistant", "content": "{}"}, "finish_reason": f"because {secret}"}
    return {
        "text": Slips(text=f"Your key is {secret}."),
        "text in base64": Slips(text=base64.b64encode(f"key: {secret}.".encode()).decode()),
        "request_id": Slips(headers={"x-request-id": f"req-{secret}"}),
        "request_id of the body": Slips(body={"id": secret}),
        "model_served": Slips(body={"model": f"m {secret}"}),
        "finish_reason": Slips(body={"choices": [message]}),
        "reason": Slips(body={"choices": [{**message, "message": {"role": "assistant"}}]}),
    }[field]


@pytest.mark.parametrize("secret", [KEY, "sk-Canary5d0e8bCanary41Canary"])
@pytest.mark.parametrize(
    "field",
    ["text", "text in base64", "request_id", "request_id of the body", "model_served", "finish_reason", "reason"],
)
def test_a_reply_that_echoes_a_secret_is_refused_by_its_field_and_nothing_of_it_is_written(
    field: str, secret: str, endpoint: Endpoint, running: Recorder, tmp_path: Path
) -> None:
    if "base64" in field and secret != KEY:
        return  # only values of variables are looked for in base64
    recording = Recording(counted(bare(tmp_path / "project"), 2))
    assert running.run(recording.project, *RECORD, "--oracle") == 0, running.said
    old = recording.pair()
    endpoint.slips = echoing(field, secret)
    assert running.run(recording.project, *RECORD) == 1, running.said
    told = "the value of COUNTED_KEY" if secret == KEY else "an API key"
    assert f"error: counted: reply to case c1" in running.said
    assert f"holds {told}, so nothing was written" in running.said
    assert (recording.pair(), recording.kept()) == (old, b"")
    assert places(tmp_path, *ALL, secret) + places(running.out.parent, *ALL, secret) == []
    assert re.search(rf"\b{field.split()[0]}\b", running.said), "the field is not named"


def test_a_live_run_refuses_an_echoed_key_too(stage: Stage) -> None:
    stage.endpoint.slips = echoing("text", KEY)
    done = stage.run(*LIVE, "--offline")
    assert (done.returncode, "holds the value of COUNTED_KEY, so nothing was written" in done.stderr) == (1, True)
    assert stage.leaks() == []


@pytest.mark.parametrize("where", ["text", "request_id"])
def test_an_echoed_secret_of_the_address_is_refused(where: str, endpoint: Endpoint, running: Recorder, tmp_path: Path) -> None:
    """The address as a whole is a secret, and so is what makes it one."""
    recording = Recording(counted(bare(tmp_path / "project"), 1))
    endpoint.slips = echoing(where, QUERY)
    code = running.run(recording.project, *RECORD)
    assert places(tmp_path, QUERY) + places(running.out.parent, QUERY) == []
    assert (code, "COUNTED_URL" in running.said) == (1, True)


def test_a_prompt_that_holds_the_key_is_refused_before_it_is_asked_with(
    endpoint: Endpoint, running: Recorder, tmp_path: Path
) -> None:
    """The manifest keeps the prompt."""
    recording = Recording(counted(bare(tmp_path / "project"), 1))
    prompt = recording.project / GOLD / "prompt.md"
    prompt.write_text(f"Extract. The key is {KEY}.\n", encoding="utf-8")
    endpoint.slips = Slips()
    before = len(endpoint.seen)
    code = running.run(recording.project, *RECORD)
    assert [place for place in places(tmp_path / "project" / "cassettes", KEY)] == []
    assert (code, len(endpoint.seen) - before) == (1, 0)
    assert KEY not in running.said


@pytest.mark.parametrize(("status", "code"), [(400, 0), (401, 2), (403, 2), (404, 2), (500, 0)])
def test_no_error_of_the_endpoint_is_quoted(
    status: int, code: int, endpoint: Endpoint, running: Recorder, tmp_path: Path
) -> None:
    """A refusal of the key is the user's to mend; any other status is an outcome of the case."""
    recording = Recording(counted(bare(tmp_path / "project"), 1))
    endpoint.slips = Slips(DROPPED.headers, "", DROPPED.body, DROPPED.error, (status, status))
    endpoint.counts.clear()
    assert running.run(recording.project, *RECORD) == code, running.said
    assert f"HTTP {status}" in (recording.cassette.read_text(encoding="utf-8") if code == 0 else running.said)
    assert places(tmp_path, *ALL) + places(running.out.parent, *ALL) == []


@pytest.mark.parametrize(
    "environ",
    [
        {"COUNTED_URL": f"http://127.0.0.1:{QUERY}/v1"},
        {"COUNTED_URL": f"http://user:{QUERY}@127.0.0.1:port/v1"},
        {"COUNTED_URL": f"127.0.0.1/v1?token={QUERY}"},
        {"COUNTED_KEY": f"{KEY}-é"},
        {"COUNTED_KEY": f"{KEY}\n{KEY}"},
    ],
    ids=["port", "userinfo", "no scheme", "not ASCII", "two lines"],
)
def test_an_address_or_key_that_cannot_be_used_is_told_by_its_variable_alone(environ: dict[str, str], stage: Stage) -> None:
    done = stage.run(*RECORD, **environ)
    assert stage.leaks() == []
    assert "Traceback" not in done.stderr
    assert (done.returncode, next(iter(environ)) in done.stderr, stage.endpoint.seen) == (2, True, [])


@pytest.mark.prefect
def test_under_prefect_no_secret_is_in_its_results_logs_or_database(stage: Stage) -> None:
    with serving(Path(stage.environ["PREFECT_HOME"])) as api:
        good = stage.run(*LIVE, PREFECT_API_URL=api.url)
        stage.endpoint.slips = echoing("text", f"{KEY} {QUERY}")
        refused = stage.run(*LIVE, "--refresh", PREFECT_API_URL=api.url)
        told = {what: api.asked(what) for what in ("flow_runs", "task_runs", "artifacts", "logs")}
    (stage.folder / "told-by-the-api.json").write_text(json.dumps(told), encoding="utf-8")
    assert "counted" in good.stdout, good.stderr
    assert (refused.returncode, "holds the value of COUNTED_KEY" in refused.stderr) == (1, True)
    assert len(told["flow_runs"]) == 2
    assert told["task_runs"]
    assert told["logs"]
    assert list(Path(stage.environ["PREFECT_HOME"]).glob("prefect.db"))
    assert stage.leaks() == []
