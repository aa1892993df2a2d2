"""Code that a suite names by import string: where it is found, and the digest of what it does."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

from assay.digest import digest_of
from assay.errors import InputError, Problem
from assay.stores.code import FIRST_PARTY, code_digest, foreign_digest


def imported(root: Path, where: str, target: str) -> Any:  # noqa: ANN401  # the user's object may be anything
    """The object behind `package.module:NAME`, looked for among what is installed and then below `root`. Raises InputError."""
    make_importable(root)
    module_name, _, name = target.partition(":")
    try:
        return getattr(importlib.import_module(module_name), name)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # the user's module may raise anything when it is imported
        raise InputError(Problem(where, f"cannot be imported ({type(error).__name__}: {error})", target)) from None


def target_digest(root: Path, where: str, target: str) -> str:
    """What stands for a target's code in a stage key: its module and all that it imports from the same place.

    Modules of the project count by their syntax trees. An installed package counts by those of its modules that are
    reached and by its version. Raises InputError for a module that is not there.
    """
    module = target.partition(":")[0]
    top = module.split(".", maxsplit=1)[0]
    if top in FIRST_PARTY:
        try:
            code, packages = code_digest(module), _packages(module)
            return digest_of({"code": code, "packages": packages}) if packages else code
        except ModuleNotFoundError as error:
            raise InputError(Problem(where, f"cannot be imported ({error})", target)) from None
    make_importable(root)
    try:
        code = foreign_digest(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # to find a module of a package is to import the package
        raise InputError(Problem(where, f"cannot be imported ({type(error).__name__}: {error})", target)) from None
    return digest_of({"code": code, "version": _version(top)})


def _packages(module: str) -> dict[str, str | None]:
    """The versions of the distributions that a module of the project says it rests on, in `PACKAGES`."""
    return {name: _installed(name) for name in getattr(importlib.import_module(module), "PACKAGES", ())}


def _installed(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def make_importable(root: Path) -> None:
    """Put the project's folder last on the path, so that it hides nothing that is installed."""
    if str(root) not in sys.path:
        sys.path.append(str(root))
        importlib.invalidate_caches()


@lru_cache(maxsize=256)
def _version(top: str) -> str | None:
    try:
        return version(_distributions().get(top, [top])[0])
    except PackageNotFoundError:
        return None


@lru_cache(maxsize=1)
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()
