"""Code as it stands in a tree of files, read and never imported: one process can compare two trees, of which it runs one.

What a piece of code rests on is followed name by name: a function, the names that it uses, and what these are imported from. So
a subject may be edited beside its controls, and a control that did not change is not told as changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.digest import sha256_hex
from assay.stores.syntax import Module, module_of

FOLDERS = (".", "src")
"""Where in a project its top-level packages lie."""
_INITIAL = ""
"""In place of a name: only what a module does when it is imported."""


def code_below(root: Path, *entries: str) -> dict[str, str]:
    """All code below `root` that the entries rest on, each piece with its digest: `package.module:NAME`, or a whole module.

    What a module does when it is imported goes by the module's name alone. Comments, layout and docstrings do not count. What
    is installed from elsewhere is no part of the tree, so it is left out: a change of the tree cannot change it. Names that are
    only looked up while the code runs are not seen.
    """
    found: dict[str, str] = {}
    seen: set[tuple[str, str | None]] = set()
    todo = [(module, name or None) for module, _, name in (entry.partition(":") for entry in entries)]
    while todo:
        piece = todo.pop()
        if piece not in seen:
            seen.add(piece)
            todo += _reached(root, *piece, found)
    return found


def modules_below(root: Path, *names: str) -> dict[str, str]:
    """The named modules below `root`, those of a named package too, each by its own text alone."""
    found: dict[str, str] = {}
    for name in names:
        path = _path(root, name)
        if path is not None and path.name == "__init__.py":
            for file in sorted(path.parent.rglob("*.py")):
                below = file.relative_to(path.parent).with_suffix("").parts
                found[".".join((name, *(part for part in below if part != "__init__")))] = _digest_of(file)
        elif path is not None:
            found[name] = _digest_of(path)
    return found


def _digest_of(path: Path) -> str:
    data = path.read_bytes()
    module = module_of(data, "")
    return module.digest if module else sha256_hex(data)


def _reached(root: Path, module: str, name: str | None, found: dict[str, str]) -> Iterator[tuple[str, str | None]]:
    """Note the digest of a piece in `found`; yields the pieces that it rests on."""
    path = _path(root, module)
    if path is None:
        yield from _below_a_folder(root, module, name)
        return
    read = module_of(path.read_bytes(), module if path.name == "__init__.py" else module.rpartition(".")[0])
    if read is None:
        found[module] = sha256_hex(path.read_bytes())
        return
    yield from _initially(module, read, found)
    if name == _INITIAL:
        return
    if name is None:
        yield from ((module, defined) for defined in read.definitions)
    elif name in read.definitions:
        piece = read.definitions[name]
        found[f"{module}:{name}"] = piece.digest
        yield from _resolved(module, read, piece.names)
    elif name in read.imports:
        yield from read.imports[name]
    elif _path(root, f"{module}.{name}"):
        yield f"{module}.{name}", None
    elif name not in read.initial.names:
        yield module, None


def _initially(module: str, read: Module, found: dict[str, str]) -> Iterator[tuple[str, str | None]]:
    """What the module and the packages that it lies in do when they are imported."""
    if read.initial.digest:
        found[module] = read.initial.digest
    yield from _resolved(module, read, read.initial.names)
    yield from ((star, None) for star in read.stars)
    if "." in module:
        yield module.rpartition(".")[0], _INITIAL


def _resolved(module: str, read: Module, names: frozenset[str]) -> Iterator[tuple[str, str | None]]:
    """Where the names of a module come from; builtins and local names come from nowhere."""
    for name in names:
        if name in read.definitions:
            yield module, name
        yield from read.imports.get(name, ())


def _below_a_folder(root: Path, module: str, name: str | None) -> Iterator[tuple[str, str | None]]:
    """A folder without `__init__.py` holds modules all the same."""
    if name and _path(root, f"{module}.{name}"):
        yield f"{module}.{name}", None


def _path(root: Path, name: str) -> Path | None:
    for folder in FOLDERS:
        path = root.joinpath(folder, *name.split("."))
        for candidate in (path / "__init__.py", path.with_name(f"{path.name}.py")):
            if candidate.is_file():
                return candidate
    return None
