"""A copy whose suite has a few short made-up cases and providers that are a fault server."""

from __future__ import annotations

import json
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from assay.model.exchange import Exchange, Manifest
from assay.model.report import Report
from assay.model.run import RunOutcome, RunRequest
from assay.providers.budget import Budget, Limits
from assay.stores.cassettes import Place
from assay.stores.goldsets import open_suite
from flows.recording import Asking, Recorded, record_live
from flows.suite_run import run_suite
from tasks._engine import Engine
from tests.builders import conversation, extracted, json_lines, memory
from tests.fault_server import FaultServer
from tests.stages.copies import GOLD, command

KEY = "key-of-the-test"
ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
WAYS: dict[str, Any] = {"concurrency": 8, "timeout_s": 30, "deadline_s": 90, "attempts": 3}


def case_ids(count: int) -> list[str]:
    return [f"town-{number:03}" for number in range(count)]


def town(number: int) -> str:
    return f"The user lives in town {number}."


def right(prompt: str) -> str:
    """The reply that is expected for a prompt; with what no parser needs and a recording must keep."""
    found = re.search(r"I live in town (\d+)\.", prompt)
    assert found
    answer = {"memories": [extracted(content=town(int(found[1])))]}
    return f"\n {json.dumps(answer)}  "


def of_case(prompt: str) -> str:
    """The case that a prompt is about."""
    found = re.search(r"I live in town (\d+)\.", prompt)
    assert found
    return f"town-{int(found[1]):03}"


def with_cases(project: Path, count: int, *providers: str, **live: Any) -> Path:
    """Give the copy's suite `count` cases and providers (`faulty`, unless others are named) with these settings."""
    gold, ids = project / GOLD, case_ids(count)
    said = [[{"role": "user", "content": f"I live in town {number}."}] for number in range(count)]
    (gold / "conversations.jsonl").write_bytes(
        json_lines(*(conversation(name, turns=turns) for name, turns in zip(ids, said, strict=True)))
    )
    (gold / "expected_memories.jsonl").write_bytes(
        json_lines(*(memory(f"{name}-m1", name, content=town(number)) for number, name in enumerate(ids)))
    )
    suite = yaml.safe_load((gold / "suite.yaml").read_text(encoding="utf-8"))
    reached = {"base_url_env": "FAULTY_URL", "api_key_env": "FAULTY_KEY", **WAYS, **live}
    for name in providers or ("faulty",):
        model = {"role": "subject", "enforcement": "manual", "model": name, "sampling": {"max_tokens": 64}}
        suite["providers"][name] = {**model, "live": dict(reached)}
    (gold / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    return project


def surroundings(server: FaultServer) -> dict[str, str]:
    """The variables that lead to the server."""
    return {"FAULTY_URL": server.url, "FAULTY_KEY": KEY}


def cli(project: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """`assay ARGUMENTS` on the copy's suite by the code that is tested: the copy's own would be compiled every time."""
    return command(project, *arguments, PYTHONPATH=str(ROOT), **environ)


def recorded(project: Path, server: FaultServer, limits: Limits | None = None, **how: Any) -> Recorded:
    """`assay record extraction --provider faulty` in this process."""
    source = open_suite(project, "extraction", None)
    asking = Asking(surroundings(server), Budget(limits or Limits(), None), **how)
    provider = source.suite.providers["faulty"]
    return record_live(source, "faulty", provider, project / ".assay", NOW, asking)


def run(project: Path, server: FaultServer, mode: str = "live", **options: Any) -> tuple[RunOutcome, Report]:
    """`assay run extraction --provider faulty --offline` in this process."""
    home = project / ".assay"
    request = RunRequest("extraction", providers=options.pop("providers", ("faulty",)), mode=mode, **options)  # type: ignore[arg-type]
    environ = surroundings(server)
    outcome = run_suite(request, project, home, Engine(home), engine_name="offline", environ=environ)
    report = json.loads(outcome.report)
    report.pop("timing")
    return outcome, Report.model_validate_json(json.dumps(report))


def cassette(project: Path, name: str = "faulty") -> list[Exchange]:
    """The committed exchanges of a provider, none when there is no recording."""
    return exchanges(Place(project, "extraction", "v1", name).cassette)


def journal(project: Path) -> list[Exchange]:
    """What an interrupted recording has kept."""
    return exchanges(Place(project, "extraction", "v1", "faulty").cassette.with_suffix(".journal.jsonl"))


def manifest(project: Path) -> Manifest:
    return Manifest.model_validate_json(Place(project, "extraction", "v1", "faulty").manifest.read_bytes())


def exchanges(path: Path) -> list[Exchange]:
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    return [Exchange.model_validate_json(line) for line in lines if line]
