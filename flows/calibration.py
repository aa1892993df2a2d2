"""Calibration: the recorded answers of every provider that has some, then the kind's own measurements on them."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter

from assay.errors import Problem, UsageError
from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.model.ports import Setting, calibration_part, thresholds_part
from assay.stores.artifacts import Ref
from assay.stores.cassettes import read_recording
from assay.stores.code import code_digest
from assay.stores.goldsets import Source
from flows.chain import run_load, run_replay, run_targets
from tasks._engine import Engine

OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Outcome)


def calibrated(source: Source, home: Path) -> bytes:
    """The calibration file of a suite, measured anew. Raises UserError; nothing is written but cache entries."""
    if "calibration" not in source.suite.files:
        raise UsageError(Problem(f"{source.shown}/suite.yaml: files", "names no 'calibration' file to write"))
    kind, engine = source.suite.kind, Engine(home)
    cases = run_load(source, engine)
    part = calibration_part(kind)
    setting = Setting(
        suite=source.suite.suite,
        version=source.suite.version,
        cases=[GoldCase.model_validate(row) for row in engine.artifacts.get(cases)],
        files={role: (f"{source.shown}/{name}", data) for role, (name, data) in source.files.items()},
        options=source.suite.options,
        subjects=source.suite.subjects,
        constants=source.suite.constants,
        code_sha256=code_digest(*part.CODE) if part.CODE else "",
        answers=_answers(source, engine, cases),
    )
    return thresholds_part(kind).calibrate(setting)


def _answers(source: Source, engine: Engine, cases: Ref) -> dict[str, dict[str, tuple[Outcome, ...]]]:
    """By provider and case, of all that can be replayed."""
    found: dict[str, dict[str, tuple[Outcome, ...]]] = {}
    for name, provider in source.suite.providers.items():
        if provider.of or (provider.asks_model and read_recording(source.place(name)) is None):
            continue
        if provider.target:
            ref = run_targets(source, name, {name: provider}, engine, cases, {})
        elif read_recording(source.place(name)):
            ref = run_replay(source, name, provider, engine, cases)
        else:
            continue
        replies = engine.artifacts.get(ref)["providers"][name]["replies"]
        found[name] = {case: tuple(map(OUTCOME.validate_python, outcomes)) for case, outcomes in replies.items()}
    return found
