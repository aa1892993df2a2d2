"""`flows` and `tasks` under pytest: a project may have modules of these names itself, and neither may hide the other."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import assay

PACKAGES = ("flows", "tasks")
_kept: dict[str, ModuleType] = {}
"""Ours while the project's are in place."""


@contextmanager
def our_packages() -> Iterator[None]:
    """While this lasts, `flows` and `tasks` are those beside `assay`; afterwards they are what they were before."""
    if all(map(_is_ours, PACKAGES)):
        yield
        return
    theirs = _taken_out()
    sys.modules.update(_kept)
    try:
        for name in PACKAGES:
            if name not in sys.modules:
                _load(name)
        yield
    finally:
        _kept.update(_taken_out())
        sys.modules.update(theirs)


def _initial(name: str) -> Path:
    return Path(assay.__file__).resolve().parent.parent / name / "__init__.py"


def _is_ours(name: str) -> bool:
    """Whether `import name` gives the package that lies beside `assay`."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == _initial(name)


def _load(name: str) -> None:
    path = _initial(name)
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[str(path.parent)])
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded", name=name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


def _taken_out() -> dict[str, ModuleType]:
    """The modules of these names, which are then imported no longer."""
    names = [name for name in sys.modules if name.split(".", maxsplit=1)[0] in PACKAGES]
    return {name: sys.modules.pop(name) for name in names}
