"""The index of finished stages: key to Ref, one small file each, for both engines."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from assay.digest import canonical, digest_of
from assay.model.base import Frozen
from assay.stores.artifacts import Artifacts, Ref
from assay.stores.files import write_atomically


class Entry(Frozen):
    """A finished stage. It names its own key and content, so that a misplaced or damaged file is not an answer."""

    key: str
    ref: Ref
    sha256: str

    @classmethod
    def of(cls, key: str, ref: Ref) -> Entry:
        """The entry of a finished stage."""
        return cls(key=key, ref=ref, sha256=digest_of([key, ref.model_dump(mode="json")]))


class Index:
    """Looks up what a stage already returned. An entry counts only while its artifact is whole."""

    def __init__(self, home: Path, artifacts: Artifacts) -> None:
        self._folder = home / "keys"
        self._artifacts = artifacts

    def find(self, key: str) -> Ref | None:
        """The Ref kept under `key`, or None when there is none or its body is gone or damaged."""
        path = self._folder / f"{key}.json"
        try:
            entry = Entry.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None
        if entry != Entry.of(key, entry.ref) or not self._artifacts.holds(entry.ref):
            return None
        with suppress(OSError):  # the sweep may have just taken it
            os.utime(path)  # the sweep keeps what was used lately
        return entry.ref

    def keep(self, key: str, ref: Ref) -> None:
        """Remember that the stage of this key returned `ref`."""
        entry = Entry.of(key, ref)
        write_atomically(self._folder / f"{key}.json", canonical(entry.model_dump(mode="json")))
