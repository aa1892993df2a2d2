"""A suite of its own for a project that has none: templates in, a suite that passes out.

Recordings, calibration and baseline are made by the code of the commands, in a folder of its own; only what passed there is
put into the project, all of it or nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files as resources
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory

from assay.errors import Problem, Refused, UsageError, nearest
from assay.model.ports import KINDS
from assay.model.run import RunOutcome, RunRequest
from assay.publication import updated
from assay.schemas import file_name, names_for, schemas, text_of
from assay.stores.baselines import read_baseline, write_baseline
from assay.stores.files import write_atomically
from assay.stores.goldsets import open_suite
from assay.stores.planting import NOTHING, plant
from assay.stores.runs import read_report
from assay.suites.extraction.schema import schema_text
from flows.calibration import calibrated
from flows.recording import record_oracle
from flows.suite_run import run_suite
from tasks._engine import Engine

VERSION = "v1"
REASON = "made by `assay init`: the numbers of its example data, to be replaced with yours"
SCHEMAS = ".assay-schemas"
IGNORED = ".gitignore"
SYSTEM = "system.py.txt"
"""The template of the code under evaluation, where a kind has some."""
STEPS = "steps.md"
"""How to make the example one's own; it goes into a README."""
NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
PROJECT = {"prefect.yaml": "prefect.yaml", "assay.yml": ".github/workflows/assay.yml"}
"""What a project gets once, by its template."""
FOLDERS = ("goldsets", "cassettes", ".github", ".github/workflows", SCHEMAS)
"""Those that may be there already."""


@dataclass(frozen=True)
class Scaffolded:
    """What was made."""

    kind: str
    name: str
    root: Path
    made: tuple[str, ...]
    """New files, relative to the root."""
    grown: tuple[str, ...]
    """Files of the project that have new lines at their end."""
    kept: tuple[str, ...]
    """Files of the project that were there already and are as they were."""
    commands: tuple[str, ...]
    """What to do next."""


def scaffold(kind: str, name: str | None, root: Path, now: datetime) -> Scaffolded:
    """Write a suite of the kind that passes at once, and what the project lacks. Raises UserError; then nothing was written."""
    name = _checked(kind, name)
    _refuse_what_is_in_the_way(root, name)
    shared, kept = _of_the_project(kind, name, root)
    with TemporaryDirectory(prefix="assay-init-") as folder:
        suite = _made_to_pass(Path(folder).resolve(), kind, name, now, with_steps="README.md" in kept)
    files = {**shared, **_ignoring(root), **suite}
    grown = tuple(path for path in files if (root / path).exists())
    plant(root, dict(sorted(files.items(), key=lambda file: file[0].endswith("/suite.yaml"))), replacing=[IGNORED])
    made = tuple(sorted(files.keys() - {*grown}))
    return Scaffolded(kind, name, root, made, grown, kept, _commands(name, has_system=f"{_module(name)}.py" in files))


def _checked(kind: str, name: str | None) -> str:
    """The suite's name. Raises UsageError."""
    if kind not in KINDS:
        raise UsageError(Problem("KIND", "unknown kind of suite", kind, f"one of {', '.join(KINDS)}", nearest(kind, KINDS)))
    if name is not None and not NAME.fullmatch(name):
        expected = "lower-case letters, digits, - and _, beginning with a letter, at most 64"
        raise UsageError(Problem("NAME", "cannot be a suite's name", name, expected))
    return name or kind


def _refuse_what_is_in_the_way(root: Path, name: str) -> None:
    """Raises UsageError with every file or folder that stands where something of the suite's own must go."""
    remedy = f"{NOTHING} Move it away, or give the suite another name: `assay init KIND NAME`."
    module = _module(name)
    own = [path for path in (f"goldsets/{name}", f"cassettes/{name}", f"{module}.py", module) if _is_there(root / path)]
    no_folders = [path for path in FOLDERS if _is_there(root / path) and not (root / path).is_dir()]
    problems = [
        *(Problem(path, "is in the way", expected="nothing there", remedy=remedy) for path in own),
        *(Problem(path, "is in the way", expected="a folder, or nothing there", remedy=NOTHING) for path in no_folders),
    ]
    if _is_there(root / IGNORED) and not (root / IGNORED).is_file():
        problems.append(Problem(IGNORED, "is in the way", expected="a file, or nothing there", remedy=NOTHING))
    if not problems and importlib.util.find_spec(module) is not None:
        problems.append(Problem(module, "is the name of an installed module, which would hide the suite's", remedy=remedy))
    if problems:
        raise UsageError(problems)


def _of_the_project(kind: str, name: str, root: Path) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """What the project gets once: the files that it lacks, and the names of those that it has."""
    words, project = _words(name), _template("project")
    words |= {"kind": kind, "steps": _filled(_template(kind) / STEPS, words).rstrip(), "places": _places(kind, name)}
    wanted = {path: _filled(project / template, words).encode() for template, path in PROJECT.items()}
    wanted["README.md"] = _filled(project / "README.md", words).encode()
    known = schemas()
    wanted |= {f"{SCHEMAS}/{file_name(one)}": text_of(known[one]).encode() for one in names_for(kind)}
    has_readme = any(path.name.lower().partition(".")[0] == "readme" for path in root.iterdir())
    kept = {path for path in wanted if _is_there(root / path)} | ({"README.md"} if has_readme else set())
    return {path: data for path, data in wanted.items() if path not in kept}, tuple(sorted(kept))


def _ignoring(root: Path) -> dict[str, bytes]:
    """`.gitignore` with the lines that it lacks; nothing where it has them all."""
    path = root / IGNORED
    before = path.read_bytes() if path.exists() else b""
    has = {line.strip().strip(b"/") for line in before.splitlines()}
    wanted = (_template("project") / "gitignore").read_bytes().splitlines()
    lacking = [line for line in wanted if line.strip(b"/") not in has]
    if not lacking:
        return {}
    start = before if not before or before.endswith(b"\n") else before + b"\n"
    return {IGNORED: start + b"".join(line + b"\n" for line in lacking)}


def _made_to_pass(folder: Path, kind: str, name: str, now: datetime, *, with_steps: bool) -> dict[str, bytes]:
    """The suite's files after recording, calibration, baseline and a run that passed, all of it below `folder`."""
    for path, data in _of_the_suite(kind, name, with_steps=with_steps).items():
        write_atomically(folder / path, data)
    with _importable_for_now(folder):
        source, home = open_suite(folder, name, calibrating=True), folder / ".assay"
        for provider, declared in source.suite.subjects.items():
            if declared.target is None:
                record_oracle(source, provider, declared, home, now)
        if "calibration" in source.suite.files:
            write_atomically(source.folder / source.suite.files["calibration"], calibrated(source, home))
        first = _run(folder, name)
        for provider in source.suite.subjects:
            _publish(folder, name, provider, first, now)
        last = _run(folder, name)
    if last.verdict != "PASS":
        raise Refused(Problem(f"the example of {kind}", "does not pass here", last.headline, "PASS", NOTHING))
    paths = [path for top in ("goldsets", "cassettes", f"{_module(name)}.py") for path in _files_at(folder / top)]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _run(root: Path, name: str) -> RunOutcome:
    home = root / ".assay"
    return run_suite(RunRequest(name), root, home, Engine(home), engine_name="offline", environ={})


def _publish(root: Path, name: str, provider: str, run: RunOutcome, now: datetime) -> None:
    """As `assay baseline update` does."""
    source = open_suite(root, name)
    old, today = read_baseline(source.folder, source.shown), now.date().isoformat()
    declared = {subject: one.enforcement for subject, one in source.suite.subjects.items()}
    report = read_report(Path(run.folder))
    baseline, _ = updated(old, report, provider, run_id=run.run_id, reason=REASON, today=today, declared=declared)
    write_baseline(source.folder, baseline)


def _of_the_suite(kind: str, name: str, *, with_steps: bool) -> dict[str, bytes]:
    """The suite's files as their templates say."""
    words, gold = _words(name), f"goldsets/{name}/{VERSION}"
    found = {f"{gold}/{path}": _filled(one, words).encode() for path, one in _below(_template(kind)) if path != STEPS}
    system = found.pop(f"{gold}/{SYSTEM}", None)
    if system is not None:
        found[f"{_module(name)}.py"] = system
    if kind == "extraction":
        found[f"{gold}/schema.json"] = schema_text().encode()
    if with_steps:
        steps = _filled(_template(kind) / STEPS, words).rstrip()
        found[f"{gold}/README.md"] += f"\n## Make it yours\n\n{steps}\n".encode()
    return found


def _places(kind: str, name: str) -> str:
    """The row of the project's README for what lies beside the gold set."""
    if any(path == SYSTEM for path, _ in _below(_template(kind))):
        return f"| `{_module(name)}.py` | the code under evaluation: an example, to be replaced |"
    return f"| `cassettes/{name}/{VERSION}/` | recorded replies, with their provenance |"


def _commands(name: str, *, has_system: bool) -> tuple[str, ...]:
    yours = (
        f'assay baseline update {name} --provider mine --reason "..."'
        if has_system
        else f"assay record {name} --provider openai --max-usd 1"
    )
    return f"assay run {name} --offline", f"assay audit {name}", yours


@contextmanager
def _importable_for_now(folder: Path) -> Iterator[None]:
    """Afterwards nothing that was imported from the folder is left, so that the project's own is imported next."""
    try:
        yield
    finally:
        sys.path[:] = [place for place in sys.path if place != str(folder)]
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(f"{folder}{os.sep}"):
                del sys.modules[name]
        importlib.invalidate_caches()


def _words(name: str) -> dict[str, str]:
    return {"name": name, "module": _module(name)}


def _module(name: str) -> str:
    """The module of the code under evaluation."""
    return f"{name.replace('-', '_')}_system"


def _template(name: str) -> Traversable:
    return resources("assay.scaffold") / name


def _below(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    """Every file below a folder of templates with its relative path, in order."""
    for one in sorted(folder.iterdir(), key=lambda one: one.name):
        if one.is_dir():
            yield from _below(one, f"{prefix}{one.name}/")
        else:
            yield f"{prefix}{one.name}", one


def _filled(template: Traversable, words: Mapping[str, str]) -> str:
    """The template with `@word@` replaced; what stands for no word is left as it is."""
    text = template.read_text(encoding="utf-8")
    return re.sub(r"@([a-z]+)@", lambda found: words.get(found[1], found[0]), text)


def _files_at(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())


def _is_there(path: Path) -> bool:
    """Whether anything stands there, also a link that leads nowhere."""
    return os.path.lexists(path)
