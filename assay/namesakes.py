"""Modules of a user's project that are called like ours, `flows` and `tasks`: both are found, and neither hides the other.

Ours are those that lie beside this package, whatever stands first on the path. Code below the user's folder that imports
one of the two names gets the user's own, where there is one; it is kept in memory under another name, so the two never meet.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

NAMES = ("flows", "tasks")
"""Our packages besides `assay`."""
PLACE = Path(__file__).resolve().parent.parent
INSTALLED = frozenset({"site-packages", "dist-packages"})


class _Ours(MetaPathFinder):
    """Finds our two packages beside this one."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        folder = PLACE / fullname
        if fullname not in NAMES or not (folder / "__init__.py").is_file():
            return None
        return spec_from_file_location(fullname, folder / "__init__.py", submodule_search_locations=[str(folder)])


class _Users(MetaPathFinder):
    """Finds the modules below one user's folder, and lets them import their own `flows` and `tasks`."""

    def __init__(self, root: Path, names: Sequence[str], alias: str) -> None:
        self.root, self.names, self._alias = root, names, alias

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == self._alias:
            found = ModuleSpec(fullname, None, is_package=True)
            found.submodule_search_locations = [str(self.root)]
            return found
        if fullname.partition(".")[0] in {"assay", *NAMES}:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or not self._is_theirs(Path(spec.loader.path)):
            return spec if fullname.startswith(f"{self._alias}.") else None
        spec.loader = _Loader(fullname, spec.loader.path, self._imported)
        return spec

    def name_of(self, module: str) -> str:
        """The name in memory of what the user calls `module`."""
        return f"{self._alias}.{module}" if module.partition(".")[0] in self.names else module

    def _is_theirs(self, path: Path) -> bool:
        return path.is_relative_to(self.root) and not INSTALLED.intersection(path.parts)

    def _imported(
        self,
        name: str,
        globals_: Mapping[str, object] | None = None,
        locals_: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """What the user's `import` statement gives."""
        actual = name if level else self.name_of(name)
        found = builtins.__import__(actual, globals_, locals_, fromlist or (), level)
        return found if actual == name or fromlist else sys.modules[self.name_of(name.partition(".")[0])]


class _Loader(SourceFileLoader):
    """Loads a user's module with an `import` statement of its own."""

    def __init__(self, fullname: str, path: str, imported: object) -> None:
        super().__init__(fullname, path)
        self._builtins = {**vars(builtins), "__import__": imported}

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = self._builtins
        super().exec_module(module)


_KNOWN: dict[Path, _Users | None] = {}
_PRESENT: list[_Users | None] = [None]
"""The project that import strings are of, at the end."""


def find_ours_here() -> None:
    """From here on our packages are those beside this one. For programs of ours: a library leaves the path as it is."""
    if not any(isinstance(finder, _Ours) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Ours())  # before pytest's finder too, which looks along the path


def find_theirs(root: Path) -> None:
    """From here on code below `root` has its own `flows` and `tasks`, and import strings mean those, where it has any."""
    if root not in _KNOWN:
        names = [name for name in NAMES if (root / f"{name}.py").is_file() or (root / name).is_dir()]
        is_ours = (root / "assay" / "__init__.py").is_file()
        _KNOWN[root] = _Users(root, names, f"_of_the_project_{len(_KNOWN)}") if names and not is_ours else None
        users = _KNOWN[root]
        if users is not None:
            _before_the_path(users)
            importlib.invalidate_caches()
    _PRESENT[:] = [_KNOWN[root]]


def is_ours(module: str) -> bool:
    """Whether an import string's module is one of ours."""
    return module.partition(".")[0] in {"assay", *NAMES} and actual_name(module) == module


def actual_name(module: str) -> str:
    """The name in memory of the module that an import string of the present project names."""
    users = _PRESENT[-1]
    return module if users is None else users.name_of(module)


def imported_module(module: str) -> ModuleType:
    """The module that an import string of the present project names. Raises whatever its import raises."""
    return importlib.import_module(actual_name(module))


def _before_the_path(finder: MetaPathFinder) -> None:
    at = next((at for at, known in enumerate(sys.meta_path) if known is PathFinder), 0)
    sys.meta_path.insert(at, finder)
