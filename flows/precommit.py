"""What keeps a suite's files from being committed. Files that were looked at before are only read, so that a hook is quick."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from assay.errors import InputError
from assay.secret_places import secrets_held
from assay.stores.files import read_file
from assay.stores.seen import Seen, keep, key_of, recall
from assay.stores.suite_folders import SuiteFolders


def refused_in(folders: SuiteFolders, home: Path, environ: Mapping[str, str]) -> list[str]:
    """A line for each thing that must not be committed; none for a suite that is gone."""
    files, unreadable = _contents(folders)
    if not files:
        return unreadable
    name, key = f"{folders.gold}.all", key_of(files, gold=folders.gold)
    seen = recall(home, name, key, folders.root)
    if seen is None:
        from flows.suite_look import look

        seen = look(folders, files, home)
        keep(home, name, key, seen)
    return [*unreadable, *_known(files, seen, environ)]


def _contents(folders: SuiteFolders) -> tuple[dict[str, bytes], list[str]]:
    files: dict[str, bytes] = {}
    unreadable: list[str] = []
    for shown, path in folders.files().items():
        try:
            files[shown] = read_file(path, shown)
        except InputError as error:
            unreadable += map(str, error.problems)
    return files, unreadable


def _known(files: Mapping[str, bytes], seen: Seen, environ: Mapping[str, str]) -> list[str]:
    """What was seen, and files that hold a variable's value: looked for anew, so that nothing kept depends on a secret."""
    if not any(environ.get(name) for name in seen.variables):
        return list(seen.refused)
    from assay.redaction import known_in, secret_values

    secrets = secret_values(seen.variables, environ)
    lines = [*map(str, secrets_held(files, partial(known_in, secrets=secrets))), *seen.refused]
    for value in secrets.values():
        lines = [line.replace(value, "…") for line in lines]
    return lines
