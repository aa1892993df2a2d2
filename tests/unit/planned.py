"""A project of the user's own with two small suites, and what the stages of a run are really keyed by."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from assay.errors import UserError
from assay.model.ports import module_name
from assay.model.run import RunRequest
from assay.stores.artifacts import Ref
from assay.stores.code import Sources
from assay.stores.goldsets import open_suite
from flows.chain import run_chain
from flows.recording import record_oracle
from tasks._engine import Engine
from tasks._stage import StageCall
from tests.unit.stores.small_suite import SUITE_YAML, small_suite

MEASURED = ("matcher_pairs.jsonl", "calibration.json")
EXTRACTION = SUITE_YAML.replace(
    "  expected: expected.jsonl\n",
    "  expected: expected.jsonl\n  pairs: matcher_pairs.jsonl\n  calibration: calibration.json\n",
).replace(
    "gate:\n",
    """\
  abstain:
    role: trivial_strategy
    enforcement: ci
    model: nothing
    target: assay.suites.extraction.controls:abstain
    control: {metric: recall_macro}
gate:
""",
)
CREW = {
    "goldsets/crew/v1/suite.yaml": """\
format: 1
suite: crew
version: v1
kind: orchestration
title: A crew
synthetic: true
files: {cases: cases.jsonl, rules: rules.yaml, one: one.txt, two: two.txt}
providers:
  mine:
    role: subject
    enforcement: ci
    model: a crew
    target: mine_crew.make:factory
  idle:
    role: trivial_strategy
    enforcement: ci
    model: does nothing
    target: assay.providers.crew.strategies:idle
    control: {metric: cases_passed}
gate:
  metrics: [cases_passed, rules_kept]
""",
    "goldsets/crew/v1/cases.jsonl": '{"id": "ends", "input": {}, "expect": {"user": "It ends.", "rules": []}}\n',
    "goldsets/crew/v1/rules.yaml": "format: 1\nrules:\n  - name: ends-done\n    final: DONE\n",
    "goldsets/crew/v1/one.txt": "one\n",
    "goldsets/crew/v1/two.txt": "two\n",
    "mine_crew/__init__.py": "",
    "mine_crew/make.py": '''\
"""A crew."""

from mine_beside import FINAL


def factory(context):
    return lambda given: [{"kind": "final", "name": FINAL}]
''',
    "mine_beside.py": 'FINAL = "DONE"\n',
    "mine_stranger.py": "X = 1\n",
}
ROOT = Path(__file__).resolve().parents[2]
RECORDED_AT = datetime(2026, 11, 30, tzinfo=UTC)


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def two_suites(root: Path, home: Path) -> Path:
    """`crew`, over code of the user's own, and `extraction`, over a recording."""
    folder = small_suite(root, EXTRACTION)
    for name in MEASURED:
        shutil.copy2(ROOT / "goldsets/extraction/v1" / name, folder / name)
    source = open_suite(root, "extraction")
    record_oracle(source, "openai", source.suite.providers["openai"], home, RECORDED_AT)
    return write(root, CREW)


@dataclass(frozen=True)
class Asked:
    """One stage as the engine was asked for it, under its key, with what came of it."""

    key: str
    call: StageCall
    result: Ref | None

    def code(self, sources: Sources) -> str:
        """The digest of the code that its key names."""
        part = [module_name(self.call.kind, self.call.stage.part)] if self.call.stage.part else []
        return sources.digest(self.call.stage.run.__module__, *part)


class Noting(Engine):
    """The engine of every run, which notes what it was asked for."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.asked: list[Asked] = []

    def execute(self, call: StageCall, key: str) -> tuple[Ref, bool]:
        """As above, and note it, also where it fails."""
        ref = None
        try:
            ref, found = super().execute(call, key)
        finally:
            self.asked.append(Asked(key, call, ref))
        return ref, found


def asked_by(root: Path, suite: str, home: Path) -> list[Asked]:
    """Every stage of the suite's plain run. A run that ends with an error of the user's ends there."""
    engine = Noting(home)
    source = open_suite(root, suite)
    with suppress(UserError):
        run_chain(source, RunRequest(suite), engine, "refuse")
    return engine.asked


@contextmanager
def edited(path: Path, after: bytes | None) -> Iterator[None]:
    """The file with other bytes, or without it; as it was again at the end."""
    before = path.read_bytes() if path.exists() else None
    _put(path, after)
    try:
        yield
    finally:
        _put(path, before)


def _put(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)
