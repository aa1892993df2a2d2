"""Which suite a file belongs to, by its path alone: the file, and the suite's declaration, need not be there or be readable."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

DECLARATION = "suite.yaml"
_VERSION = re.compile(r"v[0-9]{1,4}")
_DEPTH = 3
"""Parts of a path below `goldsets/` or `cassettes/`: suite, version, and at least a file."""


@dataclass(frozen=True, order=True)
class SuiteFolders:
    """The places of one suite's files."""

    root: Path
    gold: str
    """The suite's folder, relative to the root, as is the next."""
    recordings: str

    @property
    def is_foreign(self) -> bool:
        """Whether the suite's folder is not one of the project's."""
        return self.recordings == f"{self.gold}/cassettes"

    def files(self) -> dict[str, Path]:
        """Every file in both folders by its path relative to the root, in order. Hidden folders are left out."""
        return dict(sorted((path.relative_to(self.root).as_posix(), path) for path in self._paths() if path.is_file()))

    def _paths(self) -> Iterator[Path]:
        for folder in {self.gold, self.recordings}:
            for parent, below, names in os.walk(self.root / folder):
                below[:] = [name for name in below if not name.startswith(".")]
                yield from (Path(parent, name) for name in names)


def project_around(start: Path) -> Path | None:
    """The nearest folder at or above `start` that holds `goldsets/`."""
    return next((folder for folder in (start, *start.parents) if (folder / "goldsets").is_dir()), None)


def all_folders(root: Path) -> list[SuiteFolders]:
    """The folders of every suite and version of the project."""
    pattern = f"goldsets/*/v*/{DECLARATION}"
    return [_of_project(root, path.parent.parent.name, path.parent.name) for path in sorted(root.glob(pattern))]


def folders_of(files: Iterable[str], start: Path) -> list[SuiteFolders]:
    """The suites that these files belong to, each once; files of no suite are left out. Relative paths begin at `start`."""
    found = {_folders_of(Path(os.path.normpath(start / file))) for file in files}
    return sorted(folders for folders in found if folders is not None)


def _folders_of(path: Path) -> SuiteFolders | None:
    parts = path.parts
    for at in reversed(range(len(parts))):
        below = parts[at + 1 :]
        if parts[at] in {"goldsets", "cassettes"} and len(below) >= _DEPTH and _VERSION.fullmatch(below[1]):
            return _of_project(Path(*parts[:at]), below[0], below[1])
    folder = next((parent for parent in path.parents if (parent / DECLARATION).is_file()), None)
    return None if folder is None else SuiteFolders(folder.parent, folder.name, f"{folder.name}/cassettes")


def _of_project(root: Path, suite: str, version: str) -> SuiteFolders:
    return SuiteFolders(root, f"goldsets/{suite}/{version}", f"cassettes/{suite}/{version}")
