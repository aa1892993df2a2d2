"""One suite at one revision, as the check for tampering compares it: read from its tree, whichever tree that is."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from pydantic import JsonValue

from assay.model.baseline import Baseline, Calibration
from assay.model.exchange import Manifest, TargetManifest
from assay.model.gold import GoldCase
from assay.model.ports import advisory_files_in, cases_part, imports_of, module_name, scoring_part
from assay.reading import record
from assay.stores.cassettes import read_recording
from assay.stores.goldsets import Source
from assay.stores.tree import code_below, modules_below
from assay.tampering import Side
from assay.tampering.parts import parts_of
from flows.chain import run_load
from tasks._engine import Engine

CALIBRATION = "calibration"
SCORING = ("scoring",)
JUDGING = ("selftest", "calibration")
"""The modules of a kind that a number, and that a verdict rest on."""
GATE = (
    "assay.gate",
    "assay.live_gate",
    "assay.controls",
    "assay.drops",
    "assay.luck",
    "assay.contract",
    "assay.target_contract",
    "assay.replay",
    "assay.oracle_policy",
    "assay.publication",
    "assay.acknowledgements",
    "assay.pull_request_text",
    "assay.common_cases",
    "assay.tampering",
    "assay.sabotage",
    "assay.change",
    "flows.change",
    "flows.side",
    "assay.model.report",
    "assay.model.run",
    "assay.model.suite",
    "assay.model.verdict",
    "assay.stores.git",
    "assay.stores.tree",
    "assay.cli.pr",
    "flows.chain",
    "flows.plan",
    "flows.sabotage",
    "flows.policy",
    "flows.suite_run",
    "flows.suites_run",
    "tasks.gate",
    "tasks.publish",
    "tasks.verify",
)
"""Where the project under comparison is assay itself: the modules that judge, each by its own text."""
MESSAGES = "assay.errors"
"""The module that says what is wrong, which all others import and which changes no number."""


def judging_code(root: Path) -> dict[str, str]:
    """The modules that judge, as far as they lie below `root`; stage keys do not name all of them."""
    return modules_below(root, *GATE)


def side_of(source: Source, engine: Engine) -> Side:
    """All that decides whether the suite passes. Raises UserError for a file that cannot be read.

    Code is read below the source's root and not imported, so that both trees can be read by one process. Cases are read by
    this process's own code through the cached load stage, on both sides alike.
    """
    suite, kind = source.suite, source.suite.kind
    calibration = source.files.get(CALIBRATION)
    return Side(
        suite=suite,
        cases={case.id: case for case in map(GoldCase.model_validate, engine.artifacts.get(run_load(source, engine)))},
        options=_options(kind, suite.options),
        baseline=record(source.baseline, f"{source.shown}/baseline.json", Baseline) if source.baseline else None,
        manifests=_manifests(source),
        files=_shared_files(source),
        calibration=record(calibration[1], f"{source.shown}/{calibration[0]}", Calibration) if calibration else None,
        scoring_code=_code(source, *_scoring(source)),
        control_code={name: _code(source, control.target) for name, control in suite.controls.items() if control.target},
        gate_code=modules_below(source.root, *GATE, *(module_name(kind, part) for part in JUDGING)),
    )


def _scoring(source: Source) -> list[str]:
    """Where the code begins that scoring rests on."""
    kind, options = source.suite.kind, source.suite.options
    return ["assay.scoring", *(module_name(kind, part) for part in SCORING), *imports_of(scoring_part(kind), options)]


def _code(source: Source, *entries: str) -> dict[str, str]:
    found = code_below(source.root, *entries)
    return {name: digest for name, digest in found.items() if name.partition(":")[0] != MESSAGES}


def _options(kind: str, options: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """The options with the defaults of the kind, where it has a module that reads them."""
    module = module_name(kind, "options")
    if find_spec(module) is None:
        return options
    spelled: dict[str, JsonValue] = import_module(module).options_of(options).model_dump(mode="json")
    return spelled


def _manifests(source: Source) -> dict[str, Manifest | TargetManifest]:
    """By provider, where a model is asked and something was recorded."""
    found: dict[str, Manifest | TargetManifest] = {}
    for name, provider in source.suite.providers.items():
        place = source.place(name)
        recording = read_recording(place) if provider.target is None or provider.asks_model else None
        if recording is not None:
            shown = place.shown_manifest
            is_target = provider.target is not None
            found[name] = record(recording[0], shown, TargetManifest) if is_target else record(recording[0], shown, Manifest)
    return found


def _shared_files(source: Source) -> dict[str, dict[str, str]]:
    """The parts of the files that no case carries whole, by role."""
    kind, options = source.suite.kind, source.suite.options
    cases, scoring = cases_part(kind), scoring_part(kind)
    carried = {*cases.REQUIRED_FILES} - {*cases.TARGET_FILES, *scoring.FILES}
    passed_over = {*carried, CALIBRATION, *advisory_files_in(scoring, options)}
    of_cases: tuple[str, ...] = getattr(cases, "CASE_KEYS", ())
    return {role: parts_of(*file, of_cases) for role, file in sorted(source.files.items()) if role not in passed_over}
