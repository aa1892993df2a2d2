"""Code that a suite names by import string: where it is found, and the digest of what it does."""

from __future__ import annotations

import importlib
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.digest import digest_of
from assay.errors import InputError, Problem
from assay.namesakes import find_theirs, imported_module, is_ours
from assay.stores.code import FIRST_PARTY, INSTALLED, Sources, foreign_digest

LOOKED_FOR = "Modules are looked for among what is installed, on PYTHONPATH, and below the project's root."


def imported(root: Path, where: str, target: str) -> Any:  # noqa: ANN401  # the user's object may be anything
    """The object behind `package.module:NAME`, looked for among what is installed and then below `root`. Raises InputError."""
    make_importable(root)
    module_name, _, name = target.partition(":")
    try:
        return getattr(imported_module(module_name), name)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # the user's module may raise anything when it is imported
        raise InputError(_not_imported(where, error, target)) from None


def target_digest(root: Path, where: str, target: str, sources: Sources = INSTALLED) -> str:
    """What stands for a target's code in a stage key: its module and all that it imports from the same place.

    Modules of the project count by their syntax trees. An installed package counts by those of its modules that are
    reached and by its version. Modules of assay are taken from `sources`. Raises InputError for a module that is not there.
    """
    module = target.partition(":")[0]
    top = module.split(".", maxsplit=1)[0]
    make_importable(root)
    if is_ours(module):
        try:
            code, packages = sources.digest(module), _packages(module)
            return digest_of({"code": code, "packages": packages}) if packages else code
        except ModuleNotFoundError as error:
            raise InputError(Problem(where, f"cannot be imported ({error})", target)) from None
    try:
        code = foreign_digest(module, sources)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # to find a module of a package is to import the package
        raise InputError(_not_imported(where, error, target)) from None
    return digest_of({"code": code, "version": _version(top)})


def _not_imported(where: str, error: BaseException, target: str) -> Problem:
    """That a target cannot be imported; where its own module is not there, also where it was looked for."""
    lacking = error.name if isinstance(error, ModuleNotFoundError) and error.name else None
    remedy = LOOKED_FOR if lacking and f"{target.partition(':')[0]}.".startswith(f"{lacking}.") else ""
    return Problem(where, f"cannot be imported ({type(error).__name__}: {error})", target, remedy=remedy)


def versions_behind(root: Path, where: str, target: str) -> dict[str, str | None]:
    """The installed versions of the distributions that a target comes from, by name; null for one that is not installed.

    A module of assay has those that it names in `PACKAGES`; any other has those that its top package was installed from, none
    where it lies in the project. Raises InputError for a module that is not there.
    """
    module = target.partition(":")[0]
    top = module.split(".", maxsplit=1)[0]
    make_importable(root)
    if not is_ours(module):
        return {name: _installed(name) for name in _distributions().get(top, [])}
    try:
        return _packages(module)
    except ModuleNotFoundError as error:
        raise InputError(Problem(where, f"cannot be imported ({error})", target)) from None


def _packages(module: str) -> dict[str, str | None]:
    """The versions of the distributions that a module of assay says it rests on, in `PACKAGES`."""
    return {name: _installed(name) for name in getattr(importlib.import_module(module), "PACKAGES", ())}


def _installed(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def make_importable(root: Path) -> None:
    """Put the project's folder last on the path, so that it hides nothing that is installed.

    Its own `flows` and `tasks`, where it has any, are found by its own code and by its import strings.
    """
    find_theirs(root)
    if str(root) not in sys.path:
        sys.path.append(str(root))
        importlib.invalidate_caches()


def import_from(tree: Path, instead_of: Path) -> None:
    """From now on, find what lies in a project's folder in `tree`, which is laid out alike, however the project is found.

    What is installed stays where it is, also below the project's folder, and so does assay.
    """
    sys.meta_path.insert(0, _Instead(tree.resolve(), instead_of.resolve()))


class _Instead(MetaPathFinder):
    """Asks the other finders where a top-level module lies; one of the project is then taken from the tree or not found."""

    def __init__(self, tree: Path, project: Path) -> None:
        self._tree, self._project = tree, project
        places = {Path(place).resolve() for place in sysconfig.get_paths().values()}
        self._installed = [place for place in places if place.is_relative_to(project)]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's place in the tree; None leaves it to the other finders. Raises ModuleNotFoundError."""
        if path is not None or fullname in FIRST_PARTY:
            return None
        others = [finder for finder in sys.meta_path if finder is not self]
        folder = _folder_of(next(filter(None, (finder.find_spec(fullname, None, target) for finder in others)), None))
        if folder is None or not self._is_of_project(folder):
            return None
        there = [str(self._tree / folder.relative_to(self._project)), str(self._tree)]
        for found in (finder.find_spec(fullname, there, target) for finder in others):
            place = _folder_of(found)
            if place is not None and place.is_relative_to(self._tree):
                return found
        raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)

    def _is_of_project(self, folder: Path) -> bool:
        return folder.is_relative_to(self._project) and not any(folder.is_relative_to(place) for place in self._installed)


def _folder_of(spec: ModuleSpec | None) -> Path | None:
    """The folder that a top-level module or package lies in; None for one that is built in or not there."""
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).resolve().parent
    return Path(spec.origin).resolve().parent if spec.has_location and spec.origin else None


@lru_cache(maxsize=256)
def _version(top: str) -> str | None:
    try:
        return version(_distributions().get(top, [top])[0])
    except PackageNotFoundError:
        return None


@lru_cache(maxsize=1)
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()
