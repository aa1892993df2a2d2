"""One suite's files on trial before a commit: secrets, edited recordings or manifests, and the faults of the gold set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.contract import record_command
from assay.errors import InputError, Problem, UserError
from assay.model.exchange import FileFacts, Manifest, TargetManifest
from assay.model.ports import EVERY_OTHER, audit_part, imports_of, scoring_part
from assay.model.suite import Provider, Suite
from assay.reading import record, validated
from assay.reading_yaml import yaml_mapping
from assay.redaction import SHAPES, shapes_in, suite_variables
from assay.secret_places import secrets_held
from assay.stores.cassettes import Place, file_facts
from assay.stores.code import FIRST_PARTY
from assay.stores.seen import Seen, keep, key_of, recall
from assay.stores.suite_folders import DECLARATION, SuiteFolders
from assay.stores.targets import make_importable, target_digest

Files = Mapping[str, bytes]
"""By path relative to the root."""
MADE_BY_COMMANDS = frozenset({"calibration", "judge"})
"""Files of a suite that may still be missing: a command makes them from the others."""


def look(folders: SuiteFolders, files: Files, home: Path) -> Seen:
    """All that must not be committed, as lines. Nothing is read but these files and the code that an audit runs."""
    problems = list(secrets_held(files, shapes_in))
    try:
        suite = _declared(folders, files)
    except UserError as error:
        return Seen(tuple(map(_told, [*error.problems, *problems])))
    problems += _recordings(folders, suite, files)
    audited = _audited(folders, suite, files, home)
    variables = tuple(suite_variables(suite))
    return Seen((*map(_told, problems), *audited.refused), variables, audited.others, audited.lasts)


def _declared(folders: SuiteFolders, files: Files) -> Suite:
    where = f"{folders.gold}/{DECLARATION}"
    if where not in files:
        remedy = f"Put it back, or remove {folders.gold} and {folders.recordings}."
        raise InputError(Problem(where, "no such file", expected="the suite's declaration", remedy=remedy))
    suite = validated(yaml_mapping(files[where], where), where, Suite)
    if not folders.is_foreign and folders.gold != f"goldsets/{suite.suite}/{suite.version}":
        found = f"{suite.suite} {suite.version}"
        raise InputError(Problem(where, "names another suite", found, f"the suite of {folders.gold}"))
    return suite


def _recordings(folders: SuiteFolders, suite: Suite, files: Files) -> Iterator[Problem]:
    """Recordings and manifests of which one is missing, or that do not belong together."""
    for name, provider in suite.providers.items():
        if provider.target is not None and not provider.asks_model:
            continue
        suffix = provider.recorded_as or "jsonl"
        place = Place(folders.root, suite.suite, suite.version, name, suffix, folders.recordings)
        there = [shown for shown in (place.shown, place.shown_manifest) if shown in files]
        if len(there) == 1:
            (missing,) = {place.shown, place.shown_manifest} - set(there)
            remedy = f"Record it with `{record_command(suite.suite, name, oracle=False)}`."
            yield Problem(missing, f"no such file, though {there[0]} is there", remedy=remedy)
        elif there:
            yield from _out_of_step(suite, provider, place, files)


def _out_of_step(suite: Suite, provider: Provider, place: Place, files: Files) -> Iterator[Problem]:
    data, shown = files[place.shown_manifest], place.shown_manifest
    try:
        made = record(data, shown, Manifest) if provider.target is None else record(data, shown, TargetManifest)
    except InputError as error:
        yield from error.problems
        return
    present = file_facts(files[place.shown])
    if isinstance(made, Manifest):
        told, command = made.cassette, record_command(suite.suite, place.provider, oracle=made.is_oracle)
    else:  # lines of such a file mean nothing
        told, command = made.body, record_command(suite.suite, place.provider, oracle=False)
        present = FileFacts(sha256=present.sha256, rows=told.rows)
    if (made.suite, made.gold_version, made.provider) != (suite.suite, suite.version, place.provider):
        found, wanted = f"{made.suite} {made.gold_version} {made.provider}", f"{suite.suite} {suite.version} {place.provider}"
        yield Problem(shown, "belongs to another recording", found, wanted, f"Put the right one in place, or run `{command}`.")
    if told != present:
        rows = "" if told.rows == present.rows else f"{present.rows} lines instead of {told.rows}, "
        what = f"is not what its manifest describes ({rows}sha256 {present.sha256[:12]}… instead of {told.sha256[:12]}…)"
        yield Problem(place.shown, what, remedy=f"Recordings are not edited: put it back, or record it with `{command}`.")


def _audited(folders: SuiteFolders, suite: Suite, files: Files, home: Path) -> Seen:
    """What `assay audit` calls a fault. Kept apart from the rest, since it takes longest and knows no recording."""
    declared = {role: f"{folders.gold}/{name}" for role, name in suite.files.items()}
    missing = [shown for role, shown in declared.items() if shown not in files and role not in MADE_BY_COMMANDS]
    if missing:
        remedy = f"{folders.gold}/{DECLARATION} names it."
        return Seen(tuple(_told(Problem(shown, "no such file", remedy=remedy)) for shown in missing))
    there = {role: shown for role, shown in declared.items() if shown in files}
    name = f"{folders.gold}.audit"
    key = key_of({shown: files[shown] for shown in there.values()}, suite=suite.model_dump(mode="json"), gold=folders.gold)
    seen = recall(home, name, key, folders.root)
    if seen is None:
        seen = _audit(folders, suite, {role: (shown, files[shown]) for role, shown in there.items()})
        keep(home, name, key, seen)
    return seen


def _audit(folders: SuiteFolders, suite: Suite, files: Mapping[str, tuple[str, bytes]]) -> Seen:
    make_importable(folders.root)
    try:
        part = audit_part(suite.kind)
        named = imports_of(scoring_part(suite.kind), suite.options)
        wanted = files if EVERY_OTHER in part.FILES else {role: files[role] for role in part.FILES if role in files}
        where = f"{folders.gold}/{DECLARATION}: options"
        others = {name: target_digest(folders.root, where, name) for name in named if not _is_ours(name)}
        faults = part.audit(wanted, suite.options).faults
    except UserError as error:
        return Seen(tuple(map(_told, error.problems)), lasts=False)
    shown = {place for place, _ in files.values()}
    return Seen(tuple(_told(_as_problem(fault, folders, suite, shown)) for fault in faults), others=others)


def _told(problem: Problem) -> str:
    """The problem as a line that quotes nothing which looks like a secret."""
    line = str(problem)
    for shape in SHAPES.values():
        line = shape.sub("…", line)
    return line


def _is_ours(name: str) -> bool:
    """Whether it is code of assay, which every key holds already."""
    return name.partition(":")[0].split(".", maxsplit=1)[0] in FIRST_PARTY


def _as_problem(fault: str, folders: SuiteFolders, suite: Suite, shown: set[str]) -> Problem:
    command = f"assay audit {suite.suite}"
    command += f" --goldset {folders.gold}" if folders.is_foreign else f" --gold-version {suite.version}"
    place, _, rest = fault.partition(": ")
    where, what = (place, rest) if place.partition(":")[0] in shown else (folders.gold, fault)
    return Problem(where, what.rstrip("."), remedy=f"See `{command}`.")
