"""A suite on disk: its declaration, gold files, contract and baseline, read once and whole."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from assay.digest import canonical
from assay.errors import InputError, Problem, UsageError, nearest
from assay.model.suite import Suite
from assay.reading import json_value, text_of, validated
from assay.stores.files import inside, read_file

_IMPORT = re.compile(r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")
_SIZE_LIMIT = 1 << 20
YAML_FAULTS = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What PyYAML lets through for tagged values that mean nothing, such as `!!int ''`."""


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
    response_schema: str
    """Canonical JSON."""
    contract_files: tuple[str, ...]
    """Files that prompt and schema come from, relative to the root."""
    baseline: bytes | None


def project_root(start: Path) -> Path:
    """The nearest folder at or above `start` that holds `goldsets/`. Raises UsageError."""
    for folder in (start, *start.parents):
        if (folder / "goldsets").is_dir():
            return folder
    raise UsageError(
        Problem(str(start), "no goldsets/ folder here or above", expected="the folder of a project with goldsets/")
    )


def suites_in(root: Path) -> dict[str, list[str]]:
    """Suite names and their versions, oldest first."""
    found: dict[str, list[str]] = {}
    for path in sorted(root.glob("goldsets/*/v*/suite.yaml")):
        found.setdefault(path.parent.parent.name, []).append(path.parent.name)
    return {name: sorted(versions, key=lambda v: (len(v), v)) for name, versions in found.items()}


def open_suite(
    root: Path, name: str, version: str | None = None, overrides: Sequence[str] = (), *, calibrating: bool = False
) -> Source:
    """The suite with all its files read. Raises UsageError for an unknown name, InputError for a faulty file.

    `calibrating` does without the calibration file, which is about to be made.
    """
    versions = suites_in(root).get(name)
    if not versions:
        known = suites_in(root)
        raise UsageError(
            Problem("goldsets/", "unknown suite", name, f"one of {', '.join(known) or 'none'}", nearest(name, known))
        )
    if version is not None and version not in versions:
        raise UsageError(Problem(f"goldsets/{name}", "unknown version", version, f"one of {', '.join(versions)}"))
    folder = root / "goldsets" / name / (version or versions[-1])
    return _read_suite(root, folder, overrides, skipped={"calibration"} if calibrating else set())


def _read_suite(root: Path, folder: Path, overrides: Sequence[str], skipped: set[str]) -> Source:
    shown = folder.relative_to(root).as_posix()
    suite = _declaration(folder, shown, overrides)
    if (suite.suite, suite.version) != (folder.parent.name, folder.name):
        wanted = f"{folder.parent.name} {folder.name}"
        raise InputError(Problem(f"{shown}/suite.yaml", "names another suite", f"{suite.suite} {suite.version}", wanted))
    files = {
        role: (path, read_file(inside(folder, path, f"{shown}/suite.yaml: files.{role}"), f"{shown}/{path}"))
        for role, path in suite.files.items()
        if role not in skipped
    }
    prompt, prompt_file = _contract_text(root, folder, suite.contract.prompt, f"{shown}/suite.yaml: contract.prompt")
    schema, schema_file = _contract_text(root, folder, suite.contract.response_schema, f"{shown}/suite.yaml: contract.schema")
    baseline = folder / "baseline.json"
    return Source(
        root=root,
        folder=folder,
        shown=shown,
        suite=suite,
        files=files,
        prompt=prompt,
        response_schema=canonical(json_value(schema, schema_file)).decode(),
        contract_files=(prompt_file, schema_file),
        baseline=read_file(baseline, f"{shown}/baseline.json") if baseline.exists() else None,
    )


def _declaration(folder: Path, shown: str, overrides: Sequence[str]) -> Suite:
    where = f"{shown}/suite.yaml"
    value = _yaml(text_of(read_file(folder / "suite.yaml", where), where), where)
    for override in overrides:
        _set(value, override)
    return validated(value, where, Suite)


def _yaml(text: str, where: str) -> dict[str, Any]:
    """A YAML mapping, without aliases and duplicate keys. Raises InputError."""
    if len(text) > _SIZE_LIMIT:
        raise InputError(Problem(where, f"{len(text):,} characters", expected=f"at most {_SIZE_LIMIT:,}"))
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise InputError(Problem(f"{where}:{_line(event)}", "holds an alias", expected="plain values"))
        _refuse_duplicates(yaml.compose(text, Loader=yaml.SafeLoader), where)
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where}:{mark.line + 1}" if mark else where
        raise InputError(Problem(place, f"is not YAML ({getattr(error, 'problem', None) or error})")) from None
    except YAML_FAULTS as error:
        raise InputError(Problem(where, f"is not acceptable YAML ({error})")) from None
    if not isinstance(value, dict):
        raise InputError(Problem(where, "is not a mapping", type(value).__name__, "key: value lines"))
    return value


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _refuse_duplicates(node: yaml.Node | None, where: str) -> None:
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                raise InputError(Problem(f"{where}:{key.start_mark.line + 1}", f"the key {key.value!r} stands twice"))
            seen.add(str(key.value))
            _refuse_duplicates(value, where)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_duplicates(item, where)


def _set(value: object, override: str) -> None:
    """Apply one KEY=VALUE in place on the freshly parsed mapping."""
    path, equals, text = override.partition("=")
    if not equals or not path:
        raise UsageError(Problem("--set", "is not KEY=VALUE", override, "for example gate.max_drop_pp=5"))
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
    module_name, _, name = source.partition(":")
    sys.path.insert(0, str(root))
    try:
        module = importlib.import_module(module_name)
        value = getattr(module, name)
        if hasattr(value, "model_json_schema"):
            value = value.model_json_schema()
        text = value if isinstance(value, str) else json.dumps(value, allow_nan=False)
        text.encode()
    except (Exception, SystemExit) as error:  # noqa: BLE001  # the user's module may raise anything when it is imported
        raise InputError(Problem(where, f"cannot be imported ({type(error).__name__}: {error})", source)) from None
    finally:
        sys.path.remove(str(root))
    path = Path(getattr(module, "__file__", None) or module_name)
    return text, path.relative_to(root).as_posix() if path.is_relative_to(root) else str(module_name)
