"""What was found in files that were looked at before: one small file per suite and look, believed while all is as it was.

Kept in plain JSON and read without any library, since a hook asks for it before every commit.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import assay
from assay.digest import canonical, digest_of, sha256_hex
from assay.errors import InputError
from assay.stores.files import write_atomically

FORMAT = 1
OURS = ("assay", "flows", "tasks")


@dataclass(frozen=True)
class Seen:
    """The result of one look."""

    refused: tuple[str, ...]
    """What is wrong, a line each."""
    variables: tuple[str, ...] = ()
    """The names of the environment's variables whose values must stand in no file."""
    others: Mapping[str, str] = field(default_factory=dict)
    """Digests of others' code that took part, by import string."""
    lasts: bool = True
    """Whether the same files give the same again; code that could not be reached may be there next time."""


def key_of(files: Mapping[str, bytes], **more: object) -> str:
    """The name of a look: the files' contents, what else it depends on, and this release of assay as it stands on disk."""
    contents = {shown: sha256_hex(data) for shown, data in files.items()}
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return digest_of({"format": FORMAT, "python": python, "code": _own_code(), "files": contents, **more})


def recall(home: Path, name: str, key: str, root: Path) -> Seen | None:
    """What is kept under this name, if it is the look of this key, whole, and others' code is still what it was."""
    try:
        kept = json.loads(_place(home, name).read_bytes())
        value = kept["value"]
        if kept != _sealed(key, value):
            return None
        seen = Seen(tuple(value["refused"]), tuple(value["variables"]), value["others"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return seen if _still_holds(seen, root) else None


def keep(home: Path, name: str, key: str, seen: Seen) -> None:
    """Put this look, if it lasts, in place of an older one of its name. Where that cannot be done, the next takes longer."""
    if not seen.lasts:
        return
    value = {"refused": list(seen.refused), "variables": list(seen.variables), "others": dict(seen.others)}
    with suppress(OSError):
        write_atomically(_place(home, name), canonical(_sealed(key, value)))


def _still_holds(seen: Seen, root: Path) -> bool:
    if not seen.others:
        return True
    from assay.stores.targets import target_digest

    try:
        return all(target_digest(root, "options", name) == digest for name, digest in seen.others.items())
    except InputError:
        return False


def _sealed(key: str, value: object) -> dict[str, object]:
    return {"key": key, "value": value, "sha256": digest_of([key, value])}


def _place(home: Path, name: str) -> Path:
    return home / "seen" / f"{name.replace('/', '-')}.json"


@lru_cache(maxsize=1)
def _own_code() -> str:
    """The digest of every source file of ours: coarser than a stage's, and at hand without parsing any."""
    top = Path(assay.__file__).parent.parent
    paths = sorted(path for package in OURS for path in (top / package).rglob("*.py"))
    return digest_of({path.relative_to(top).as_posix(): sha256_hex(path.read_bytes()) for path in paths})
