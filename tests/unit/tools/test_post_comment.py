"""The script that may write: one comment, updated and not repeated, on the pull request of the event and on no other."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "tools" / "post_comment.py"
MARKER = "<!-- assay -->"
SHA = "0123456789abcdef0123456789abcdef01234567"
BOT = "github-actions[bot]"
POSTED = f"{MARKER}\n## PASS\n\n<sub>[run of 0123456789ab](https://forge.example/o/r/actions/runs/99)</sub>\n"


@dataclass
class Forge:
    """What the repository holds, and what was written to it."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    pull: dict[str, Any] = field(
        default_factory=lambda: {"state": "open", "head": {"sha": SHA, "repo": {"full_name": "fork/r"}}}
    )
    written: list[tuple[str, str, str]] = field(default_factory=list)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    forge: ClassVar[Forge]

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        if path == "/repos/o/r/pulls/7":
            return self._answer(self.forge.pull)
        assert path == "/repos/o/r/issues/7/comments", path
        page = int(query.rpartition("=")[2])
        return self._answer(self.forge.comments[100 * (page - 1) : 100 * page])

    def do_POST(self) -> None:
        self._written()

    def do_PATCH(self) -> None:
        self._written()

    def _written(self) -> None:
        assert self.headers["Authorization"] == "Bearer t"
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        self.forge.written.append((self.command, self.path, body))
        self._answer({})

    def _answer(self, value: object) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())


@pytest.fixture
def forge() -> Iterator[Forge]:
    found = Forge()
    server = HTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"forge": found}))
    found.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


def comment(number: int, body: str, author: str = BOT) -> dict[str, Any]:
    return {"id": number, "body": body, "user": {"login": author}}


@pytest.fixture
def artifact(tmp_path: Path) -> Path:
    folder = tmp_path / "artifact"
    folder.mkdir()
    (folder / "number").write_text("7", encoding="utf-8")
    (folder / "comment.md").write_text(f"{MARKER}\n## PASS\n", encoding="utf-8")
    return folder


def run(forge: Forge, artifact: Path, **changes: Any) -> subprocess.CompletedProcess[str]:
    event = {
        "id": 99,
        "head_sha": SHA,
        "head_repository": {"full_name": "fork/r"},
        "conclusion": "failure",
        "pull_requests": [],
    }
    payload = artifact.parent / "event.json"
    payload.write_text(json.dumps({"workflow_run": event | changes}), encoding="utf-8")
    environ = {"GITHUB_API_URL": forge.url, "GITHUB_SERVER_URL": "https://forge.example", "GITHUB_REPOSITORY": "o/r"}
    return subprocess.run(
        [sys.executable, "-I", str(SCRIPT), str(artifact)],
        env={**environ, "GITHUB_TOKEN": "t", "GITHUB_EVENT_PATH": str(payload)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_first_comment_is_posted_with_the_run_that_it_is_of(forge: Forge, artifact: Path) -> None:
    forge.comments = [comment(1, f"{MARKER} mine", "somebody"), comment(2, "hello", BOT)]
    done = run(forge, artifact)
    assert (done.returncode, done.stdout, done.stderr) == (0, "#7: posted\n", "")
    assert forge.written == [("POST", "/repos/o/r/issues/7/comments", POSTED)]


def test_the_one_that_is_there_is_updated_wherever_it_stands(forge: Forge, artifact: Path) -> None:
    forge.comments = [comment(number, "talk", "somebody") for number in range(150)] + [comment(900, f"{MARKER}\n## FAIL")]
    assert run(forge, artifact).stdout == "#7: updated\n"
    assert forge.written == [("PATCH", "/repos/o/r/issues/comments/900", POSTED)]


def test_nobody_is_called_by_what_the_change_wrote_and_names_of_metrics_stay(forge: Forge, artifact: Path) -> None:
    (artifact / "comment.md").write_text("@everyone `recall@5` (@team/x)", encoding="utf-8")
    run(forge, artifact)
    assert "@\u200beveryone `recall@5` (@\u200bteam/x)" in forge.written[0][2]


@pytest.mark.parametrize("made", ["missing", "too large", "a link"])
def test_without_a_comment_of_the_run_an_old_one_does_not_stay(forge: Forge, artifact: Path, made: str) -> None:
    forge.comments = [comment(900, f"{MARKER}\n## PASS")]
    path = artifact / "comment.md"
    path.unlink()
    if made == "too large":
        path.write_bytes(b"x" * 60_001)
    if made == "a link":
        path.symlink_to(artifact.parent / "event.json")
    assert run(forge, artifact).returncode == 0
    ((method, _, body),) = forge.written
    assert (method, "No comment came of this run.** It ended as failure" in body) == ("PATCH", True)


@pytest.mark.parametrize("claimed", ["", "0", "7\n", "7/../8", "-7", "\u0667", "12345678901"])
def test_what_is_no_number_is_refused(forge: Forge, artifact: Path, claimed: str) -> None:
    (artifact / "number").write_text(claimed, encoding="utf-8")
    assert run(forge, artifact).stdout == "nothing posted: the artifact names no pull request\n"
    assert forge.written == []


@pytest.mark.parametrize(
    ("pull", "event"),
    [
        ({"state": "closed"}, {}),
        ({"head": {"sha": "f" * 40, "repo": {"full_name": "fork/r"}}}, {}),
        ({"head": {"sha": SHA, "repo": {"full_name": "other/r"}}}, {}),
        ({"head": {"sha": SHA, "repo": None}}, {"head_repository": None}),
        ({}, {"pull_requests": [{"number": 8}]}),
    ],
)
def test_a_number_that_does_not_fit_the_event_is_refused(
    forge: Forge, artifact: Path, pull: dict[str, Any], event: dict[str, Any]
) -> None:
    forge.pull |= pull
    done = run(forge, artifact, **event)
    assert (done.returncode, done.stdout.startswith("nothing posted: "), forge.written) == (0, True, [])


def test_a_forge_that_does_not_answer_is_told_without_a_traceback(forge: Forge, artifact: Path) -> None:
    forge.url = "http://127.0.0.1:9"
    done = run(forge, artifact)
    assert (done.returncode, "Traceback" in done.stderr, done.stderr.startswith("nothing posted: ")) == (1, False, True)
