"""The digest of code: a module and every first-party module it imports, by what they do and not by how they look.

Comments, layout and docstrings do not count, and the form that is hashed is the same under every Python version.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from assay.digest import digest_of, sha256_hex

FIRST_PARTY = ("assay", "tasks", "flows")
_VERSION_BOUND = frozenset({"type_params", "type_comment", "kind", "ctx"})


@lru_cache(maxsize=256)
def code_digest(*modules: str) -> str:
    """One digest over the given modules and all first-party modules they import, transitively.

    Raises ModuleNotFoundError for a module that is not first-party source.
    """
    seen: dict[str, str] = {}
    todo = list(modules)
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        path = _source(name)
        if path is None:
            raise ModuleNotFoundError(f"{name} is not a first-party module with source")
        seen[name], imported = _digest_and_imports(name, path)
        todo += [*imported, *_parents(name)]
    return digest_of(sorted(seen.items()))


@lru_cache(maxsize=1024)
def _digest_and_imports(name: str, path: Path) -> tuple[str, tuple[str, ...]]:
    tree = ast.parse(path.read_bytes())
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    form: list[str] = []
    statements: list[ast.Import | ast.ImportFrom] = []
    _collect(tree, form, statements)
    imported = sorted({found for target in _imports(statements, package) for found in _modules(target)})
    return sha256_hex("".join(form).encode("utf-8", "surrogatepass")), tuple(imported)


def _collect(node: ast.AST, form: list[str], imports: list[ast.Import | ast.ImportFrom]) -> None:
    """Append the syntax tree as text (no positions, docstrings or empty fields) and its imports, in one walk."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        imports.append(node)
    is_constant = isinstance(node, ast.Constant)
    form.append(f"({type(node).__name__}")
    for field in node._fields:
        value = getattr(node, field, None)
        if field in _VERSION_BOUND or (value is None and not is_constant) or value == []:
            continue
        form.append(f" {field}=")
        for item in _without_docstring(value) if isinstance(value, list) else (value,):
            if isinstance(item, ast.AST):
                _collect(item, form, imports)
            else:
                form.append(f"{type(item).__name__}:{item!r};")
    form.append(")")


def _without_docstring(body: list[ast.AST]) -> list[ast.AST]:
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


def _modules(target: str) -> Iterator[str]:
    if target.split(".", maxsplit=1)[0] in FIRST_PARTY and _source(target) is not None:
        yield target


def _parents(name: str) -> list[str]:
    parts = name.split(".")[:-1]
    return [".".join(parts[: i + 1]) for i in range(len(parts))]


@lru_cache(maxsize=1024)
def _source(name: str) -> Path | None:
    top, *rest = name.split(".")
    if top not in FIRST_PARTY:
        return None
    base = _package_folder(top)
    if base is None:
        return None
    path = base.joinpath(*rest)
    for candidate in (path / "__init__.py", path.with_suffix(".py")):
        if candidate.is_file():
            return candidate
    return None


@lru_cache(maxsize=16)
def _package_folder(top: str) -> Path | None:
    spec = importlib.util.find_spec(top)
    return Path(spec.origin).parent if spec and spec.origin else None
