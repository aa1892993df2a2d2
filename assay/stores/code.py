"""The digest of code: a module and every first-party module it imports, by what they do and not by how they look.

Comments, layout and docstrings do not count, and the form that is hashed is the same under every Python version. A package's
folder `templates` counts as part of the package.
"""

from __future__ import annotations

import ast
import importlib.util
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path

from assay.digest import digest_of, sha256_hex
from assay.namesakes import actual_name, is_ours

FIRST_PARTY = ("assay", "tasks", "flows")
TEMPLATES = "templates"
_VERSION_BOUND = frozenset({"type_params", "type_comment", "kind", "ctx"})
_IMPORTS = (ast.Import, ast.ImportFrom)


class Sources:
    """First-party modules in one place, each read once."""

    def __init__(self, below: Path | None = None) -> None:
        self.below = below
        """The folder that holds the packages; null takes them from where they are installed."""
        self._digest_of = lru_cache(maxsize=256)(self._digest)
        self.path = lru_cache(maxsize=1024)(self._path)
        self._was_read = lru_cache(maxsize=1024)(self._read)
        self._folder = lru_cache(maxsize=16)(self._package_folder)

    def digest(self, *modules: str) -> str:
        """One digest over the given modules and all first-party modules they import, transitively.

        Raises ModuleNotFoundError for a module that is not first-party source.
        """
        return self._digest_of(*modules)

    def reached(self, *modules: str) -> dict[str, str]:
        """The given modules and all first-party modules they import, transitively, each with a digest of its own.

        Raises ModuleNotFoundError for a module that is not first-party source.
        """
        seen: dict[str, str] = {}
        todo = list(modules)
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            path = self.path(name)
            if path is None:
                raise ModuleNotFoundError(f"{name} is not a first-party module with source")
            seen[name], imported = self._was_read(name, path)
            todo += [*imported, *_parents(name)]
        return seen

    def modules(self, target: str) -> Iterator[str]:
        """`target` where it is a first-party module with source."""
        if target.split(".", maxsplit=1)[0] in FIRST_PARTY and self.path(target) is not None:
            yield target

    def _digest(self, *modules: str) -> str:
        return digest_of(sorted(self.reached(*modules).items()))

    def _read(self, name: str, path: Path) -> tuple[str, tuple[str, ...]]:
        """The digest of a module's own text, and the first-party modules that it imports."""
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        form, statements = _form(path)
        imported = sorted({found for target in _imports(statements, package) for found in self.modules(target)})
        digest = sha256_hex(form.encode("utf-8", "surrogatepass"))
        templates = _files(path.parent / TEMPLATES) if path.name == "__init__.py" else {}
        return digest_of([digest, templates]) if templates else digest, tuple(imported)

    def _path(self, name: str) -> Path | None:
        top, *rest = name.split(".")
        if top not in FIRST_PARTY:
            return None
        base = self._folder(top)
        if base is None:
            return None
        path = base.joinpath(*rest)
        for candidate in (path / "__init__.py", path.with_suffix(".py")):
            if candidate.is_file():
                return candidate
        return None

    def _package_folder(self, top: str) -> Path | None:
        if self.below is not None:
            return self.below / top
        spec = importlib.util.find_spec(top)
        return Path(spec.origin).parent if spec and spec.origin else None


INSTALLED = Sources()
"""Those of this process."""


def sources_of(root: Path) -> Sources:
    """The first-party sources that a project's results follow from: its own where it is assay, else those installed."""
    own = root / "assay" / "__init__.py"
    if not own.is_file():
        return INSTALLED
    running = INSTALLED.path("assay")
    return INSTALLED if running is not None and running.samefile(own) else Sources(root)


def code_digest(*modules: str) -> str:
    """One digest over the given modules and all first-party modules they import, transitively, as they are installed.

    Raises ModuleNotFoundError for a module that is not first-party source.
    """
    return INSTALLED.digest(*modules)


def foreign_digest(module: str, sources: Sources = INSTALLED) -> str:
    """The digest of a module of the user's own, or of an installed package, and of what it imports from its own top package.

    Neighbours of a package that is not installed count too, and so do modules of ours, which are taken from `sources`.

    Not kept in memory: the module may be edited while this process lives. Raises ModuleNotFoundError where it has no source.
    """
    top = module.split(".", maxsplit=1)[0]
    seen: dict[str, str] = {}
    todo = [module]
    while todo:
        name = todo.pop()
        path = None if name in seen else _foreign_source(name)
        if path is None:
            if name == module and not seen:
                raise ModuleNotFoundError(f"{name} has no source", name=name)
            continue
        form, statements = _form(path)
        seen[name] = sha256_hex(form.encode("utf-8", "surrogatepass"))
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        beside = _beside(name, path)
        for target in _imports(statements, package):
            parts = target.split(".")
            if is_ours(target):
                seen |= {found: sources.digest(found) for found in sources.modules(target)}
                continue
            todo += [".".join(parts[: i + 1]) for i in range(len(parts)) if parts[0] == top or _is_beside(parts[0], beside)]
        todo += _parents(name)
    return digest_of(sorted(seen.items()))


def _beside(name: str, path: Path) -> set[Path]:
    """The folder that holds the module's top package; none where packages are installed, since there all are neighbours."""
    folder = path.parents[name.count(".") + (path.name == "__init__.py")]
    return set() if str(folder) in sysconfig.get_paths().values() else {folder}


def _is_beside(top: str, folders: set[Path]) -> bool:
    """Whether a top-level module or folder lies beside the one that imports it: then both are the user's."""
    return any((folder / f"{top}.py").is_file() or (folder / top).is_dir() for folder in folders)


def _foreign_source(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(actual_name(name))
    except (ImportError, ValueError, AttributeError):
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def _files(folder: Path) -> dict[str, str]:
    """The digest of every file in a folder, by name; empty where there is none."""
    return {path.name: sha256_hex(path.read_bytes()) for path in folder.glob("*") if path.is_file()}


def _form(path: Path) -> tuple[str, list[ast.Import | ast.ImportFrom]]:
    form: list[str] = []
    statements: list[ast.Import | ast.ImportFrom] = []
    _collect(ast.parse(path.read_bytes()), form, statements)
    return "".join(form), statements


def _collect(node: ast.AST, form: list[str], imports: list[ast.Import | ast.ImportFrom]) -> None:
    """Append the syntax tree as text (no positions, docstrings or empty fields) and its imports, in one walk.

    Names and constants, half of all nodes, are written without looking at their fields.
    """
    if isinstance(node, ast.Name):
        form.append(f"(Name id=str:{node.id!r};)")
        return
    if isinstance(node, ast.Constant):
        form.append(f"(Constant value={_leaf(node.value)})")
        return
    if isinstance(node, _IMPORTS):
        imports.append(node)
    opening, labels = _shape(type(node).__name__)
    form.append(opening)
    values = vars(node)
    for field, label in labels:
        value = values.get(field)
        if isinstance(value, list) and value:
            form.append(label)
            for item in _without_docstring(value):
                if isinstance(item, ast.AST):
                    _collect(item, form, imports)
                else:
                    form.append(_leaf(item))
        elif isinstance(value, ast.AST):
            form.append(label)
            _collect(value, form, imports)
        elif value is not None and value != []:
            form.append(label + _leaf(value))
    form.append(")")


@cache
def _shape(kind: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """How the text of a node of this kind begins, and its fields that count, each with its label."""
    fields: tuple[str, ...] = getattr(ast, kind)._fields
    return f"({kind}", tuple((field, f" {field}=") for field in fields if field not in _VERSION_BOUND)


def _leaf(value: object) -> str:
    return f"{type(value).__name__}:{value!r};"


def _without_docstring(body: list[object]) -> list[object]:
    first = body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return body[1:] if is_text else body


def _imports(statements: Iterable[ast.Import | ast.ImportFrom], package: str) -> Iterator[str]:
    for node in statements:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            base = node.module or ""
            if node.level:
                base = importlib.util.resolve_name("." * node.level + base, package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _parents(name: str) -> list[str]:
    parts = name.split(".")[:-1]
    return [".".join(parts[: i + 1]) for i in range(len(parts))]
