"""A small gold set to be recorded from the counting endpoint, and a recorder whose commands can be killed at any moment."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from assay.digest import sha256_hex
from tests.builders import conversation, json_lines
from tests.counting_server import Endpoint
from tests.stages.copies import GOLD, environment

KEY = "Canary.key-7f3a91c2e8"
RECORD = ("record", "extraction", "--provider", "counted")
KILLED = -signal.SIGKILL
ROOT = Path(__file__).resolve().parents[2]
FOLDER = "cassettes/extraction/v1"


def bare(target: Path) -> Path:
    """A project that has the extraction suite and no code of its own."""
    shutil.copytree(ROOT / GOLD, target / GOLD)
    (target / FOLDER).mkdir(parents=True)
    return target


def counted(project: Path, cases: int, **live: Any) -> Path:
    """Makes the copy's suite one of so many generated conversations with the provider `counted` alone."""
    gold = project / GOLD
    turns = [[{"role": "user", "content": f"Greeting number {number}."}] for number in range(1, cases + 1)]
    rows = [conversation(f"c{number}", expects_nothing=True, turns=turn) for number, turn in enumerate(turns, start=1)]
    (gold / "conversations.jsonl").write_bytes(json_lines(*rows))
    (gold / "expected_memories.jsonl").write_bytes(b"")
    (gold / "baseline.json").unlink(missing_ok=True)
    suite = yaml.safe_load((gold / "suite.yaml").read_text(encoding="utf-8"))
    reached = {"base_url_env": "COUNTED_URL", "api_key_env": "COUNTED_KEY", "concurrency": 1, "timeout_s": 5, "attempts": 2}
    provider = {"role": "subject", "enforcement": "manual", "model": "m", "sampling": {"max_tokens": 64}}
    suite["providers"] = {"counted": {**provider, "live": {**reached, **live}}}
    (gold / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    for path in (project / FOLDER).iterdir():
        path.unlink()
    return project


@dataclass(frozen=True)
class Recording:
    """The files of the provider's recording, as they are on disk."""

    project: Path

    @property
    def journal(self) -> Path:
        return self.project / FOLDER / "counted.journal.jsonl"

    @property
    def cassette(self) -> Path:
        return self.project / FOLDER / "counted.jsonl"

    @property
    def manifest(self) -> Path:
        return self.project / FOLDER / "counted.manifest.json"

    def pair(self) -> tuple[bytes, bytes]:
        """Cassette and manifest."""
        return self.cassette.read_bytes(), self.manifest.read_bytes()

    def fits(self) -> bool:
        """Whether the manifest is that of the cassette."""
        cassette, manifest = self.pair()
        return bool(json.loads(manifest)["cassette"]["sha256"] == sha256_hex(cassette))

    def kept(self) -> bytes:
        """The whole lines of the journal."""
        data = self.journal.read_bytes() if self.journal.exists() else b""
        return data[: data.rfind(b"\n") + 1]


def answered(lines: bytes) -> set[str]:
    """The digests of the request bodies whose replies these lines hold; the counting endpoint says them in its replies."""
    return set(re.findall(r"Answer to ([0-9a-f]{64})", lines.decode()))


@dataclass
class Recorder:
    """Runs commands in children of a process that has imported everything."""

    process: subprocess.Popen[str]
    out: Path
    child: Future[int] = field(default_factory=Future)
    """The pid of the running command."""

    def run(self, project: Path, *argv: str, last: int = 0, **environ: str) -> int:
        """The exit code of a command in the project, which is killed at the moment `last`."""
        assert self.process.stdin
        assert self.process.stdout
        self.child = Future()
        order = {"argv": argv, "folder": str(project), "out": str(self.out), "last": last, "environ": environ}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        self.child.set_result(int(self.process.stdout.readline()))
        return int(self.process.stdout.readline())

    def kill(self) -> None:
        """Kill the running command; nothing that is sent to it after this is read."""
        os.kill(self.child.result(timeout=60), signal.SIGKILL)

    @property
    def said(self) -> str:
        """What the last command printed."""
        return self.out.read_text(encoding="utf-8")


@contextmanager
def recorder(out: Path, endpoint: Endpoint) -> Iterator[Recorder]:
    """A recorder with the endpoint's address and a key in its environment, whose commands print into `out`."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("recorder.py"))],
        env=environment(ROOT, COUNTED_URL=endpoint.url, COUNTED_KEY=KEY),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Recorder(process, out)
    finally:
        _, complaint = process.communicate()
        assert (process.returncode, complaint) == (0, "")
