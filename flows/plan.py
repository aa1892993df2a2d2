"""What a run of every suite follows from, by name and digest, without running any stage: which suites a change can touch.

Two plans are compared: one of the project as it stands, and one of the project as it was at a revision. The second is made
by a process of its own, with the present code over the files of that time: modules of two times never meet in one process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.digest import digest_of, sha256_hex
from assay.errors import Problem, UsageError, UserError
from assay.model.ports import calibration_part, imports_of, module_name, scoring_part
from assay.stores.cassettes import read_recording
from assay.stores.code import Sources, sources_of
from assay.stores.git import commit_at, tree_at
from assay.stores.goldsets import Source, open_suite, suites_in
from assay.stores.targets import import_from, target_digest
from tasks._stage import Stage
from tasks.gate import GATE
from tasks.load import LOAD
from tasks.publish import PUBLISH
from tasks.replay import REPLAY
from tasks.replay_targets import REPLAY_TARGETS
from tasks.score import SCORE, SELFTEST
from tasks.verify import VERIFY

NEW = "new suite"
REMOVED = "removed suite"
UNREADABLE = "unreadable"
WAS_UNREADABLE = "was unreadable"
_ALWAYS = {"load": LOAD, "verify": VERIFY, "score": SCORE, "self-test": SELFTEST, "gate": GATE, "publish": PUBLISH}


def changes_since(root: Path, revision: str, where: str = "--changed-since") -> dict[str, list[str]]:
    """For every suite of now and of the revision, the names of what differs; nothing named is unchanged.

    A suite that cannot be read is never unchanged. Raises UsageError for an unknown revision, and where no comparison can
    be made.
    """
    before = _plan_at(root, commit_at(root, revision, where), where)
    now = plan_of(root)
    return {name: _changes(now.get(name), before.get(name)) for name in sorted({*now, *before})}


def plan_of(root: Path) -> dict[str, dict[str, str]]:
    """By suite, in its newest version: all that any stage key of its run follows from, each with its digest.

    The run is the plain one: every provider, every case, recorded replies, no override. What the environment sets is no part
    of it. A suite that cannot be read has one entry, for what is wrong with it.
    """
    sources = sources_of(root)
    return {name: _inputs(root, name, sources) for name in suites_in(root)}


def _changes(now: Mapping[str, str] | None, before: Mapping[str, str] | None) -> list[str]:
    if now is None or before is None:
        return [REMOVED if now is None else NEW]
    if UNREADABLE in now or UNREADABLE in before:
        return [UNREADABLE if UNREADABLE in now else WAS_UNREADABLE]
    return [name for name in sorted({*now, *before}) if now.get(name) != before.get(name)]


def _inputs(root: Path, name: str, sources: Sources) -> dict[str, str]:
    try:
        source = open_suite(root, name)
        return {**_content(source), **_code(source, sources)}
    except UserError as error:
        return {UNREADABLE: digest_of(str(error))}


def _content(source: Source) -> dict[str, str]:
    """The declaration by its meaning, files by their bytes, and recordings. Raises InputError."""
    declared = json.dumps(source.suite.model_dump(mode="json"))  # in the order of the file, which stages may see
    found = {"suite.yaml": sha256_hex(declared.encode())}
    found |= {f"{source.shown}/{path}": sha256_hex(data) for path, data in source.files.values()}
    found |= {"prompt": sha256_hex(source.prompt.encode()), "schema": sha256_hex(source.response_schema.encode())}
    if source.baseline is not None:
        found["baseline.json"] = sha256_hex(source.baseline)
    for place in map(source.place, source.suite.providers):
        recording = read_recording(place)
        if recording is not None:
            found |= dict(zip((place.shown_manifest, place.shown), map(sha256_hex, recording), strict=True))
    return found


def _code(source: Source, sources: Sources) -> dict[str, str]:
    """The code of the stages, of what puts them together, and of all that the suite names. Raises InputError."""
    suite = source.suite
    stages = {label: _modules(stage, suite.kind) for label, stage in _stages(source)}
    found = {f"code of {label}": _digest(sources, *modules) for label, modules in stages.items()}
    found["code of the run"] = _rest(sources, [module for modules in stages.values() for module in modules])
    measured_with = calibration_part(suite.kind).CODE
    if measured_with:
        found["code of calibration"] = _digest(sources, *measured_with)
    for name, provider in suite.providers.items():
        if provider.target:
            where = f"{source.shown}/suite.yaml: providers.{name}.target"
            found[f"code of provider {name}"] = target_digest(source.root, where, provider.target, sources)
    for name in imports_of(scoring_part(suite.kind), suite.options):
        found[f"code of {name}"] = target_digest(source.root, f"{source.shown}/suite.yaml: options", name, sources)
    return found


def _stages(source: Source) -> Iterator[tuple[str, Stage]]:
    """Every stage of the suite's run, by the name that people know it under."""
    yield from _ALWAYS.items()
    targets = [provider.target is not None for provider in source.suite.providers.values()]
    if not all(targets):
        yield "replay", REPLAY
    if any(targets):
        yield "replay of targets", REPLAY_TARGETS


def _modules(stage: Stage, kind: str) -> list[str]:
    """The modules that a stage's key names."""
    own = stage.run.__module__
    return [own, module_name(kind, stage.part)] if stage.part else [own]


def _digest(sources: Sources, *modules: str) -> str:
    """The code's digest; where a tree does not have the module, one of that fact."""
    try:
        return sources.digest(*modules)
    except ModuleNotFoundError as error:
        return digest_of(str(error))


def _rest(sources: Sources, known: list[str]) -> str:
    """The digest of what makes inputs and parameters for the stages, without the modules that stages reach themselves."""
    counted = {name for module in known for name in _reached(sources, module)}
    return digest_of({name: digest for name, digest in _reached(sources, "flows.chain").items() if name not in counted})


def _reached(sources: Sources, module: str) -> dict[str, str]:
    try:
        return sources.reached(module)
    except ModuleNotFoundError:
        return {}


def _plan_at(root: Path, commit: str, where: str) -> dict[str, dict[str, str]]:
    """The plan of the project as it was at a commit. Raises UsageError when it cannot be made."""
    path = os.pathsep.join(str(Path(place).absolute()) for place in sys.path)  # what this process finds, the other finds
    with tree_at(root, commit) as tree:
        done = subprocess.run(  # noqa: S603  # this interpreter and this module
            [sys.executable, "-P", "-m", "flows.plan", str(tree), str(root)],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    try:
        if done.returncode:
            raise ValueError(f"exit code {done.returncode}")
        plan: dict[str, dict[str, str]] = json.loads(done.stdout)
    except ValueError as error:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        what = f"what the suites followed from at {commit[:12]} cannot be told ({told[-1] if told else error})"
        raise UsageError(Problem(where, what)) from None
    return plan


def main() -> None:
    """Print the plan of a folder that stands in for a project's, and nothing else: the user's code prints elsewhere."""
    tree, root = map(Path, sys.argv[1:])
    with os.fdopen(os.dup(1), "w") as told:
        os.dup2(2, 1)
        import_from(tree, instead_of=root)
        json.dump(plan_of(tree), told)


if __name__ == "__main__":
    main()
