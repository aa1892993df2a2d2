"""A suite on disk: its declaration, gold files, contract and baseline, read once and whole."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from assay.digest import canonical
from assay.errors import InputError, Problem, UsageError, nearest
from assay.model.suite import Suite
from assay.namesakes import actual_name
from assay.reading import json_value, text_of, validated
from assay.reading_yaml import YAML_FAULTS, yaml_mapping
from assay.stores.cassettes import Place, read_recording
from assay.stores.files import inside, read_file
from assay.stores.targets import imported, make_importable

_IMPORT = re.compile(r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")


@dataclass(frozen=True)
class Source:
    """One suite as it stands on disk."""

    root: Path
    folder: Path
    shown: str
    """The folder as people name it, relative to the root."""
    suite: Suite
    files: dict[str, tuple[str, bytes]]
    """Gold files by the kind's name for them: (file name, content)."""
    prompt: str
    """Empty where the suite sends no prompt, as is the schema."""
    response_schema: str
    """Canonical JSON."""
    contract_files: tuple[str, ...]
    """Files that prompt and schema come from, relative to the root."""
    baseline: bytes | None
    recordings: str
    """The folder of recordings, relative to the root."""

    @property
    def has_contract(self) -> bool:
        """Whether prompts are sent to a model."""
        return self.suite.contract is not None

    def place(self, provider: str) -> Place:
        """Where a provider's recording lies."""
        declared = self.suite.providers[provider]
        suffix = (declared.recorded_as if declared.asks_model else None) or "jsonl"
        return Place(self.root, self.suite.suite, self.suite.version, provider, suffix, self.recordings)

    def recording(self, provider: str) -> tuple[bytes, bytes] | None:
        """A provider's recording, (manifest, body) as bytes; None where there is none. Raises InputError."""
        return read_recording(self.place(provider))


def project_root(start: Path) -> Path:
    """The nearest folder at or above `start` that holds `goldsets/`. Raises UsageError."""
    for folder in (start, *start.parents):
        if (folder / "goldsets").is_dir():
            return folder
    raise UsageError(
        Problem(str(start), "no goldsets/ folder here or above", expected="the folder of a project with goldsets/")
    )


def root_for(start: Path, goldset: str | None) -> Path:
    """The project's folder; with a suite's own folder given, `start` where no project is around. Raises UsageError."""
    try:
        return project_root(start)
    except UsageError:
        if goldset is None:
            raise
        return start


def suites_in(root: Path) -> dict[str, list[str]]:
    """Suite names and their versions, oldest first."""
    found: dict[str, list[str]] = {}
    for path in sorted(root.glob("goldsets/*/v*/suite.yaml")):
        found.setdefault(path.parent.parent.name, []).append(path.parent.name)
    return {name: sorted(versions, key=lambda v: (len(v), v)) for name, versions in found.items()}


def open_suite(  # which suite, and how to read it
    root: Path,
    name: str,
    version: str | None = None,
    overrides: Sequence[str] = (),
    *,
    goldset: Path | None = None,
    calibrating: bool = False,
) -> Source:
    """The suite with all its files read. Raises UsageError for an unknown name, InputError for a faulty file.

    `goldset` is a suite's folder outside the project, with its recordings in `cassettes/` inside it. `calibrating` does
    without the files that commands make, the calibration and what judges say: one of them is about to be made.
    """
    skipped = {"calibration", "judge"} if calibrating else set[str]()
    if goldset is not None:
        return _foreign_suite(goldset.absolute(), name, version, overrides, skipped)
    versions = suites_in(root).get(name)
    if not versions:
        known = suites_in(root)
        raise UsageError(
            Problem("goldsets/", "unknown suite", name, f"one of {', '.join(known) or 'none'}", nearest(name, known))
        )
    if version is not None and version not in versions:
        raise UsageError(Problem(f"goldsets/{name}", "unknown version", version, f"one of {', '.join(versions)}"))
    folder = root / "goldsets" / name / (version or versions[-1])
    shown = folder.relative_to(root).as_posix()
    suite = _declaration(folder, shown, overrides)
    if (suite.suite, suite.version) != (folder.parent.name, folder.name):
        wanted = f"{folder.parent.name} {folder.name}"
        raise InputError(Problem(f"{shown}/suite.yaml", "names another suite", f"{suite.suite} {suite.version}", wanted))
    recordings = f"cassettes/{suite.suite}/{suite.version}"
    return _read_suite(root, folder, shown, suite, recordings, skipped)


def _foreign_suite(folder: Path, name: str, version: str | None, overrides: Sequence[str], skipped: set[str]) -> Source:
    if not (folder / "suite.yaml").is_file():
        raise UsageError(Problem("--goldset", "holds no suite.yaml", str(folder), "a suite's folder"))
    suite = _declaration(folder, folder.name, overrides)
    if (suite.suite, suite.version) != (name, version or suite.version):
        found, wanted = f"{suite.suite} {suite.version}", f"{name} {version or ''}".strip()
        raise UsageError(Problem(f"{folder.name}/suite.yaml", "names another suite", found, wanted))
    return _read_suite(folder.parent, folder, folder.name, suite, f"{folder.name}/cassettes", skipped)


def _read_suite(  # the places that one suite's parts lie in
    root: Path, folder: Path, shown: str, suite: Suite, recordings: str, skipped: set[str]
) -> Source:
    make_importable(root)
    files = {
        role: (path, read_file(inside(folder, path, f"{shown}/suite.yaml: files.{role}"), f"{shown}/{path}"))
        for role, path in suite.files.items()
        if role not in skipped
    }
    prompt, schema, contract_files = "", "", tuple[str, ...]()
    if suite.contract is not None:
        where = f"{shown}/suite.yaml: contract"
        prompt, prompt_file = _contract_text(root, folder, suite.contract.prompt, f"{where}.prompt")
        text, schema_file = _contract_text(root, folder, suite.contract.response_schema, f"{where}.schema")
        schema, contract_files = canonical(json_value(text, schema_file)).decode(), (prompt_file, schema_file)
    baseline = folder / "baseline.json"
    return Source(
        root=root,
        folder=folder,
        shown=shown,
        suite=suite,
        files=files,
        prompt=prompt,
        response_schema=schema,
        contract_files=contract_files,
        baseline=read_file(baseline, f"{shown}/baseline.json") if baseline.exists() else None,
        recordings=recordings,
    )


def _declaration(folder: Path, shown: str, overrides: Sequence[str]) -> Suite:
    where = f"{shown}/suite.yaml"
    value = yaml_mapping(read_file(folder / "suite.yaml", where), where)
    for override in overrides:
        _set(value, override)
    return validated(value, where, Suite).at_its_cutoff()


def _set(value: object, override: str) -> None:
    """Apply one KEY=VALUE in place on the freshly parsed mapping."""
    path, equals, text = override.partition("=")
    if not equals or not path:
        raise UsageError(Problem("--set", "is not KEY=VALUE", override, "for example gate.max_drop_pp=5"))
    options = value.get("options") if isinstance(value, dict) else None
    if isinstance(options, dict) and path in options and path not in Suite.model_fields:
        path = f"options.{path}"
    *parents, last = path.split(".")
    for part in parents:
        value = value.setdefault(part, {}) if isinstance(value, dict) else None
    if not isinstance(value, dict):
        raise UsageError(Problem("--set", "leads through a value that holds no keys", path, "a key of suite.yaml"))
    try:
        value[last] = yaml.safe_load(text)
    except (yaml.YAMLError, *YAML_FAULTS):
        raise UsageError(Problem("--set", "value is not YAML", text)) from None


def _contract_text(root: Path, folder: Path, source: str, where: str) -> tuple[str, str]:
    """The text and the file it comes from, relative to the root."""
    if _IMPORT.match(source):
        return _imported_text(root, source, where)
    path = inside(folder, source, where)
    shown = f"{folder.relative_to(root).as_posix()}/{source}"
    return text_of(read_file(path, shown), shown), shown


def _imported_text(root: Path, source: str, where: str) -> tuple[str, str]:
    """A text, a JSON Schema or a pydantic model of the user's own code."""
    value = imported(root, where, source)
    try:
        if hasattr(value, "model_json_schema"):
            value = value.model_json_schema()
        text = value if isinstance(value, str) else json.dumps(value, allow_nan=False)
        text.encode()
    except Exception as error:  # noqa: BLE001  # a schema of the user's own code may raise anything
        raise InputError(Problem(where, f"gives no text ({type(error).__name__}: {error})", source)) from None
    module = sys.modules[actual_name(source.partition(":")[0])]
    path = Path(getattr(module, "__file__", None) or module.__name__)
    return text, path.relative_to(root).as_posix() if path.is_relative_to(root) else module.__name__
