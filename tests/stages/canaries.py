"""Canary secrets, an endpoint that lets them slip, and a folder that holds all that is written while it does."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

from tests.counting_server import Endpoint, Slips
from tests.stages.copies import command
from tests.stages.recordings import KEY, Recorder, Recording
from tests.stages.secret_search import places

QUERY, HEADER, BODY, ERROR = (f"Canary.{kind}-5d0e8b{kind}41" for kind in ("query", "header", "body", "error"))
SHAPE = "sk-Canary5d0e8bCanary41Canary"
"""A secret that no variable holds."""
ALL = (KEY, QUERY, HEADER, BODY, ERROR, SHAPE)
LIVE = ("run", "extraction", "--mode", "live")
DROPPED = Slips(
    headers={"Set-Cookie": f"session={HEADER}", "X-Debug": f"{HEADER} Bearer {KEY}"},
    body={"system_fingerprint": BODY, "debug": {"authorization": f"Bearer {KEY}", "url": f"?token={QUERY}", "key": SHAPE}},
    error=f"Incorrect API key provided: {KEY} ({ERROR}), url ?token={QUERY}",
    statuses=(500,),
)
"""Secrets in all that is not kept; each request fails first, so that the error's message has its say."""


def echoing(field: str, secret: str) -> Slips:
    """The endpoint says the secret in a part of the reply that is kept."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "{}"}, "finish_reason": f"because {secret}"}
    return {
        "text": Slips(text=f"Your key is {secret}."),
        "text in base64": Slips(text=base64.b64encode(f"key: {secret}.".encode()).decode()),
        "request_id": Slips(headers={"x-request-id": f"req-{secret}"}),
        "request_id of the body": Slips(body={"id": secret}),
        "model_served": Slips(body={"model": f"m {secret}"}),
        "finish_reason": Slips(body={"choices": [choice]}),
        "reason": Slips(body={"choices": [{**choice, "message": {"role": "assistant"}}]}),
    }[field]


@dataclass(frozen=True)
class Said:
    """How a command ended, and all that it printed."""

    code: int
    text: str


@dataclass(frozen=True)
class Stage:
    """A folder that holds all that its commands write: project, cache, home, temporary files and what they print."""

    folder: Path
    project: Path
    endpoint: Endpoint

    @property
    def recording(self) -> Recording:
        return Recording(self.project)

    @property
    def environ(self) -> dict[str, str]:
        written = {"ASSAY_HOME": "assay-home", "HOME": "user", "TMPDIR": "tmp"}
        for name in written.values():
            (self.folder / name).mkdir(exist_ok=True)
        environ = {name: str(self.folder / place) for name, place in written.items()}
        return {**environ, "COUNTED_URL": f"{self.endpoint.url}?token={QUERY}", "COUNTED_KEY": KEY}

    def run(self, *arguments: str, **environ: str) -> Said:
        """A command in the project, in a process of its own."""
        done = command(self.project, *arguments, **{**self.environ, **environ})
        out = self._next_output()
        out.write_text(f"{done.stdout}\n{done.stderr}", encoding="utf-8")
        return Said(done.returncode, out.read_text(encoding="utf-8"))

    def run_by(self, recorder: Recorder, *arguments: str, **environ: str) -> Said:
        """A command in the project, in a child of the recorder: the same, quicker."""
        recorder.out = self._next_output()
        code = recorder.run(self.project, *arguments, **{**self.environ, **environ})
        return Said(code, recorder.said)

    def leaks(self) -> list[str]:
        """Every place in which a canary was written."""
        return places(self.folder, *ALL)

    def _next_output(self) -> Path:
        """What is printed is written here, to be searched too."""
        return self.folder / f"said-{len(list(self.folder.glob('said-*')))}.txt"
